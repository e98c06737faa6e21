import Imaging

/// An object that moves at some time, through all frames that it is in: the truth for trackers.
public struct SceneTrack: Sendable, Hashable, Codable {
  /// The box of an object in one frame, in whole pixels.
  public struct Box: Sendable, Hashable, Codable {
    /// The number of the frame, from 0.
    public var frame: Int
    /// The leftmost column that the object covers, also where something hides it.
    public var x: Int
    /// The uppermost row that the object covers.
    public var y: Int
    /// Columns, 1 or more.
    public var width: Int
    /// Rows, 1 or more.
    public var height: Int
    /// The share of the object's pixels within the image that nothing hides, 0…1.
    public var visibility: Double
  }

  /// The number of the object in its scene, from 1.
  public var identity: Int
  /// The object's name.
  public var object: String
  /// The boxes of all frames that hold a part of the object, hidden or not, in order.
  public var boxes: [Box]
}

extension Scene {
  /// Returns the track of each object that moves at some time, sorted by identity. An object keeps its number while it
  /// is hidden.
  /// - Complexity: O(frames · pixels of all objects): keep the result.
  public func tracks() -> [SceneTrack] {
    let poses = (0..<frameCount).map(poses)
    return movers(poses).compactMap { layer in
      let boxes = poses.enumerated().compactMap { frame, poses in Self.wholeBox(of: layer, poses, frame: frame) }
      guard !boxes.isEmpty else { return nil }
      return SceneTrack(identity: layer, object: composition.objects[layer - 1].name, boxes: boxes)
    }
  }

  /// The smallest box around the pixels whose centres a layer covers, hidden or not; nil when there are none.
  private static func wholeBox(of layer: Int, _ poses: [LayerPose], frame: Int) -> SceneTrack.Box? {
    let pose = poses[layer]
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    var (covered, visible) = (0, 0)
    for y in pose.rows {
      for x in pose.columns {
        let (px, py) = (Double(x), Double(y))
        guard pose.covers(x: px, y: py) else { continue }
        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
        covered += 1
        if !poses[(layer + 1)...].contains(where: { $0.covers(x: px, y: py) }) { visible += 1 }
      }
    }
    guard covered > 0 else { return nil }
    return SceneTrack.Box(
      frame: frame, x: left, y: top, width: right - left + 1, height: bottom - top + 1,
      visibility: Double(visible) / Double(covered))
  }
}

extension SceneTruth {
  /// The tracks as MOT Challenge has its truth (Milan et al., "MOT16", 2016, arXiv:1603.00831): lines
  /// `frame,identity,left,top,width,height,1,1,visibility`, which count frames and pixels from 1, sorted by frame, then
  /// by identity; nil without tracks.
  public var motText: String? {
    guard let tracks else { return nil }
    let boxes = tracks.flatMap { track in track.boxes.map { (identity: track.identity, box: $0) } }
      .sorted { ($0.box.frame, $0.identity) < ($1.box.frame, $1.identity) }
    return boxes.map { identity, box in
      let visibility = (box.visibility * 1000).rounded() / 1000
      return "\(box.frame + 1),\(identity),\(box.x + 1),\(box.y + 1),\(box.width),\(box.height),1,1,\(visibility)\n"
    }.joined()
  }
}
