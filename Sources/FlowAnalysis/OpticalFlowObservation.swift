import Imaging

/// The dense flow between two pictures.
public struct OpticalFlowObservation: Sendable {
  /// A vector for every pixel, in pixels of the full-size picture; unknown ones are NaN.
  public let flow: FlowField
  /// Which picture the vectors start from.
  public let direction: OpticalFlowRequest.Direction

  public var size: PixelSize { flow.size }
}
