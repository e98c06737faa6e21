import Imaging

extension Scene {
  /// The map from the pixels of frame `t` into frame `t + 1` for the background: the camera's motion.
  public func homography(_ t: Int) -> Homography {
    checkPair(t)
    return Self.step(poses(t)[0], poses(t + 1)[0])
  }

  /// The exact flow from frame `t` to frame `t + 1`, on the grid of frame `t`.
  ///
  /// A pixel moves with the layer that its centre shows. The flow is known everywhere, also where the point leaves the
  /// image or is hidden in frame `t + 1`: see ``occlusion(_:)``.
  public func flow(from t: Int) -> FlowField {
    checkPair(t)
    let owners = layers(t)
    let steps = zip(poses(t), poses(t + 1)).map(Self.step)
    var flow = FlowField(size: size)
    owners.withView { owners in
      flow.u.withMutableView { u in
        flow.v.withMutableView { v in
          parallelism.forEachStripe(rows: u.height) { rows in
            for y in rows {
              let (owner, uRow, vRow) = (owners.row(y), u.row(y), v.row(y))
              for x in 0..<u.width {
                let target = steps[Int(owner[x])].apply(x: Double(x), y: Double(y))
                uRow[x] = Float(target.x - Double(x))
                vRow[x] = Float(target.y - Double(y))
              }
            }
          }
        }
      }
    }
    return flow
  }

  /// 255 where the point that a pixel of frame `t` shows is not visible in frame `t + 1`: outside the image (the area
  /// that its pixels cover, -0.5 … width - 0.5) or behind an object; else 0.
  public func occlusion(_ t: Int) -> Plane<UInt8> {
    checkPair(t)
    let owners = layers(t)
    let next = poses(t + 1)
    let steps = zip(poses(t), next).map(Self.step)
    let (right, bottom) = (Double(size.width) - 0.5, Double(size.height) - 0.5)
    return perPixel { x, y in
      let owner = Int(owners[x, y])
      let target = steps[owner].apply(x: Double(x), y: Double(y))
      let isInside = target.x >= -0.5 && target.y >= -0.5 && target.x < right && target.y < bottom
      let isHidden = next[(owner + 1)...].contains { $0.covers(x: target.x, y: target.y) }
      return isInside && !isHidden ? 0 : 255
    }
  }

  /// Returns the layer that each pixel's centre shows in frame `t`: 0 the background, `i + 1` the object `i` of
  /// ``objectNames``.
  public func layers(_ t: Int) -> Plane<UInt8> {
    checkFrame(t)
    let poses = poses(t)
    return perPixel { x, y in
      for index in poses.indices.dropFirst().reversed() {
        let pose = poses[index]
        guard pose.rows.contains(y), pose.columns.contains(x) else { continue }
        if pose.covers(x: Double(x), y: Double(y)) { return UInt8(index) }
      }
      return 0
    }
  }

  private static func step(_ from: LayerPose, _ to: LayerPose) -> Homography {
    (to.toImage * from.toOwn).normalized
  }

  private func perPixel(_ value: @Sendable (_ x: Int, _ y: Int) -> UInt8) -> Plane<UInt8> {
    var result = Plane<UInt8>(size: size)
    result.withMutableView { view in
      parallelism.forEachStripe(rows: view.height) { rows in
        for y in rows {
          let row = view.row(y)
          for x in 0..<view.width { row[x] = value(x, y) }
        }
      }
    }
    return result
  }
}
