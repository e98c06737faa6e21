// A camera path out of parts that rest, move steadily or speed up steadily, inside the images' borders.
//
// Unknown is a correction Cₜ for each frame: it maps pixels of the corrected frame to pixels of the frame. With Mₜ from
// frame t to frame t − 1, the corrected image moves from frame to frame by Vₜ = Cₜ₋₁⁻¹·Mₜ·Cₜ. Sought are the
// corrections that make
//
//   ∫ |velocity| dt + α·∫ |acceleration| dt + β²·∫ |jerk| dt + ∫ |correction|² dt / (2·ρ·T)
//
// smallest, over each parameter of the family for itself, where no corner of the image leaves the frame. Sums of
// absolute values are smallest where most of their terms are exactly zero: the image rests, or moves with a constant
// velocity or acceleration, and changes seldom from one to the other. The velocity is Vₜ/Δt with the frames' own times,
// so that a variable rate does no harm.
//
// The method is that of Grundmann, Kwatra & Essa, Auto-directed video stabilization with robust L1 optimal camera
// paths, CVPR 2011, doi:10.1109/CVPR.2011.5995525. Deviations: (1) the last term. Without it the path uses all of the
// room that the borders leave, for little; with it the path follows the camera when that has been away for a while (ℓ1
// trend filtering, Kim et al., SIAM Review 51, 2009, doi:10.1137/070690274). (2) Vₜ is linear in small corrections
// only. The paper multiplies from the left and takes products of corrections and motions as they are; here corrections
// are found in a few rounds, each about the one before, so that turns and shifts that meet do no harm, and only motions
// of neighbours are ever used: nothing adds up over the video. (3) A banded interior-point method of our own (see
// ``AbsoluteValueProgram``) instead of a general solver.
//
// Before its first frame and behind its last one the camera is thought to move on as in that moment. Otherwise a pan
// would cost less without its ends: the image would stand there.
//
// A long path is cut into blocks. Each is solved with the frames ahead of it as far as they are known; what was given
// out before is fixed, and the path goes on from there with its velocity and acceleration.

import Imaging

/// Turns camera motions into corrections, each as soon as its look-ahead is known.
///
/// Memory: the frames within half a window.
public struct PathSmoother: Sendable {
  /// The limits of what the smoother may do.
  public let smoothing: PathSmoothing
  /// The size of the frames, for the limits that their borders set.
  public let size: PixelSize

  private let horizon: Horizon
  private let frame: NormalizedFrame
  private let image: ImageFrame
  private let model: TransformModel
  /// The frames without a final correction, oldest first.
  private var open: [PathNode] = []
  /// The last frames of the same path that have one, three at most: as many as a jerk reaches back.
  private var past: [PathNode] = []
  /// The final corrections that were not given out.
  private var ready: [Homography] = []
  private var isFinished = false

  /// The frames that a block is solved with, and those of them whose corrections are then final.
  private struct Horizon: Sendable {
    var seconds: Double
    var maximumCount: Int
    var finalShare: Double
  }

  /// The look-ahead when whole paths are known: beyond a thousand frames nothing has an influence, and memory ends.
  private static let wholePath = Horizon(seconds: .infinity, maximumCount: 4096, finalShare: 0.75)
  /// The share of the look-ahead whose corrections are final: less would be solved for again and again; chosen by hand.
  private static let finalShare = 0.25
  /// The time over which the motion at the ends of a path is taken, in seconds; chosen by hand.
  private static let endingTime = 0.3
  /// The maximum number of rounds in which corrections are found; chosen by hand.
  private static let maximumRounds = 8
  /// The largest change of a correction, in pixels, after which no further round is worth its time; chosen by hand.
  private static let sufficientStep = 1e-3

  /// A smoother that has seen no frame yet.
  public init(_ smoothing: PathSmoothing, size: PixelSize) {
    self.init(
      smoothing, size: size,
      Horizon(seconds: smoothing.window / 2, maximumCount: Self.wholePath.maximumCount, finalShare: Self.finalShare))
  }

  private init(_ smoothing: PathSmoothing, size: PixelSize, _ horizon: Horizon) {
    self.smoothing = smoothing
    self.size = size
    self.horizon = horizon
    frame = NormalizedFrame(size)
    image = ImageFrame(size)
    model = smoothing.model
  }

  /// Adds the next frame.
  public mutating func append(_ motion: CameraMotion) {
    open.append(
      PathNode(
        seconds: motion.seconds,
        motion: model.increment(model.parameters(of: frame.normalized(motion.warpTransform))),
        startsPath: motion.startsPath || (open.isEmpty && past.isEmpty), isImagined: false,
        theta: [Double](repeating: 0, count: model.degreesOfFreedom)))
  }

  /// Ends the path: no more frames will come.
  public mutating func finish() { isFinished = true }

  /// Returns the correction of the oldest frame without one: pixels of the corrected image to pixels of the frame. Nil
  /// while its look-ahead is not complete, and at the end.
  public mutating func next() -> Homography? {
    if ready.isEmpty { settleBlock() }
    return ready.isEmpty ? nil : ready.removeFirst()
  }

