// A camera path, evened out while it is still being recorded.
//
// Unknown is a correction Cₜ for each frame: it maps pixels of the corrected frame to pixels of the frame. With Mₜ from
// frame t to frame t − 1, the corrected image moves from frame to frame by Vₜ = Cₜ₋₁⁻¹·Mₜ·Cₜ. Sought are the
// corrections that make
//
//   ω⁻⁴ · ∫ |acceleration|² dt + ∫ |correction|² dt
//
// smallest, where the acceleration is the change of Vₜ/Δt over time: times are those of the frames, so that a variable
// rate does no harm. Without limits that is a low-pass filter of the path with the response 1 / (1 + (f/f₀)⁴), without
// delay; ω = 2πf₀. A camera that moves steadily stays as it is.
//
// For each frame the problem is solved over the frames within half a window ahead. What was given out before is fixed and
// the path goes on from there with its velocity. As Vₜ is linear in small corrections only, a few steps of Gauß and
// Newton are taken, each a banded system, from the solution of the frame before. Rather than adding up the camera's
// motion over the whole video, only motions of neighbours are ever used: nothing drifts, and a turn or zoom in the path
// does not spoil the next seconds.
//
// Where a path ends, the camera is thought to go on as in the last moment: without frames ahead nothing would hold the
// corrected image to the path's own velocity there, and it would run on when the camera has come to rest.
//
// An image's border is a limit on Cₜ. A frame whose correction goes too far gets a larger weight of its own in the second
// integral, and again until it fits; what remains is cut off.
//
// Related: Grundmann et al., Auto-directed video stabilization with robust L1 optimal camera paths, CVPR 2011, which
// minimises sums of absolute values instead: segments without any acceleration, at the price of a linear program and of
// corners between the segments that depend on the look-ahead.

import Imaging

/// Turns camera motions into corrections, each as soon as its look-ahead is known.
///
/// Memory: the frames within half a window.
public struct PathSmoother: Sendable {
  /// The limits of what the smoother may do.
  public let smoothing: PathSmoothing
  /// The size of the frames, for the limits that their borders set.
  public let size: PixelSize

  private struct Node {
    var seconds: Double
    /// In normalised coordinates.
    var motion: Homography
    var startsPath: Bool
    /// Parameters of the correction.
    var theta: [Double]
    /// The factor by which the correction costs more than usual.
    var weight = 1.0
  }

  private let frame: NormalizedFrame
  private let image: ImageFrame
  private let model: TransformModel
  /// Frames without a final correction, oldest first.
  private var open: [Node] = []
  /// The last two frames of the same path that have one.
  private var past: [Node] = []
  /// Frames that are thought to follow the last one of a path; empty while the path goes on.
  private var continuation: [Node] = []
  private var isFinished = false

  /// In a look-ahead of half a window a correction's influence falls to e^−3.
  private static let decay = 3.0
  /// The time over which the motion at the end of a path is taken, in seconds.
  private static let endingTime = 0.3
  /// The number of rounds at most; each improves the corrections, then tightens what lets the border be seen.
  private static let maximumRounds = 12

  /// A smoother that has seen no frame yet.
  public init(_ smoothing: PathSmoothing, size: PixelSize) {
    self.smoothing = smoothing
    self.size = size
    frame = NormalizedFrame(size)
    image = ImageFrame(size)
    model = smoothing.model
  }

  /// Adds the next frame.
  public mutating func append(_ motion: CameraMotion) {
    let theta = [Double](repeating: 0, count: model.degreesOfFreedom)
    open.append(
      Node(
        seconds: motion.seconds,
        motion: model.increment(model.parameters(of: frame.normalized(motion.warpTransform))),
        startsPath: motion.startsPath || (open.isEmpty && past.isEmpty), theta: theta))
  }

  /// No more frames will come.
  public mutating func finish() { isFinished = true }

  /// The correction of the oldest frame without one: pixels of the corrected image to pixels of the frame. Nil while
  /// its look-ahead is not complete, and at the end.
  public mutating func next() -> Homography? {
    guard let oldest = open.first else { return nil }
    if oldest.startsPath { (past, continuation) = ([], []) }
    var count = 1
    // Times are sums of rounded numbers: a frame at the very end of the look-ahead belongs to it.
    let end = oldest.seconds + smoothing.window / 2 + 1e-6
    while count < open.count, !open[count].startsPath, open[count].seconds <= end { count += 1 }
    guard isFinished || count < open.count else { return nil }
    let endsPath = count == open.count || open[count].startsPath
    if endsPath, continuation.isEmpty { continuation = continuation(of: past + open.prefix(count)) }
    let expected = endsPath ? continuation.prefix { $0.seconds <= end }.count : 0
    if smoothing.window > 0, model > .identity { solve(count, expected) }
    var node = open.removeFirst()
    limit(&node)
    past = past.suffix(1) + [node]
    return isStill(node) ? .identity : correction(node)
  }

  /// Corrections of a whole path.
  public static func corrections(
    of motions: [CameraMotion], _ smoothing: PathSmoothing, size: PixelSize
  ) -> [Homography] {
    var smoother = PathSmoother(smoothing, size: size)
    for motion in motions { smoother.append(motion) }
    smoother.finish()
    var corrections: [Homography] = []
    while let correction = smoother.next() { corrections.append(correction) }
    return corrections
  }

