// The exported parts of a pair of frames.

import FlowAnalysis
import Imaging

/// A kind of plane that an export writes for each pair.
enum ExportedQuantity: String, Sendable, CaseIterable {
  case forwardFlow = "forward flow"
  case backwardFlow = "backward flow"
  case confidence = "confidence"
  case backwardConfidence = "confidence of the backward flow"

  /// Returns the quantities that belong to a direction, in the order of writing.
  static func all(of direction: OpticalFlowRequest.Direction, withConfidence: Bool) -> [ExportedQuantity] {
    switch direction {
    case .forward: withConfidence ? [.forwardFlow, .confidence] : [.forwardFlow]
    case .backward: withConfidence ? [.backwardFlow, .backwardConfidence] : [.backwardFlow]
    case .both:
      withConfidence ? [.forwardFlow, .backwardFlow, .confidence, .backwardConfidence] : [.forwardFlow, .backwardFlow]
    }
  }

  /// Returns the beginning of the files' names. That of a flow is always `frame`; only beside a forward flow is it
  /// `backward` for the backward one.
  func prefix(in direction: OpticalFlowRequest.Direction) -> String {
    switch self {
    case .forwardFlow: "frame"
    case .backwardFlow: direction == .both ? "backward" : "frame"
    case .confidence: "confidence"
    case .backwardConfidence: direction == .both ? "backward_confidence" : "confidence"
    }
  }

  /// Returns the beginning of the files' names for pairs of images, which are known by names like `flow_x_000001.png`.
  func imagePrefix(in direction: OpticalFlowRequest.Direction) -> String {
    self == .backwardFlow && direction == .both ? "backward_flow" : "flow"
  }

  /// All prefixes that any export uses.
  static let prefixes =
    ["frame", "backward", "confidence", "backward_confidence"]
    + ["flow", "backward_flow"].flatMap { [$0, $0 + "_x", $0 + "_y"] }
}

/// The planes of a pair, on their way to the disk.
struct ExportedPair: Sendable {
  enum Contents: Sendable {
    case flow(FlowField)
    case plane(Plane<Float>)

    /// Returns the means over square cells with sides of `side` pixels.
    func reduced(toCellsOf side: Int) -> Contents {
      switch self {
      case .flow(let flow): .flow(FlowSummary(of: flow, cellSize: side).mean)
      case .plane(let plane): .plane(plane.mean(inCellsOf: side))
      }
    }
  }

  /// The number of the pair: that of its first frame, counted from 1.
  var number: Int { previous.frame + 1 }
  let previous: PairRecord.Frame
  let current: PairRecord.Frame
  /// The camera's motion that was taken out of the flow: the map from pixels of `current` to pixels of `previous`; nil
  /// for nothing.
  let cameraMotion: Homography?
  let contents: [(quantity: ExportedQuantity, contents: Contents)]

  init(
    previous: PairRecord.Frame, current: PairRecord.Frame, observation: OpticalFlowObservation,
    cameraMotion: Homography?, quantities: [ExportedQuantity], cellSize: Int?,
    parallelism: Parallelism
  ) {
    let found = observation
    let observation = found.subtracting(cameraMotion: cameraMotion ?? .identity, parallelism: parallelism)
    self.previous = previous
    self.current = current
    self.cameraMotion = cameraMotion
    contents = quantities.compactMap { quantity in
      let contents: Contents? =
        switch quantity {
        case .forwardFlow: .flow(observation.flow)
        case .backwardFlow: .flow(observation.backwardFlow ?? observation.flow)
        case .confidence: observation.confidence.map { .plane($0) }
        case .backwardConfidence: found.backwardConfidence(parallelism: parallelism).map { .plane($0) }
        }
      return contents.map { (quantity, cellSize.map($0.reduced(toCellsOf:)) ?? $0) }
    }
  }
}
