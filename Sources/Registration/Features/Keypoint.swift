// The description of an image after its keypoints were found and described.

import FlowKernels

/// A point that can be found again in another image, with its size and its direction.
struct Keypoint: Sendable, Hashable {
  /// The column of the point, in pixels of the image.
  var x: Float
  var y: Float
  /// The standard deviation of the Gaussian that the point stands out at, in pixels.
  var scale: Float
  /// The main direction of its gradients, a unit vector.
  var cosine: Float
  var sine: Float
  /// The contrast: the absolute difference of Gaussians, in grey levels.
  var response: Float
}

/// Keypoints and their descriptors, in the order in which they were found.
struct FeatureSet: Sendable {
  var keypoints: [Keypoint] = []
  /// `descriptorLength` numbers of each keypoint, with the length 1; rows of zeros up to a multiple of 16 keypoints.
  var descriptors: [Float] = []

  var count: Int { keypoints.count }
  /// `count`, rounded up to whole vectors.
  var paddedCount: Int { (count + 15) / 16 * 16 }

  /// Returns some of the keypoints, in the order given.
  func subset(_ indices: [Int]) -> FeatureSet {
    let length = FeatureKernels.descriptorLength
    var subset = FeatureSet(keypoints: indices.map { keypoints[$0] })
    for index in indices { subset.descriptors += descriptors[index * length..<(index + 1) * length] }
    subset.descriptors += [Float](repeating: 0, count: (subset.paddedCount - subset.count) * length)
    return subset
  }

  /// The descriptors in blocks of 16: element d of descriptor l of a block stands at d·16 + l.
  func interleavedDescriptors() -> [Float] {
    let length = FeatureKernels.descriptorLength
    return [Float](unsafeUninitializedCapacity: descriptors.count) { output, initializedCount in
      for (index, value) in descriptors.enumerated() {
        let (keypoint, element) = (index / length, index % length)
        output[keypoint / 16 * 16 * length + element * 16 + keypoint % 16] = value
      }
      initializedCount = descriptors.count
    }
  }
}
