// An image as registration by keypoints sees it.

import Imaging

/// An image with its keypoints: made once, it serves any number of registrations, of which each then takes a fraction
/// of the time and gives the same result.
public struct KeypointImage: Sendable {
  /// Luma, 0…255.
  let plane: Plane<Float>
  let features: FeatureSet
  /// Smoothed as ``PhotometricAgreement`` compares it with images of its own size; nil where nothing is compared.
  private let smoothed: Plane<Float>?
  let standardDeviation: Double

  /// Finds the keypoints of an image.
  /// - Parameters:
  ///   - plane: Luma, 0…255.
  ///   - parameters: The parameters by which keypoints are found.
  ///   - parallelism: The number of threads to use; changes no result.
  public init(
    _ plane: Plane<Float>, parameters: FeatureRegistrationParameters = .default, parallelism: Parallelism = .serial
  ) {
    self.plane = plane
    features = FeatureSet(of: plane, parameters: parameters, parallelism: parallelism)
    smoothed =
      PhotometricAgreement.comparesBlocks(of: plane.size)
      ? ScaleSpace.smooth(plane, sigma: PhotometricAgreement.sigma(plane.size), parallelism: parallelism) : nil
    standardDeviation = plane.standardDeviation
  }

  /// Returns the image, smoothed as one of `size` is; as it is where nothing of that size is compared.
  func smoothed(as size: PixelSize, parallelism: Parallelism) -> Plane<Float> {
    guard PhotometricAgreement.comparesBlocks(of: size) else { return plane }
    let sigma = PhotometricAgreement.sigma(size)
    if let smoothed, sigma == PhotometricAgreement.sigma(plane.size) { return smoothed }
    return ScaleSpace.smooth(plane, sigma: sigma, parallelism: parallelism)
  }
}
