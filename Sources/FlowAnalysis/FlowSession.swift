// Flow requests of one kind at work: the geometry around an engine, and what warm starts begin with.

import Imaging
import OpticalFlow

/// What requests must have in common to share an engine and its prepared frames.
struct FlowSessionKey: Hashable {
  let algorithm: OpticalFlowRequest.Algorithm
  let region: NormalizedRect
  let maximumDimension: Int?
  let size: PixelSize
  /// Only of warm starts: theirs is a past of their own.
  let warmStart: FrameSpacing?

  init(_ request: OpticalFlowRequest, size: PixelSize) {
    algorithm = request.algorithm
    region = request.regionOfInterest
    maximumDimension = request.maximumDimension
    self.size = size
    warmStart = request.startsFromLastFlow ? request.frameSpacing : nil
  }
}

/// Takes full-size frames and gives full-size flow.
final class FlowSession {
  /// How many passes there have been since it was last asked for.
  var idlePasses = 0
  private let geometry: AnalysisGeometry
  private let engine: any FlowEngineMemory
  private let warmStart: FrameSpacing?
  private let parallelism: Parallelism
  /// The flows of this pass, and, for warm starts, those of the pair before, as the engine gave them.
  private var flows: [Direction: FlowField] = [:]
  private var lastFlows: [Direction: FlowField] = [:]
  /// What the engine sees of the frames: kept while a warm start may have to be judged.
  private var images: [Int: Plane<Float>] = [:]

  private struct Direction: Hashable {
    var from: Int
    var to: Int
  }

  init(_ key: FlowSessionKey, parallelism: Parallelism) throws(AnalysisError) {
    geometry = AnalysisGeometry(
      size: key.size, regionOfInterest: key.region, maximumDimension: key.maximumDimension)
    engine = try makeEngineMemory(for: key.algorithm, parallelism: parallelism)
    warmStart = key.warmStart
    self.parallelism = parallelism
  }

  /// The flow from one frame to another, which may be the earlier one.
  func flow(from first: HeldFrame, to second: HeldFrame) -> FlowField {
    geometry.fullField(engineFlow(from: first, to: second), parallelism: parallelism)
  }

  /// The minimum eigenvalue of a frame; nil if the method has none.
  func minimumEigenvalue(of frame: HeldFrame) -> Plane<Float>? {
    prepare(frame)
    return engine.minimumEigenvalue(of: frame.id).map { geometry.fullPlane($0, parallelism: parallelism) }
  }

  /// Lets go of a frame.
  func release(_ frame: Int) {
    engine.release(frame)
    images[frame] = nil
  }

  /// Ends a pass.
  func forgetFlows() {
    if warmStart != nil, !flows.isEmpty { lastFlows = flows }
    flows = [:]
  }

  /// Forgets the flows of a pass that failed.
  func abandonFlows() { flows = [:] }

  /// The next flow starts from zero motion.
  func forgetMotion() { lastFlows = [:] }

  private func engineFlow(from first: HeldFrame, to second: HeldFrame) -> FlowField {
    let direction = Direction(from: first.id, to: second.id)
    if let known = flows[direction] { return known }
    prepare(first)
    prepare(second)
    let flow = engine.flow(from: first.id, to: second.id, startingFrom: start(direction))
    flows[direction] = flow
    return flow
  }

  private func prepare(_ frame: HeldFrame) {
    engine.prepare(frame.id) {
      let image = geometry.analysisImage(frame.image, parallelism: parallelism)
      if warmStart != nil { images[frame.id] = image }
      return image
    }
  }

  /// The flow of the pair before in the same direction, if it is of use for this pair.
  private func start(_ direction: Direction) -> FlowField? {
    guard let warmStart else { return nil }
    let before = Direction(from: direction.from - warmStart.interval, to: direction.to - warmStart.interval)
    guard let flow = lastFlows[before], let previous = images[direction.from], let current = images[direction.to],
      flow.isWorthStartingFrom(previous: previous, current: current)
    else { return nil }
    return flow
  }
}
