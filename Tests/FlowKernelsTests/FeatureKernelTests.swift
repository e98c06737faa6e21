import FlowKernelTypes
import FlowKernels
import Foundation
import TestSupport
import Testing

/// The kernels of keypoints against plain loops, bit for bit, in every variant.
@Suite struct FeatureKernelTests {
  private let length = FeatureKernels.descriptorLength

  @Test(arguments: SampleKind.allCases)
  func symmetricSumAddsPairs(kind: SampleKind) {
    var random = FixedRandom(seed: 1)
    for width in widths {
      for radius in [1, 2, 5] {
        let rows = (0...2 * radius).map { _ in GuardedRow(kind.values(width, using: &random)) }
        let weights = kind.values(radius + 1, using: &random)
        let expected: [Float] = (0..<width).map { x in
          var sum: Float = rows[radius].base[x] * weights[0]
          for step in 1...radius {
            let pair: Float = rows[radius - step].base[x] + rows[radius + step].base[x]
            sum += pair * weights[step]
          }
          return sum
        }
        for variant in variants {
          let output = GuardedRow(count: width)
          variant.features.symmetricSum(rows.map { UnsafePointer($0.base) }, weights, radius, output.base, width)
          #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width), radius \(radius)")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func subtractRowSubtracts(kind: SampleKind) {
    var random = FixedRandom(seed: 2)
    for width in widths {
      let (a, b) = (GuardedRow(kind.values(width, using: &random)), GuardedRow(kind.values(width, using: &random)))
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.features.subtractRow(a.base, b.base, output.base, width)
        #expect(output.bits == (0..<width).map { comparableBits(a.base[$0] - b.base[$0]) })
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test func findExtremaListsWhatExceedsAllNeighbours() {
    var random = FixedRandom(seed: 3)
    for width in 3...67 {
      let rows = (0..<9).map { _ in
        GuardedRow((0..<width).map { _ in Float(Int.random(in: -9...9, using: &random)) })
      }
      // Random rows hardly have extrema: some are made.
      for x in stride(from: 1, to: width - 1, by: 5) { rows[4].base[x] = x % 2 == 0 ? 12 : -12 }
      let expected = (1..<width - 1).filter { x in
        let value = rows[4].base[x]
        let others = (0..<9).flatMap { row in (x - 1...x + 1).filter { row != 4 || $0 != x }.map { rows[row].base[$0] }
        }
        return others.allSatisfy { value > max($0, 10) } || others.allSatisfy { value < min($0, -10) }
      }
      for variant in variants {
        var columns = [Int32](repeating: -1, count: width)
        let count = variant.features.findExtrema(
          rows.map { UnsafePointer($0.base) }, 10, &columns, 1, width - 1)
        #expect(columns[..<count].map(Int.init) == expected, "\(variant.level), width \(width)")
      }
    }
  }

  @Test func samplePatchIsBilinearAndStaysInside() {
    var random = FixedRandom(seed: 4)
    let (width, height, side) = (23, 17, FeatureKernels.patchSide)
    let image = GuardedRow(SampleKind.ordinary.values(width * height, using: &random))
    let capacity = FeatureKernels.patchCapacity
    var grid = [Float](repeating: 0, count: 2 * capacity)
    for index in 0..<side * side {
      grid[index] = Float(index % side) - 8.5
      grid[capacity + index] = Float(index / side) - 8.5
    }
    for _ in 0..<20 {
      let frame = [
        Float.random(in: -3...26, using: &random), Float.random(in: -3...20, using: &random),
        Float.random(in: -2...2, using: &random), Float.random(in: -2...2, using: &random),
        Float.random(in: -2...2, using: &random), Float.random(in: -2...2, using: &random),
      ]
      let expected = (0..<side * side).map { index -> Float in
        let (u, v) = (grid[index], grid[capacity + index])
        let x = min(max(frame[0] + u * frame[2] + v * frame[4], 0), Float(width - 1))
        let y = min(max(frame[1] + u * frame[3] + v * frame[5], 0), Float(height - 1))
        let (left, top) = (min(Int(x), width - 2), min(Int(y), height - 2))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let p = image.base + (top * width + left)
        let upper = p[0] + fx * (p[1] - p[0])
        return upper + fy * (p[width] + fx * (p[width + 1] - p[width]) - upper)
      }
      for variant in variants {
        let output = GuardedRow(count: capacity)
        let scratch = GuardedRow(count: FeatureKernels.scratchCapacity)
        variant.features.samplePatch(
          ImageRows(base: image.base, stride: width, width: width, height: height), frame, grid, scratch.base,
          output.base)
        #expect(output.bits.prefix(side * side) == expected.map(comparableBits)[...], "\(variant.level)")
        #expect(output.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  /// A plane that rises in one direction has one direction only.
  @Test func directionsAreThoseOfTheGradient() {
    let weights = [Float](repeating: 1, count: 256)
    for bin in 0..<36 {
      let patch = Self.ramp(turns: Float(bin) / 36)
      for variant in variants {
        let histogram = GuardedRow(count: 36)
        let scratch = GuardedRow(count: FeatureKernels.scratchCapacity)
        variant.features.directionHistogram(patch.base, weights, scratch.base, histogram.base, 36)
        let sum = histogram.values.reduce(0, +)
        #expect(abs(sum - 512) < 0.1, "the gradient over two samples is 2")
        #expect(histogram.values[bin] > 0.999 * sum, "\(variant.level): bin \(bin) of \(histogram.values)")
        #expect(histogram.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  @Test func descriptorsCountGradientsByCellAndDirection() {
    let weights = [Float](repeating: 1, count: 256)
    // Each cell gets all of its four samples and nothing of the others'.
    let shares = (0..<4).flatMap { cell in (0..<16).map { Float($0 / 4 == cell ? 1 : 0) } }
    for direction in 0..<8 {
      let patch = Self.ramp(turns: Float(direction) / 8)
      for variant in variants {
        let descriptor = GuardedRow(count: length)
        let scratch = GuardedRow(count: 512)
        variant.features.describePatch(patch.base, weights, shares, scratch.base, descriptor.base)
        for (index, value) in descriptor.values.enumerated() {
          #expect(abs(value - (index % 8 == direction ? 32 : 0)) < 0.02, "\(variant.level): \(index)")
        }
        #expect(descriptor.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  @Test func variantsDescribeAlike() {
    var random = FixedRandom(seed: 5)
    let patch = GuardedRow(SampleKind.ordinary.values(FeatureKernels.patchCapacity, using: &random))
    let weights = (0..<256).map { _ in Float.random(in: 0...1, using: &random) }
    let shares = (0..<64).map { _ in Float.random(in: 0...1, using: &random) }
    let results = variants.map { variant -> [[UInt32]] in
      let (descriptor, histogram) = (GuardedRow(count: length), GuardedRow(count: 36))
      let scratch = GuardedRow(count: 512)
      variant.features.describePatch(patch.base, weights, shares, scratch.base, descriptor.base)
      variant.features.directionHistogram(patch.base, weights, scratch.base, histogram.base, 36)
      return [descriptor.bits, histogram.bits]
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test func comparedDescriptorsAreDotProducts() {
    var random = FixedRandom(seed: 6)
    for blocks in [1, 3] {
      let queries = SampleKind.ordinary.values(16 * length, using: &random)
      let list = SampleKind.ordinary.values(blocks * 16 * length, using: &random)
      var expected: [Float] = []
      for query in 0..<16 {
        for member in 0..<blocks * 16 {
          var sum: Float = 0
          let block = member / 16 * 16 * length
          for index in 0..<length { sum += queries[query * length + index] * list[block + index * 16 + member % 16] }
          expected.append(sum)
        }
      }
      for variant in variants {
        let scores = GuardedRow(count: 16 * blocks * 16)
        variant.features.compareDescriptors(queries, list, blocks, scores.base)
        #expect(scores.bits == expected.map(comparableBits), "\(variant.level)")
        #expect(scores.isGuardUntouched)
      }
    }
  }

  @Test func bestIndicesAreTheFirstOfTheLargest() {
    var random = FixedRandom(seed: 7)
    for count in [16, 48] {
      for _ in 0..<20 {
        let scores = (0..<count).map { _ in Float(Int.random(in: 0...9, using: &random)) }
        let xs = (0..<count).map { _ in Float.random(in: 0...50, using: &random) }
        let present = (0..<count).map { _ in Float(Int.random(in: 0...9, using: &random)) }
        let (x, y): (Float, Float) = (20, 25)
        let elsewhere = (0..<count).filter { index in
          let (dx, dy) = (xs[index] - x, xs[index] - y)
          return dx * dx + dy * dy > 100
        }
        for variant in variants {
          #expect(variant.features.indexOfBest(scores, count) == scores.firstIndex(of: scores.max() ?? 0))
          let next = variant.features.bestElsewhere(scores, xs, xs, SIMD2(x, y), 10, count)
          #expect(next == elsewhere.map { scores[$0] }.max() ?? -.infinity)
          let best = GuardedRow(present)
          var who = [Int32](repeating: 3, count: count)
          variant.features.raiseBest(scores, 8, best.base, &who, count)
          #expect(best.values == (0..<count).map { max(scores[$0], present[$0]) })
          #expect(who == (0..<count).map { scores[$0] > present[$0] ? 8 : 3 })
          #expect(best.isGuardUntouched)
        }
      }
    }
  }

  @Test func explainedMatchesFadeWithDistance() {
    // A shift by (1, 2): forward and backward errors are equal.
    let maps: [Float] = [1, 0, 1, 0, 1, 2, 0, 0, 1, 1, 0, -1, 0, 1, -2, 0, 0, 1]
    let off: [Float] = [0, 1, 2, 3, 4]
    var rows = [Float](repeating: 0, count: 5 * 16)
    for (index, distance) in off.enumerated() {
      (rows[index], rows[16 + index], rows[64 + index]) = (1 + distance, 2, 1)
    }
    // 2·d² out of 4²; 3 and 4 pixels are beyond it.
    let (near, far): (Float, Float) = (1 - 2 / 16, 1 - 8 / 16)
    let expected = 1 + near + far
    for variant in variants { #expect(variant.features.explainedMatches(maps, rows, 16, 1 / 16) == expected) }
    // Beyond the horizon nothing is explained.
    let mirrored = maps.map { -$0 }
    for variant in variants { #expect(variant.features.explainedMatches(mirrored, rows, 16, 1 / 16) == 0) }
  }

  /// A patch that rises by 1 per sample in one direction.
  private static func ramp(turns: Float) -> GuardedRow {
    let side = FeatureKernels.patchSide
    let (c, s) = (cos(turns * 2 * Float.pi), sin(turns * 2 * Float.pi))
    return GuardedRow(
      (0..<FeatureKernels.patchCapacity).map { Float($0 % side) * c + Float($0 / side) * s })
  }
}
