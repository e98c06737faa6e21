import Imaging

/// A fast look at the flow that tells whether the image as a whole may have moved, so that a registration is worth its
/// time. The constants were chosen by hand, where nothing else is said.
public enum GlobalMotionGate {
  /// The distance between the points that are looked at, in pixels.
  private static let stride = 8
  /// The difference across two pixels below which the flow of a point tells nothing, in grey levels.
  private static let minimumGradient: Float = 6
  /// The difference that is enough where too few points have more, as in fog and before walls, in grey levels.
  private static let minimumFaintGradient: Float = 3
  /// The minimum motion of a point, in pixels per pair.
  private static let minimumMotion: Float = 0.25
  /// The minimum share of the texture that must move.
  private static let minimumMovingShare = 0.5
  /// The minimum number of textured points: with fewer nothing can be said.
  private static let minimumCount = 12

  /// The number of blocks along the analysed side; the last ones have what is beyond.
  private static let blocks = 8
  /// The multiple of the median over the blocks of their texture that a block's texture counts for at most.
  private static let blockFactor: Float = 2

  /// Returns whether the points with at least half of the texture move.
  public static func isRaised(by flow: FlowField, on image: Plane<Float>) -> Bool {
    ruleResult(on: flow, of: image)?.isSatisfied == true
  }

  /// Returns the share of the texture that lies at points that move; nil where there are too few of them to tell.
  /// - Parameters:
  ///   - image: Luma on whose grid the flow lies.
  ///   - flow: The flow, of the size of the image, in pixels.
  public static func ruleResult(on flow: FlowField, of image: Plane<Float>) -> RuleResult? {
    let points = texturedPoints(of: image, flow)
    guard points.count >= minimumCount else { return nil }
    let share = share(of: points) { ($0.motion * $0.motion).sum() > minimumMotion * minimumMotion }
    return RuleResult(.globalMotion, share, limit: minimumMovingShare)
  }

  /// Returns the share of the texture that lies at points of a kind: codecs let weak texture stand still.
  private static func share(of points: [TexturedPoint], _ isOfKind: (TexturedPoint) -> Bool) -> Double {
    let (some, all) = points.reduce((0.0, 0.0)) { sums, point in
      (sums.0 + (isOfKind(point) ? Double(point.gradient) : 0), sums.1 + Double(point.gradient))
    }
    return some / all
  }

  /// A point with texture.
  private struct TexturedPoint {
    /// The difference across two pixels, in grey levels.
    var gradient: Float
    /// One, and the position in halves of the analysed side from the top left corner.
    var position: SIMD3<Float>
    /// The flow, in pixels.
    var motion: SIMD2<Float>
  }

  private static func texturedPoints(of image: Plane<Float>, _ flow: FlowField) -> [TexturedPoint] {
    let points = points(of: image, flow, above: minimumGradient)
    return spread(points.count >= minimumCount ? points : self.points(of: image, flow, above: minimumFaintGradient))
  }

  /// Returns the points with the texture of blocks that have more than most cut down: what is written over a dark image
  /// has as much as all the rest, and stands still.
  private static func spread(_ points: [TexturedPoint]) -> [TexturedPoint] {
    func block(_ point: TexturedPoint) -> Int {
      func place(_ position: Float) -> Int { min(Int(position * Float(blocks) / 2), blocks - 1) }
      return place(point.position.z) * blocks + place(point.position.y)
    }
    var sums = [Float](repeating: 0, count: blocks * blocks)
    for point in points { sums[block(point)] += point.gradient }
    let limit = blockFactor * (sums.filter { $0 > 0 }.median ?? 0)
    return points.map { point in
      var point = point
      point.gradient *= min(limit / sums[block(point)], 1)
      return point
    }
  }

  private static func points(of image: Plane<Float>, _ flow: FlowField, above minimum: Float) -> [TexturedPoint] {
    var points: [TexturedPoint] = []
    let unit = 2 / Float(MotionParameters.analysisSide)
    image.withView { image in
      flow.u.withView { u in
        flow.v.withView { v in
          for y in Swift.stride(from: stride / 2, to: image.height - 1, by: stride) {
            let (row, above, below) = (image.row(y), image.row(y - 1), image.row(y + 1))
            let (uRow, vRow) = (u.row(y), v.row(y))
            for x in Swift.stride(from: stride / 2, to: image.width - 1, by: stride) {
              let gradient = max(abs(row[x + 1] - row[x - 1]), abs(below[x] - above[x]))
              guard gradient >= minimum else { continue }
              points.append(
                TexturedPoint(
                  gradient: gradient, position: SIMD3(1, Float(x) * unit, Float(y) * unit),
                  motion: SIMD2(uRow[x], vRow[x])))
            }
          }
        }
      }
    }
    return points
  }

