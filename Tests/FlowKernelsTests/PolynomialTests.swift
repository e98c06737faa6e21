import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct PolynomialTests {
  @Test(arguments: SampleKind.allCases)
  func expandColumnsEqualsItsReference(kind: SampleKind) {
    var random = FixedRandom(seed: 5)
    for width in widths {
      for radius in [1, 2, 5] {
        let rows = (0...2 * radius).map { _ in GuardedRow(kind.values(width, using: &random)) }
        let weights = Weights(kind.values(3 * (radius + 1), using: &random), radius: radius)
        let expected = (0..<width).map { x in columnReference(rows.map { $0.base[x] }, weights) }
        for variant in variants {
          let outputs = (0..<3).map { _ in GuardedRow(count: width) }
          variant.farneback.expandColumns(
            rows.map { UnsafePointer($0.base) }, weights.all, radius, MomentRows(outputs), width)
          for (index, output) in outputs.enumerated() {
            #expect(output.bits == expected.map { comparableBits($0[index]) }, "\(variant.level), width \(width)")
            #expect(output.isGuardUntouched)
          }
        }
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func expandRowEqualsItsReference(kind: SampleKind) {
    var random = FixedRandom(seed: 6)
    for width in widths {
      for radius in [1, 2, 5] {
        let moments = (0..<3).map { _ in GuardedRow(kind.values(width + 2 * radius, using: &random)) }
        let weights = Weights(kind.values(3 * (radius + 1), using: &random), radius: radius)
        let expected = (0..<width).map { x in
          rowReference(moments.map { Array($0.values[x...x + 2 * radius]) }, weights)
        }
        for variant in variants {
          let output = GuardedBands(count: 5, width: width)
          variant.farneback.expandRow(
            MomentRows(moments), weights.all, radius, output.strided, width)
          for band in 0..<5 {
            #expect(output.bits(band) == expected.map { comparableBits($0[band]) }, "\(variant.level), width \(width)")
          }
          #expect(output.areGuardsUntouched)
        }
      }
    }
  }
}

private struct Weights {
  let all: [Float]
  let mean: [Float]
  let slope: [Float]
  let curvature: [Float]

  init(_ all: [Float], radius: Int) {
    self.all = all
    mean = Array(all[0...radius])
    slope = Array(all[(radius + 1)...(2 * radius + 1)])
    curvature = Array(all[(2 * radius + 2)...])
  }
}

private func even(_ samples: [Float], _ weights: [Float]) -> Float {
  let middle = samples.count / 2
  return (1...middle).reduce(samples[middle] * weights[0]) { sum, k in
    let pair: Float = samples[middle + k] + samples[middle - k]
    return sum + pair * weights[k]
  }
}

private func odd(_ samples: [Float], _ weights: [Float]) -> Float {
  let middle = samples.count / 2
  return (1...middle).reduce(0) { $0 + (samples[middle + $1] - samples[middle - $1]) * weights[$1] }
}

private func columnReference(_ samples: [Float], _ weights: Weights) -> [Float] {
  [even(samples, weights.mean), odd(samples, weights.slope), even(samples, weights.curvature)]
}

private func rowReference(_ moments: [[Float]], _ weights: Weights) -> [Float] {
  [
    odd(moments[0], weights.slope), even(moments[1], weights.mean), even(moments[0], weights.curvature),
    even(moments[2], weights.mean), odd(moments[1], weights.slope) * 0.5,
  ]
}
