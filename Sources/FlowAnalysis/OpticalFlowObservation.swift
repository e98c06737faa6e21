import Imaging

/// The dense flow between two pictures.
public struct OpticalFlowObservation: Sendable {
  /// A vector for every pixel, in pixels of the full-size picture; unknown ones are NaN. Forward flow, unless
  /// `direction` is `backward`.
  public let flow: FlowField
  /// What was asked for.
  public let direction: OpticalFlowRequest.Direction
  /// With direction `both`: the flow from `current` to `previous`, on the grid of `current`.
  public let backwardFlow: FlowField?
  /// With direction `both`: how well the backward flow confirms each vector, 0…1; ½ is the limit of consistency.
  public let confidence: Plane<Float>?
  /// With direction `both`: 255 where the flows contradict each other, as where a pixel is hidden in `current`, or
  /// where it leaves the picture; else 0.
  public let occlusion: Plane<UInt8>?

  init(
    flow: FlowField, direction: OpticalFlowRequest.Direction, backwardFlow: FlowField? = nil,
    confidence: Plane<Float>? = nil, occlusion: Plane<UInt8>? = nil
  ) {
    self.flow = flow
    self.direction = direction
    self.backwardFlow = backwardFlow
    self.confidence = confidence
    self.occlusion = occlusion
  }

  public var size: PixelSize { flow.size }
}
