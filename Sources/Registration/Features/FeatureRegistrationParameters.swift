/// Parameters of the registration by features. Values outside the ranges are the caller's mistake and end the program.
public struct FeatureRegistrationParameters: Sendable, Hashable {
  /// The maximum number of keypoints that are described in an image, 16…20 000. Time for matching grows with the
  /// square.
  public let maximumFeatures: Int
  /// The minimum contrast of a keypoint, in parts of the standard deviation of the image, 0.001…1.
  public let contrast: Double
  /// The maximum ratio of the best descriptor's distance to the second-best one's, 0.1…1: how much farther the latter
  /// must be.
  public let distanceRatio: Double
  /// The maximum distance of a matched keypoint from where the map puts it, in pixels of an image whose diagonal is
  /// 1000 pixels (in proportion otherwise), 0.5…50.
  public let tolerance: Double
  /// The maximum number of random samples that are tried, 0…1 000 000.
  public let sampleCount: Int
  /// The seed of the random numbers.
  public let seed: UInt64
  /// A Boolean value that tells whether images that do not match are tried again as seen from the side: four times the
  /// time, then.
  public let simulatesViews: Bool
  /// The confidence below which a simpler family of maps is tried, 0…1.
  public let minimumConfidence: Double

  /// Ends the program for values out of the ranges that the properties name.
  public init(
    maximumFeatures: Int = 2500, contrast: Double = 0.02, distanceRatio: Double = 0.85, tolerance: Double = 4,
    sampleCount: Int = 4000, seed: UInt64 = 1, simulatesViews: Bool = true,
    minimumConfidence: Double = 0.5
  ) {
    precondition((16...20_000).contains(maximumFeatures), "\(maximumFeatures) features")
    precondition((0.001...1).contains(contrast), "contrast \(contrast)")
    precondition((0.1...1).contains(distanceRatio), "distance ratio \(distanceRatio)")
    precondition((0.5...50).contains(tolerance), "tolerance \(tolerance)")
    precondition((0...1_000_000).contains(sampleCount), "\(sampleCount) samples")
    precondition((0...1).contains(minimumConfidence), "confidence \(minimumConfidence)")
    self.maximumFeatures = maximumFeatures
    self.contrast = contrast
    self.distanceRatio = distanceRatio
    self.tolerance = tolerance
    self.sampleCount = sampleCount
    self.seed = seed
    self.simulatesViews = simulatesViews
    self.minimumConfidence = minimumConfidence
  }

  /// The parameters that registration requests use.
  public static let `default` = FeatureRegistrationParameters()
}
