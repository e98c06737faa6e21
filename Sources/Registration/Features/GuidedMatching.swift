// Matches that appear once the map is roughly known.

import FlowKernels
import Imaging

/// Looks for more and better matches with the floating image warped by a map.
///
/// Under a strong perspective the descriptors of one point differ, and only the points that happen to look alike are
/// matched. Once warped, the images differ by a few pixels only: keypoints are found and described anew, and each needs
/// to be compared with its neighbours alone.
struct GuidedMatching {
  /// The maximum distance between matches in the reference, in pixels.
  let radius: Float
  // The numbers were chosen by hand.

  /// The minimum product of descriptors.
  private static let minimumSimilarity: Float = 0.85
  /// The minimum cosine of the angle between their directions.
  private static let minimumCosine: Float = 0.85
  /// The maximum ratio of their scales.
  private static let maximumScaleRatio: Float = 1.5

  /// Pairs of keypoints of the reference and of the warped image, both the best of their surroundings for each other.
  func pairs(reference: FeatureSet, warped: FeatureSet) -> [(reference: Int, warped: Int)] {
    let cells = KeypointCells(reference.keypoints, side: radius)
    var best = [(warped: Int, similarity: Float)](repeating: (-1, Self.minimumSimilarity), count: reference.count)
    for index in warped.keypoints.indices {
      let keypoint = warped.keypoints[index]
      var nearest = (position: -1, similarity: Self.minimumSimilarity)
      cells.forEach(near: keypoint) { position in
        guard isNear(reference.keypoints[position], keypoint) else { return }
        let similarity = reference.similarity(position, warped, index)
        if similarity > nearest.similarity { nearest = (position, similarity) }
      }
      if nearest.position >= 0 && nearest.similarity > best[nearest.position].similarity {
        best[nearest.position] = (index, nearest.similarity)
      }
    }
    return best.indices.filter { best[$0].warped >= 0 }.map { ($0, best[$0].warped) }
  }

  private func isNear(_ a: Keypoint, _ b: Keypoint) -> Bool {
    let (dx, dy) = (a.x - b.x, a.y - b.y)
    return dx * dx + dy * dy < radius * radius && a.cosine * b.cosine + a.sine * b.sine > Self.minimumCosine
      && a.scale < b.scale * Self.maximumScaleRatio && b.scale < a.scale * Self.maximumScaleRatio
  }
}

extension FeatureSet {
  /// The product of two descriptors.
  func similarity(_ index: Int, _ other: FeatureSet, _ otherIndex: Int) -> Float {
    let length = FeatureKernels.descriptorLength
    return descriptors.withUnsafeBufferPointer { a in
      other.descriptors.withUnsafeBufferPointer { b in
        var sums = SIMD8<Float>.zero
        for k in stride(from: 0, to: length, by: 8) {
          let p = UnsafeRawPointer(a.baseAddress! + (index * length + k)).loadUnaligned(as: SIMD8<Float>.self)
          let q = UnsafeRawPointer(b.baseAddress! + (otherIndex * length + k)).loadUnaligned(as: SIMD8<Float>.self)
          sums += p * q
        }
        return sums.sum()
      }
    }
  }
}

/// Keypoints by squares of the image.
private struct KeypointCells {
  private let side: Float
  private let columns: Int
  private let rows: Int
  private var members: [[Int]]

  init(_ keypoints: [Keypoint], side: Float) {
    self.side = side
    columns = Int((keypoints.map(\.x).max() ?? 0) / side) + 1
    rows = Int((keypoints.map(\.y).max() ?? 0) / side) + 1
    members = [[Int]](repeating: [], count: columns * rows)
    for (index, keypoint) in keypoints.enumerated() {
      let (column, row) = (max(Int(keypoint.x / side), 0), max(Int(keypoint.y / side), 0))
      members[row * columns + column].append(index)
    }
  }

  /// Calls `body` with all keypoints of the nine squares around one.
  func forEach(near keypoint: Keypoint, _ body: (Int) -> Void) {
    let (column, row) = (Int(keypoint.x / side), Int(keypoint.y / side))
    for y in max(row - 1, 0)..<max(min(row + 2, rows), max(row - 1, 0)) {
      for x in max(column - 1, 0)..<max(min(column + 2, columns), max(column - 1, 0)) {
        members[y * columns + x].forEach(body)
      }
    }
  }
}
