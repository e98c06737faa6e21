// Pairs of keypoints whose descriptors are nearest to one another, and clearly nearer than to anything else.

import FlowKernels
import Imaging

/// Two keypoints that may show the same point.
struct DescriptorMatch: Sendable, Hashable {
  /// The index of the keypoint of the reference image.
  var reference: Int
  /// The index of the keypoint of the floating image.
  var floating: Int
  /// The distance of the descriptors by that of the next-best pair: the smaller, the surer.
  var ratio: Float
}

struct DescriptorMatcher: Sendable {
  /// The maximum ratio that is kept.
  let maximumRatio: Float
  /// The distance from the best keypoint of the reference, in pixels, within which keypoints show the same feature and
  /// do not count as the next best (Mishkin, Matas and Perdoch, CVIU 2015, doi:10.1016/j.cviu.2015.08.005).
  private static let sameFeatureDistance: Float = 10
  /// The number of floating keypoints that one task matches; chosen by hand.
  private static let chunk = 256

  /// Matches both ways, the surest first.
  func matches(reference: FeatureSet, floating: FeatureSet, parallelism: Parallelism) -> [DescriptorMatch] {
    guard reference.count > 1, floating.count > 0 else { return [] }
    let list = MatchList(reference)
    let chunkCount = (floating.count + Self.chunk - 1) / Self.chunk
    var parts = [MatchChunk](repeating: MatchChunk(), count: chunkCount)
    parts.withUnsafeMutableBufferPointer { parts in
      // SAFETY: each chunk writes its own element.
      nonisolated(unsafe) let parts = parts
      parallelism.forEach(count: chunkCount) { index in
        let range = index * Self.chunk..<min((index + 1) * Self.chunk, floating.count)
        parts[index] = compare(range, of: floating, with: list)
      }
    }
    var best = [Float](repeating: -.infinity, count: list.count)
    var bestQuery = [Int32](repeating: -1, count: list.count)
    for part in parts {
      for position in 0..<list.count where part.best[position] > best[position] {
        best[position] = part.best[position]
        bestQuery[position] = part.bestQuery[position]
      }
    }
    let mutual = parts.flatMap(\.matches).filter { Int(bestQuery[$0.reference]) == $0.floating }
    return mutual.sorted { $0.ratio != $1.ratio ? $0.ratio < $1.ratio : $0.floating < $1.floating }
  }

  private func compare(_ range: Range<Int>, of floating: FeatureSet, with list: MatchList) -> MatchChunk {
    let kernels = KernelTable.current.features
    let length = FeatureKernels.descriptorLength
    var chunk = MatchChunk(count: list.count)
    let step = FeatureKernels.comparedDescriptorCount
    let scores = ScratchRows(count: 1, width: step * list.count)
    floating.descriptors.withUnsafeBufferPointer { descriptors in
      guard let descriptors = descriptors.baseAddress else { return }
      for first in stride(from: range.lowerBound, to: range.upperBound, by: step) {
        kernels.compareDescriptors(descriptors + first * length, list.descriptors, list.count / 16, scores.row(0))
        for query in first..<min(first + step, range.upperBound) {
          let row = scores.row(0) + (query - first) * list.count
          for position in list.used..<list.count { row[position] = -1 }
          kernels.raiseBest(row, Int32(query), &chunk.best, &chunk.bestQuery, list.count)
          let position = kernels.indexOfBest(row, list.count)
          let next = kernels.bestElsewhere(
            row, list.xs, list.ys, SIMD2(list.xs[position], list.ys[position]), Self.sameFeatureDistance, list.count)
          let ratio = Self.ratio(of: row[position], to: next)
          if ratio <= maximumRatio {
            chunk.matches.append(DescriptorMatch(reference: position, floating: query, ratio: ratio))
          }
        }
      }
    }
    return chunk
  }

  /// Returns the ratio of the distances of unit vectors with these dot products.
  static func ratio(of best: Float, to next: Float) -> Float {
    (max(1 - best, 0) / max(1 - next, 1e-6)).squareRoot()
  }
}

/// The keypoints of the reference, laid out for the kernels.
private struct MatchList: Sendable {
  let descriptors: [Float]
  let xs: [Float]
  let ys: [Float]
  let used: Int
  /// A multiple of 16.
  let count: Int

  init(_ features: FeatureSet) {
    descriptors = features.interleavedDescriptors()
    used = features.count
    count = features.paddedCount
    let rest = [Float](repeating: 0, count: count - used)
    xs = features.keypoints.map(\.x) + rest
    ys = features.keypoints.map(\.y) + rest
  }
}

private struct MatchChunk: Sendable {
  var matches: [DescriptorMatch] = []
  /// The best score in this chunk for each keypoint of the reference; `bestQuery` tells who had it.
  var best: [Float] = []
  var bestQuery: [Int32] = []

  init() {}

  init(count: Int) {
    best = [Float](repeating: -.infinity, count: count)
    bestQuery = [Int32](repeating: -1, count: count)
  }
}
