import Imaging

/// A box around what another program found in a frame.
public struct DetectedBox: Sendable, Hashable, Codable {
  /// The box, in pixels.
  public var box: BoundingBox
  /// How sure the program is, on any scale: more is surer.
  public var confidence: Double

  /// A box, with how sure the program that found it is.
  public init(box: BoundingBox, confidence: Double = 1) {
    self.box = box
    self.confidence = confidence
  }
}
