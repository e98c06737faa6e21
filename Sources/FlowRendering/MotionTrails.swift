// The paths of what moved, up to a frame.

import Imaging

/// The path of something that moved, as far as it is remembered.
package struct MotionTrail: Sendable, Hashable {
  /// The positions in pixels of the frame that is drawn, the last one last.
  package fileprivate(set) var points: [SIMD2<Float>]
  /// The times of the positions, in seconds; that of the last one is missing until its frame comes.
  fileprivate var times: [Double]
  /// A Boolean value that tells whether the path goes on.
  fileprivate var isAlive = true
}

/// Follows what moves along the flow of a stream's frames: each cell of a grid in which something moves has one path.
///
/// A path goes on while its end moves and the flow is trusted; what was left behind stays until it is
/// ``seconds`` old. The memory is bounded by the size of the frames. Used in the order of the frames.
package struct MotionTrails: Sendable {
  private let size: PixelSize
  private let cell: Int
  private var trails: [MotionTrail] = []

  /// The age up to which positions show, in seconds.
  static let seconds = 1.0
  /// Motion up to this length, in pixels per frame, is none: noise of estimators on real video.
  static let stillLength: Float = 0.5
  /// The confidence from which a vector is followed: below it tends to be wrong.
  static let minimumConfidence: Float = 0.5
  /// The number of paths along the side of a square of the image's area.
  private static let cellCount = 40.0
  /// The smallest side of a path's cell, in pixels.
  private static let minimumCellSize = 12
  /// The number of positions of a path; those of faster streams are forgotten earlier.
  private static let maximumPathLength = 120

  /// Makes paths for frames of `size`: none yet.
  package init(size: PixelSize) {
    self.size = size
    cell = max(Self.minimumCellSize, Int((Double(size.area).squareRoot() / Self.cellCount).rounded()))
  }

  /// Forgets all paths: another scene begins.
  package mutating func startScene() { trails = [] }

  /// Takes the next frame.
  /// - Parameters:
  ///   - time: When the frame shows, in seconds.
  ///   - flow: The flow from the frame to the next one, less the camera's motion; nil without one.
  ///   - confidence: The trust in the flow, 0…1; nil: full trust.
  ///   - camera: The map from pixels of the frame to pixels of the next one that the camera makes.
  /// - Returns: The paths up to the frame.
  package mutating func advance(
    at time: Double, flow: FlowField?, confidence: Plane<Float>?, camera: Homography
  ) -> [MotionTrail] {
    var trails = trails
    for index in trails.indices {
      trails[index].arrive(at: time, keeping: Self.maximumPathLength, since: time - Self.seconds)
    }
    trails.removeAll { $0.points.isEmpty }
    let shown = trails.filter { $0.points.count > 1 }
    let columns = (size.width + cell - 1) / cell
    var isTaken = [Bool](repeating: false, count: columns * ((size.height + cell - 1) / cell))
    func follow(_ trail: inout MotionTrail) {
      let end = trail.points[trail.points.count - 1]
      let step = trail.isAlive ? flow.flatMap { self.step(from: end, $0, confidence) } : nil
      trail.points = trail.points.map { $0.moved(by: camera) }
      trail.isAlive = false
      guard let step else { return }
      // Of paths that run together the oldest goes on.
      let index = Int(end.y) / cell * columns + Int(end.x) / cell
      guard !isTaken[index] else { return }
      (isTaken[index], trail.isAlive) = (true, true)
      trail.points.append(end.moved(by: camera) + step)
    }
    for index in trails.indices { follow(&trails[index]) }
    for y in stride(from: cell / 2, to: size.height, by: cell) {
      for x in stride(from: cell / 2, to: size.width, by: cell) where !isTaken[y / cell * columns + x / cell] {
        var trail = MotionTrail(points: [SIMD2(Float(x), Float(y))], times: [time])
        follow(&trail)
        if trail.isAlive { trails.append(trail) }
      }
    }
    self.trails = trails
    return shown
  }

  /// The vector at a position; nil where nothing moves, or where it is not trusted.
  private func step(from point: SIMD2<Float>, _ flow: FlowField, _ confidence: Plane<Float>?) -> SIMD2<Float>? {
    let (x, y) = (Int(point.x.rounded()), Int(point.y.rounded()))
    guard size.contains(x: x, y: y) else { return nil }
    let (u, v) = flow[x, y]
    guard u * u + v * v >= Self.stillLength * Self.stillLength, abs(u) + abs(v) < 1e9,
      confidence.map({ $0[x, y] >= Self.minimumConfidence }) ?? true
    else { return nil }
    return SIMD2(u, v)
  }
}

extension MotionTrail {
  /// Takes note that the frame has come in which the path ends, and forgets what is old.
  fileprivate mutating func arrive(at time: Double, keeping count: Int, since start: Double) {
    if isAlive { times.append(time) }
    let old = max(times.prefix { $0 < start }.count, times.count - count)
    points.removeFirst(old)
    times.removeFirst(old)
  }
}

extension SIMD2<Float> {
  fileprivate func moved(by map: Homography) -> SIMD2<Float> {
    map == .identity ? self : SIMD2<Float>(map.apply(SIMD2<Double>(self)))
  }
}
