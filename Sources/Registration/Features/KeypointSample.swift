// A first look at whether two images have anything in common.

import Imaging

/// The strongest keypoints of an image: few enough to compare many images with one another, and enough to tell which
/// of them may overlap.
package struct KeypointSample: Sendable {
  private let features: FeatureSet
  private let maximumRatio: Float

  /// A sample of a quarter of the keypoints is compared in a sixteenth of the time. Chosen by hand.
  private static let share = 4

  /// Takes the strongest keypoints, in the order in which they were found.
  package init(of image: KeypointImage, parameters: FeatureRegistrationParameters = .default) {
    let keypoints = image.features.keypoints
    let order = keypoints.indices.sorted { a, b in
      keypoints[a].response != keypoints[b].response ? keypoints[a].response > keypoints[b].response : a < b
    }
    features = image.features.subset(order.prefix(parameters.maximumFeatures / Self.share).sorted())
    maximumRatio = Float(parameters.distanceRatio)
  }

  /// Returns the number of keypoints that have each other for the nearest, and nothing else nearly as near.
  package func matchCount(with other: KeypointSample, parallelism: Parallelism) -> Int {
    DescriptorMatcher(maximumRatio: maximumRatio)
      .matches(reference: features, floating: other.features, parallelism: parallelism).count
  }
}