  // MARK: Steps

  private func correction(_ node: Node) -> Homography { frame.inPixels(model.increment(node.theta)).normalized }

  /// Returns whether a correction moves nothing that could be seen: such frames are not sampled anew.
  private func isStill(_ node: Node) -> Bool { node.theta.allSatisfy { abs($0) * frame.scale < 1e-3 } }

  /// Returns frames that go on as a path ends, for half a window.
  private func continuation(of nodes: [Node]) -> [Node] {
    guard let last = nodes.last, nodes.count > 1 else { return [] }
    let first = nodes.dropLast().lastIndex { $0.seconds < last.seconds - Self.endingTime } ?? 0
    let seconds = last.seconds - nodes[first].seconds
    guard seconds > 0 else { return [] }
    var velocity = [Double](repeating: 0, count: model.degreesOfFreedom)
    for node in nodes[(first + 1)...] {
      for (side, value) in model.parameters(of: node.motion).enumerated() { velocity[side] += value / seconds }
    }
    let interval = seconds / Double(nodes.count - 1 - first)
    return (1...max(1, Int(smoothing.window / 2 / interval))).map { place in
      var node = last
      node.seconds += Double(place) * interval
      node.motion = model.increment(velocity.map { $0 * interval })
      (node.startsPath, node.weight) = (false, 1)
      return node
    }
  }

  /// Solves for the first `count` open frames, and as many as are `expected` behind them.
  private mutating func solve(_ count: Int, _ expected: Int) {
    // What the last look-ahead had to hold back may be free again.
    for index in 0..<count { open[index].weight = max(1, open[index].weight / 2) }
    for round in 0..<Self.maximumRounds {
      let step = improve(count, expected)
      let grew = tighten(count)
      if round > 0, !grew, step * frame.scale < 1e-3 { return }
    }
  }

  /// One step for all of them. Returns the largest change of a parameter.
  private mutating func improve(_ count: Int, _ expected: Int) -> Double {
    let nodes = past + open.prefix(count) + continuation.prefix(expected)
    let fixed = past.count
    let velocities = self.velocities(nodes)
    var system = BandedSystem(count: count + expected, sides: model.degreesOfFreedom)
    let omega = 2 * Self.decay * 2.0.squareRoot() / smoothing.window
    let stiffness = 1 / (omega * omega * omega * omega)
    for k in 1..<max(nodes.count - 1, 1) where k + 1 >= fixed {
      let (h0, h1) = (interval(nodes, k), interval(nodes, k + 1))
      let (v0, v1) = (velocities[k - 1], velocities[k])
      system.add(
        weight: 2 * stiffness / (h0 + h1), start: k - 1 - fixed, coefficients: [1 / h0, -1 / h0 - 1 / h1, 1 / h1],
        targets: zip(v0, v1).map { $0 / h0 - $1 / h1 })
    }
    for (k, node) in nodes[fixed...].enumerated() {
      let h = nodes.count > 1 ? interval(nodes, max(1, k + fixed)) : 1
      system.add(weight: h * node.weight, start: k, coefficients: [1], targets: node.theta.map { -$0 })
    }
    let steps = system.solved()
    let sides = model.degreesOfFreedom
    for k in 0..<count {
      for side in 0..<sides { open[k].theta[side] += steps[k * sides + side] }
    }
    for k in 0..<expected {
      for side in 0..<sides { continuation[k].theta[side] += steps[(count + k) * sides + side] }
    }
    return steps.reduce(0) { max($0, abs($1)) }
  }

  private func interval(_ nodes: [Node], _ k: Int) -> Double { max(nodes[k].seconds - nodes[k - 1].seconds, 1e-6) }

  /// Returns the motions of the corrected image from frame k to frame k + 1, as parameters.
  private func velocities(_ nodes: [Node]) -> [[Double]] {
    let corrections = nodes.map { model.increment($0.theta) }
    return nodes.indices.dropFirst().map { k in
      let back = corrections[k - 1].inverse ?? .identity
      return model.parameters(of: back * nodes[k].motion * corrections[k])
    }
  }

  /// Makes corrections that go too far more expensive. Returns whether there were any.
  private mutating func tighten(_ count: Int) -> Bool {
    guard let zoom = smoothing.zoomLimit else { return false }
    var found = false
    for k in 0..<count {
      let share = image.usedShare(correction(open[k]), zoom: zoom)
      guard share > 1 else { continue }
      open[k].weight *= min(max(share * share, 1.3), 100)
      found = true
    }
    return found
  }

  /// Cuts a correction off where it would show what lies outside.
  private func limit(_ node: inout Node) {
    guard let zoom = smoothing.zoomLimit, !image.covers(correction(node), zoom: zoom) else { return }
    var (low, high) = (0.0, 1.0)
    let whole = node.theta
    for _ in 0..<30 {
      let middle = (low + high) / 2
      node.theta = whole.map { $0 * middle }
      if image.covers(correction(node), zoom: zoom) { low = middle } else { high = middle }
    }
    node.theta = whole.map { $0 * low }
  }
}
