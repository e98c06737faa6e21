// Flow requests of one kind at work: the geometry around an engine, and what warm starts begin with.

import Imaging
import OpticalFlow

/// The properties that requests must have in common to share an engine and its prepared frames.
struct FlowSessionKey: Hashable {
  let algorithm: OpticalFlowRequest.Algorithm
  let region: NormalizedRect
  let maximumDimension: Int?
  let size: PixelSize
  /// The frame spacing of a warm start, which has a past of its own; nil for other requests.
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
  /// The number of passes since the session was last asked for.
  var idlePasses = 0
  private let geometry: AnalysisGeometry
  private let engine: any FlowEngineMemory
  private let warmStart: FrameSpacing?
  private let parallelism: Parallelism
  /// The flows of this pass, as the engine gave them.
  private var flows: [Direction: FlowField] = [:]
  /// The flows of the pair before, as the engine gave them, for warm starts.
  private var lastFlows: [Direction: FlowField] = [:]
  /// The images that the engine sees of the frames, kept while a warm start may have to be judged.
  private var images: [Int: Plane<Float>] = [:]
  /// The frames as confidence sees them; they are there once confidence was asked for.
  private var confidenceImages: [Int: PaddedPlane] = [:]
  /// The estimator of confidence, made when it is first asked for.
  private lazy var confidence = FlowConfidence(size: geometry.fullSize, parallelism: parallelism)

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

  /// Makes a frame known to the session; once it is, nothing happens.
  func prepare(_ frame: CachedFrame) {
    engine.prepare(frame.id) {
      let image = geometry.analysisImage(frame.image, parallelism: parallelism)
      if warmStart != nil { images[frame.id] = image }
      return image
    }
  }

  /// Prepares an image for sessions of the same key on any thread, in the memory of `spare`.
  func prepared(_ image: Plane<Float>, reusing spare: PreparedImage?) -> PreparedImage {
    engine.prepared(geometry.analysisImage(image, parallelism: parallelism), reusing: spare)
  }

  /// Makes a frame known for ``confidence(of:from:to:)``; once it is, nothing happens.
  func prepareConfidence(_ frame: CachedFrame) {
    if confidenceImages[frame.id] == nil { confidenceImages[frame.id] = confidence.reduced(frame.image) }
  }

  /// Returns what confidence needs of an image, for sessions of the same key on any thread.
  func confidenceImage(of image: Plane<Float>) -> PaddedPlane { confidence.reduced(image) }

  /// Makes frames known under their indices in the list that a session of the same key prepared, for as long as `body`
  /// runs.
  func withPrepared<Result>(_ frames: [PreparedFrame], _ body: () -> Result) -> Result {
    for (id, frame) in frames.enumerated() {
      engine.adopt(frame.image, as: id)
      confidenceImages[id] = frame.confidenceImage
    }
    defer {
      for id in frames.indices {
        engine.disown(id)
        confidenceImages[id] = nil
      }
      forgetFlows()
    }
    return body()
  }

  /// The flow from one prepared frame to another, which may be the earlier one.
  func flow(from first: FrameLabel, to second: FrameLabel) -> FlowField {
    geometry.fullField(engineFlow(from: first.id, to: second.id), parallelism: parallelism)
  }

  /// Returns how far the vectors of a full-size flow can be trusted, between two frames that were prepared for it.
  func confidence(of flow: FlowField, from first: FrameLabel, to second: FrameLabel) -> Plane<Float>? {
    guard let image = confidenceImages[first.id], let other = confidenceImages[second.id] else { return nil }
    return confidence.confidence(of: flow, from: image, to: other)
  }

  /// The minimum eigenvalue of a prepared frame; nil if the method has none.
  func minimumEigenvalue(of frame: FrameLabel) -> Plane<Float>? {
    engine.minimumEigenvalue(of: frame.id).map { geometry.fullPlane($0, parallelism: parallelism) }
  }

  /// Lets go of a frame.
  func release(_ frame: Int) {
    engine.release(frame)
    images[frame] = nil
    confidenceImages[frame] = nil
  }

  /// Ends a pass.
  func forgetFlows() {
    if warmStart != nil, !flows.isEmpty { lastFlows = flows }
    flows = [:]
  }

  /// Forgets the flows of a pass that failed.
  func abandonFlows() { flows = [:] }

  /// Lets the next flow start from zero motion.
  func forgetMotion() { lastFlows = [:] }

  private func engineFlow(from first: Int, to second: Int) -> FlowField {
    let direction = Direction(from: first, to: second)
    if let known = flows[direction] { return known }
    let flow = engine.flow(from: first, to: second, startingFrom: start(direction))
    flows[direction] = flow
    return flow
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
