// One request at work on a sequence of frames of one size.

import Imaging

/// Takes full-size frames and gives observations: the request's geometry around an engine's session.
final class RequestSession {
  let request: OpticalFlowRequest
  private let geometry: AnalysisGeometry
  private let session: any FlowSession
  private let parallelism: Parallelism
  /// What a warm start begins with: the flows of the pair before, as the engine gave them.
  private var lastFlow: (forward: FlowField?, backward: FlowField?)
  private var images: (previous: Plane<Float>?, current: Plane<Float>?)

  init(_ request: OpticalFlowRequest, size: PixelSize, parallelism: Parallelism) throws(AnalysisError) {
    try request.validate()
    self.request = request
    self.parallelism = parallelism
    geometry = AnalysisGeometry(
      size: size, regionOfInterest: request.regionOfInterest, maximumDimension: request.maximumDimension)
    session = try makeSession(for: request.algorithm, parallelism: parallelism)
  }

  var size: PixelSize { geometry.fullSize }

  /// Takes the first frame.
  func start(_ image: Plane<Float>) {
    forgetMotion()
    session.start(take(image))
  }

  /// The next flow starts from zero motion.
  func forgetMotion() { lastFlow = (nil, nil) }

  /// Takes the next frame and observes the motion since the last one.
  func advance(to image: Plane<Float>) -> OpticalFlowObservation {
    session.advance(to: take(image))
    return switch request.direction {
    case .forward:
      OpticalFlowObservation(
        flow: forwardFlow(), direction: .forward, minimumEigenvalue: minimumEigenvalue(of: .previous))
    case .backward:
      OpticalFlowObservation(
        flow: backwardFlow(), direction: .backward, minimumEigenvalue: minimumEigenvalue(of: .current))
    case .both: observeBoth()
    }
  }

  private func observeBoth() -> OpticalFlowObservation {
    var forward = forwardFlow()
    let backward = backwardFlow()
    let check = ForwardBackwardConsistency(of: forward, against: backward, parallelism: parallelism)
    if request.marksInconsistentAsUnknown { forward.forget(where: check.occlusion) }
    return OpticalFlowObservation(
      flow: forward, direction: .both, backwardFlow: backward, confidence: check.confidence,
      occlusion: check.occlusion, minimumEigenvalue: minimumEigenvalue(of: .previous))
  }

  /// That of the frame on whose grid the flow lies, if it is wanted.
  private func minimumEigenvalue(of frame: FlowSessionFrame) -> Plane<Float>? {
    guard request.measuresMinimumEigenvalue else { return nil }
    return session.minimumEigenvalue(of: frame).map { geometry.fullPlane($0, parallelism: parallelism) }
  }

  /// What the engine sees of a frame; kept when a warm start has to be judged.
  private func take(_ image: Plane<Float>) -> Plane<Float> {
    let seen = geometry.analysisImage(image, parallelism: parallelism)
    if request.startsFromLastFlow { images = (images.current, seen) }
    return seen
  }

  private func forwardFlow() -> FlowField {
    let flow = session.forwardFlow(startingFrom: start(lastFlow.forward, from: images.previous, to: images.current))
    if request.startsFromLastFlow { lastFlow.forward = flow }
    return full(flow)
  }

  private func backwardFlow() -> FlowField {
    let flow = session.backwardFlow(startingFrom: start(lastFlow.backward, from: images.current, to: images.previous))
    if request.startsFromLastFlow { lastFlow.backward = flow }
    return full(flow)
  }

  /// The last flow, if it is of use for this pair.
  private func start(_ flow: FlowField?, from first: Plane<Float>?, to second: Plane<Float>?) -> FlowField? {
    guard let flow, let first, let second, flow.isWorthStartingFrom(previous: first, current: second) else {
      return nil
    }
    return flow
  }

  private func full(_ field: FlowField) -> FlowField { geometry.fullField(field, parallelism: parallelism) }
}

extension FlowField {
  /// Makes the vectors unknown where `mask` is not 0.
  fileprivate mutating func forget(where mask: Plane<UInt8>) {
    mask.withView { mask in
      u.withMutableView { u in
        v.withMutableView { v in
          for y in 0..<mask.height {
            let (maskRow, uRow, vRow) = (mask.row(y), u.row(y), v.row(y))
            for x in 0..<mask.width where maskRow[x] != 0 {
              uRow[x] = .nan
              vRow[x] = .nan
            }
          }
        }
      }
    }
  }
}
