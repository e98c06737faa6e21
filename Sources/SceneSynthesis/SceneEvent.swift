import Imaging

/// A span of frames in which one object is seen, or is seen to move, before the background.
public struct SceneEvent: Sendable, Hashable {
  /// The visible part of the object in one frame, in whole pixels.
  public struct Box: Sendable, Hashable, Codable {
    /// The number of the frame, from 0.
    public var frame: Int
    /// The leftmost column that shows the object.
    public var x: Int
    /// The uppermost row that shows the object.
    public var y: Int
    /// Columns, 1 or more.
    public var width: Int
    /// Rows, 1 or more.
    public var height: Int
  }

  /// The object's name.
  public var object: String
  /// The first and the last frame of the span.
  public var frames: ClosedRange<Int>
  /// The boxes, one for every frame of ``frames``.
  public var boxes: [Box]
}

extension Scene {
  /// The minimum speed of objects that move, in pixels a frame against the background; slower ones stand still.
  public static let minimumSpeed = 0.05

  /// Returns the spans in which an object is seen to move, sorted by start, then from back to front. The camera's own
  /// motion is no event.
  ///
  /// An object is visible in a frame when it covers the centre of at least one pixel and nothing hides it there.
  /// - Complexity: O(frames · pixels of all objects): keep the result.
  public func events() -> [SceneEvent] { spans(where: Self.moves) }

  /// Returns the spans in which an object that moves at some time is seen, also while it stands still; sorted as
  /// ``events()``.
  ///
  /// - Complexity: As that of ``events()``.
  public func presence() -> [SceneEvent] {
    let poses = (0..<frameCount).map(poses)
    let movers = movers(poses)
    return spans { layer, _, _ in movers.contains(layer) }
  }

  /// Returns the layers of the objects that move at some time.
  func movers(_ poses: [[LayerPose]]) -> [Int] {
    composition.objects.indices.map { $0 + 1 }.filter { layer in
      zip(poses, poses.dropFirst()).contains { Self.moves(layer, $0, $1) }
    }
  }

  /// Returns when which object is visible and meets a condition.
  /// - Parameter condition: Called with the layer, the poses of a frame, and those of the next; at the end, of the one
  ///   before.
  private func spans(
    where condition: (_ layer: Int, _ from: [LayerPose], _ to: [LayerPose]?) -> Bool
  ) -> [SceneEvent] {
    var open: [Int: SceneEvent] = [:]
    var closed: [(layer: Int, event: SceneEvent)] = []
    var previous: [LayerPose]?
    var current = poses(0)
    for t in 0..<frameCount {
      let next = t + 1 < frameCount ? poses(t + 1) : nil
      for index in composition.objects.indices {
        let layer = index + 1
        if condition(layer, current, next ?? previous), let box = Self.visibleBox(of: layer, current, frame: t) {
          let event = SceneEvent(object: composition.objects[index].name, frames: t...t, boxes: [])
          open[layer, default: event].frames = open[layer, default: event].frames.lowerBound...t
          open[layer]?.boxes.append(box)
        } else if let event = open.removeValue(forKey: layer) {
          closed.append((layer, event))
        }
      }
      previous = current
      if let next { current = next }
    }
    closed += open.map { ($0.key, $0.value) }
    return
      closed
      .sorted { ($0.event.frames.lowerBound, $0.layer) < ($1.event.frames.lowerBound, $1.layer) }
      .map(\.event)
  }

  /// Returns whether a layer moves against the background between two frames: its origin or its outline's extent does.
  private static func moves(_ layer: Int, _ from: [LayerPose], _ to: [LayerPose]?) -> Bool {
    guard let to, let extent = from[layer].shape?.extent else { return false }
    return [(0, 0), (extent.x, 0), (0, extent.y)].contains { (x: Float, y: Float) in
      let start = from[layer].toImage.apply(x: Double(x), y: Double(y))
      let end = to[layer].toImage.apply(x: Double(x), y: Double(y))
      let ground = from[0].toOwn.apply(x: start.x, y: start.y)
      let carried = to[0].toImage.apply(x: ground.x, y: ground.y)
      let (dx, dy) = (end.x - carried.x, end.y - carried.y)
      return dx * dx + dy * dy > minimumSpeed * minimumSpeed
    }
  }

  /// The smallest box around the pixels whose centres show a layer; nil when there are none.
  private static func visibleBox(of layer: Int, _ poses: [LayerPose], frame: Int) -> SceneEvent.Box? {
    let pose = poses[layer]
    var (left, right, top, bottom) = (Int.max, Int.min, Int.max, Int.min)
    for y in pose.rows {
      for x in pose.columns {
        let (px, py) = (Double(x), Double(y))
        guard pose.covers(x: px, y: py), !poses[(layer + 1)...].contains(where: { $0.covers(x: px, y: py) })
        else { continue }
        (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
      }
    }
    guard left <= right else { return nil }
    return SceneEvent.Box(frame: frame, x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }
}