  /// The scales in pixels at which a common motion is fitted, one after the other: others' motion drops out.
  private static let scales: [Float] = [4, 4, 2, 1, 0.5, 0.5]
  /// The distance from the common motion within which a point follows it, in pixels, and as a share of that motion.
  private static let (tolerance, relativeTolerance): (Float, Float) = (0.3, 0.15)
  /// The minimum share of the texture that follows one motion. Of points it was between rain, snow and water
  /// (0.06…0.45) and cameras that pan and shake (0.55…1) on the tuning half of the drawn scenes.
  private static let minimumCommonShare = 0.5
  /// The share while the camera moves anyway: in quick pans over little texture much of the flow is wrong (0.36…0.48).
  private static let furtherCommonShare = 0.3

  /// The motion that most of the textured points have in common.
  struct CommonMotion {
    /// The share of the texture that follows it, 0…1.
    var ruleResult: RuleResult
    /// The affine map from pixels of the image to those of the next.
    var map: Homography
  }

  /// Returns the affine motion that explains the flow of most textured points, fitted robustly (Odobez & Bouthemy 1995,
  /// doi:10.1006/jvci.1995.1029): a camera moves all of them alike, rain and water do not. Nil where there are too few
  /// of them to tell.
  /// - Parameters:
  ///   - image: Luma on whose grid the flow lies.
  ///   - flow: The flow, of the size of the image, in pixels.
  ///   - isShaking: A Boolean value that tells whether the camera moved of late.
  static func commonMotion(
    of flow: FlowField, on image: Plane<Float>, isShaking: Bool = false
  ) -> CommonMotion? {
    let points = texturedPoints(of: image, flow)
    guard points.count >= minimumCount else { return nil }
    var (u, v) = (SIMD3<Float>.zero, SIMD3<Float>.zero)
    // Key paths are followed at run time.
    (u.x, v.x) = (points.map { $0.motion.x }.median ?? 0, points.map { $0.motion.y }.median ?? 0)
    func distance(_ point: TexturedPoint) -> Float {
      let residual = point.motion - SIMD2((u * point.position).sum(), (v * point.position).sum())
      return residual.length
    }
    for scale in scales {
      var (rows, sums) = (
        (SIMD3<Float>.zero, SIMD3<Float>.zero, SIMD3<Float>.zero), (SIMD3<Float>.zero, SIMD3<Float>.zero)
      )
      for point in points {
        let weighted = Float(biweight(Double(distance(point) / scale))) * point.position
        rows = (rows.0 + weighted, rows.1 + point.position.y * weighted, rows.2 + point.position.z * weighted)
        sums = (sums.0 + point.motion.x * weighted, sums.1 + point.motion.y * weighted)
      }
      guard let (newU, newV) = solution(rows, sums) else { break }
      (u, v) = (newU, newV)
    }
    let limit = max(tolerance, relativeTolerance * SIMD2(u.x, v.x).length)
    let share = share(of: points) { distance($0) < limit }
    return CommonMotion(
      ruleResult: RuleResult(
        .commonMotion, share,
        limit: isShaking ? furtherCommonShare : minimumCommonShare),
      map: map(u, v))
  }

  /// Returns the map of an affine motion of points whose position is counted as in ``TexturedPoint``.
  private static func map(_ u: SIMD3<Float>, _ v: SIMD3<Float>) -> Homography {
    let unit = 2 / Double(MotionParameters.analysisSide)
    let rowX = [1 + Double(u.y) * unit, Double(u.z) * unit, Double(u.x)]
    let rowY = [Double(v.y) * unit, 1 + Double(v.z) * unit, Double(v.x)]
    return Homography([rowX, rowY, [0, 0, 1]].flatMap(\.self))
  }

  /// Returns the solutions of a symmetric system of three equations for two right sides, by Cramer's rule; nil if it
  /// has none.
  private static func solution(
    _ rows: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), _ sides: (SIMD3<Float>, SIMD3<Float>)
  ) -> (SIMD3<Float>, SIMD3<Float>)? {
    let columns = (rows.1.cross(rows.2), rows.2.cross(rows.0), rows.0.cross(rows.1))
    let determinant = (rows.0 * columns.0).sum()
    guard abs(determinant) > 1e-3 else { return nil }
    func solve(_ side: SIMD3<Float>) -> SIMD3<Float> {
      (side.x * columns.0 + side.y * columns.1 + side.z * columns.2) / determinant
    }
    return (solve(sides.0), solve(sides.1))
  }
}

extension SIMD3<Float> {
  fileprivate func cross(_ other: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }
}
