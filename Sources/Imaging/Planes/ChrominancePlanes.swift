// The colour of an image beside its luma.

/// The two colour differences of an image, Cb and Cr.
///
/// Each covers the whole image, at any resolution: video mostly stores one sample for two by two pixels.
public struct ChrominancePlanes: Sendable {
  /// Cb: blue less luma, 0…255; 128 is grey.
  public var blueDifference: Plane<Float>
  /// Cr: red less luma, 0…255; 128 is grey. Of the size of ``blueDifference``.
  public var redDifference: Plane<Float>

  /// Both planes must be of one size.
  public init(blueDifference: Plane<Float>, redDifference: Plane<Float>) {
    precondition(
      blueDifference.size == redDifference.size, "planes of \(blueDifference.size) and \(redDifference.size)")
    self.blueDifference = blueDifference
    self.redDifference = redDifference
  }
}
