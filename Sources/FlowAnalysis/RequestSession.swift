// One request at work on a sequence of frames of one size.

import Imaging

/// Takes full-size frames and gives observations: the request's geometry around an engine's session.
final class RequestSession {
  let request: OpticalFlowRequest
  private let geometry: AnalysisGeometry
  private let session: any FlowSession
  private let parallelism: Parallelism

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
  func start(_ image: Plane<Float>) { session.start(geometry.analysisImage(image, parallelism: parallelism)) }

  /// Takes the next frame and observes the motion since the last one.
  func advance(to image: Plane<Float>) -> OpticalFlowObservation {
    session.advance(to: geometry.analysisImage(image, parallelism: parallelism))
    return switch request.direction {
    case .forward: OpticalFlowObservation(flow: full(session.forwardFlow()), direction: .forward)
    case .backward: OpticalFlowObservation(flow: full(session.backwardFlow()), direction: .backward)
    case .both: observeBoth()
    }
  }

  private func observeBoth() -> OpticalFlowObservation {
    var forward = full(session.forwardFlow())
    let backward = full(session.backwardFlow())
    let check = ForwardBackwardConsistency(of: forward, against: backward, parallelism: parallelism)
    if request.marksInconsistentAsUnknown {
      forward.forget(where: check.occlusion)
    }
    return OpticalFlowObservation(
      flow: forward, direction: .both, backwardFlow: backward, confidence: check.confidence,
      occlusion: check.occlusion)
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