  /// Returns the corrections of a whole path, each found with all frames behind it.
  public static func corrections(
    of motions: [CameraMotion], _ smoothing: PathSmoothing, size: PixelSize
  ) -> [Homography] {
    var smoother = PathSmoother(smoothing, size: size, wholePath)
    for motion in motions { smoother.append(motion) }
    smoother.finish()
    var corrections: [Homography] = []
    corrections.reserveCapacity(motions.count)
    while let correction = smoother.next() { corrections.append(correction) }
    return corrections
  }

  // MARK: Steps

  /// Finds the corrections of the oldest open frames, where their look-ahead is complete.
  private mutating func settleBlock() {
    guard let oldest = open.first else { return }
    if oldest.startsPath { past = [] }
    var count = 1
    // Times are sums of rounded numbers: a frame at the very end of the look-ahead belongs to it.
    let end = oldest.seconds + horizon.seconds + 1e-6
    while count < open.count, !open[count].startsPath, open[count].seconds <= end, count < horizon.maximumCount {
      count += 1
    }
    guard isFinished || count < open.count else { return }
    let endsPath = count == open.count || open[count].startsPath
    if smoothing.isFixedView || smoothing.window > 0, model > .identity, !hasNoRoom { solve(count, endsPath: endsPath) }
    let finalCount = endsPath ? count : max(1, Int(horizon.finalShare * Double(count)))
    for index in 0..<finalCount { limit(&open[index]) }
    let nodes = open.prefix(finalCount)
    ready = nodes.map { isStill($0) ? .identity : correction($0) }
    past = Array((past + nodes).suffix(3))
    open.removeFirst(finalCount)
  }

  /// A Boolean value that tells whether the borders allow no correction at all.
  private var hasNoRoom: Bool { smoothing.zoomLimit.map { $0 <= 1 } ?? false }

  private func correction(_ node: PathNode) -> Homography { frame.inPixels(model.increment(node.theta)).normalized }

  /// Returns whether a correction moves nothing that could be seen: such frames are not sampled anew.
  private func isStill(_ node: PathNode) -> Bool { node.theta.allSatisfy { abs($0) * frame.scale < 1e-3 } }

  /// Solves for the first `count` open frames.
  private mutating func solve(_ count: Int, endsPath: Bool) {
    let sides = model.degreesOfFreedom
    let known = Array(open.prefix(count))
    let lead = past.isEmpty ? Array(continuation(of: known.reversed()).reversed()) : []
    var nodes = past + lead + known + (endsPath ? continuation(of: past + known) : [])
    // The first frame has no motion of its own: that of the imagined ones before it goes on into it.
    if let motion = lead.last?.motion { nodes[lead.count].motion = motion }
    for _ in 0..<Self.maximumRounds {
      let program = PathProgram(nodes, fixedCount: past.count, smoothing, frame: frame, image: image).program
      let theta = program.solved().unknowns
      var change = 0.0
      for k in 0..<nodes.count - past.count {
        let found = Array(theta[k * sides..<(k + 1) * sides])
        change = zip(found, nodes[past.count + k].theta).reduce(change) { max($0, abs($1.0 - $1.1)) }
        nodes[past.count + k].theta = found
      }
      if change * frame.scale < Self.sufficientStep { break }
    }
    let first = past.count + lead.count
    open.replaceSubrange(..<count, with: nodes[first..<first + count])
  }

  /// Returns frames that go on as `nodes` end, for half a window or as many as a block may have; their times run
  /// backwards where those of `nodes` do.
  private func continuation(of nodes: [PathNode]) -> [PathNode] {
    guard !smoothing.isFixedView, let last = nodes.last, nodes.count > 1 else { return [] }
    let first = nodes.dropLast().lastIndex { abs($0.seconds - last.seconds) > Self.endingTime } ?? 0
    let seconds = last.seconds - nodes[first].seconds
    guard seconds != 0 else { return [] }
    // A motion belongs to the later one of its two frames.
    let motions = seconds > 0 ? nodes[(first + 1)...] : nodes[first..<nodes.count - 1]
    var velocity = [Double](repeating: 0, count: model.degreesOfFreedom)
    for node in motions {
      for (side, value) in model.parameters(of: node.motion).enumerated() { velocity[side] += value / abs(seconds) }
    }
    let interval = seconds / Double(nodes.count - 1 - first)
    // Times that a file tells may be any distance apart.
    let count = min(smoothing.window / 2 / abs(interval), Double(horizon.maximumCount))
    return (1...max(1, Int(saturating: count))).map { step in
      PathNode(
        seconds: last.seconds + Double(step) * interval, motion: model.increment(velocity.map { $0 * abs(interval) }),
        startsPath: false, isImagined: true, theta: [Double](repeating: 0, count: model.degreesOfFreedom))
    }
  }

  /// Cuts a correction off where it would show what lies outside: by what the last round left.
  private func limit(_ node: inout PathNode) {
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
