import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct VariationalDataTests {
  /// Five rows with two samples on either side.
  private struct Neighborhood {
    let stride: Int
    let memory: GuardedRow
    var row: UnsafeMutablePointer<Float> { memory.base + (2 * stride + 2) }

    init(width: Int, random: inout FixedRandom) {
      stride = width + 48
      memory = GuardedRow(SampleKind.ordinary.values(5 * stride, using: &random))
    }

    func difference(_ x: Int, _ step: Int) -> Float {
      let near = row[x + step] - row[x - step]
      let far = row[x + 2 * step] - row[x - 2 * step]
      return near * (8.0 / 12) - far * (1.0 / 12)
    }
  }

  @Test func differentiateRowTakesFiveSamples() {
    var random = FixedRandom(seed: 20)
    for width in widths {
      let samples = Neighborhood(width: width, random: &random)
      for variant in variants {
        let (dx, dy) = (GuardedRow(count: width), GuardedRow(count: width))
        variant.variational.differentiateRow(samples.row, samples.stride, dx.base, dy.base, width)
        #expect(dx.bits == (0..<width).map { comparableBits(samples.difference($0, 1)) }, "\(variant.level), \(width)")
        #expect(dy.bits == (0..<width).map { comparableBits(samples.difference($0, samples.stride)) })
        #expect(dx.isGuardUntouched && dy.isGuardUntouched)
      }
    }
  }

  @Test func aLinearRampHasAConstantDerivative() {
    let ramp = GuardedRow((0..<64).map { 3 * Float($0) })
    let (dx, dy) = (GuardedRow(count: 16), GuardedRow(count: 16))
    KernelTable.current.variational.differentiateRow(ramp.base + 8, 1, dx.base, dy.base, 16)
    #expect(dx.values.allSatisfy { abs($0 - 3) < 1e-4 })
  }

  @Test(arguments: SampleKind.allCases)
  func meanAndDifferenceRowIsPointwise(kind: SampleKind) {
    var random = FixedRandom(seed: 21)
    for width in widths {
      let (a, b) = (GuardedRow(kind.values(width, using: &random)), GuardedRow(kind.values(width, using: &random)))
      for variant in variants {
        let (mean, difference) = (GuardedRow(count: width), GuardedRow(count: width))
        variant.variational.meanAndDifferenceRow(a.base, b.base, mean.base, difference.base, width)
        #expect(mean.bits == (0..<width).map { comparableBits((a.base[$0] + b.base[$0]) * 0.5) })
        #expect(difference.bits == (0..<width).map { comparableBits(b.base[$0] - a.base[$0]) })
        #expect(mean.isGuardUntouched && difference.isGuardUntouched)
      }
    }
  }

  @Test func formDataRowEqualsItsReference() {
    var random = FixedRandom(seed: 22)
    let noise: Float = 0.01
    for width in widths {
      let (dx, dy) = (Neighborhood(width: width, random: &random), Neighborhood(width: width, random: &random))
      let change = Neighborhood(width: width, random: &random)
      let u = GuardedRow(SampleKind.ordinary.values(width + 32, using: &random))
      let v = GuardedRow(SampleKind.ordinary.values(width + 32, using: &random))
      let inside = GuardedRow((0..<width + 32).map { _ in Bool.random(using: &random) ? 1 : 0 })
      func reference(_ x: Int) -> [Float] {
        func equation(_ a: Float, _ b: Float, _ c: Float) -> [Float] {
          let scale = inside.base[x] * inverseSquareRootReference(a * a + b * b + noise)
          return [a * scale, b * scale, (c - (a * u.base[x] + b * v.base[x])) * scale]
        }
        let ixy = dy.difference(x, 1)
        return equation(dx.row[x], dy.row[x], change.row[x])
          + equation(dx.difference(x, 1), ixy, change.difference(x, 1))
          + equation(ixy, dy.difference(x, dy.stride), change.difference(x, change.stride))
      }
      let expected = (0..<width).map(reference)
      for variant in variants {
        let output = SplitRows(width: width, bands: 9)
        variant.variational.formDataRow(
          DerivativeRow(dx: dx.row, dy: dy.row, difference: change.row, stride: dx.stride), inside.base, FlowRow(u, v),
          noise, width, output.split)
        for band in 0..<9 {
          #expect(output.bits(band) == expected.map { comparableBits($0[band]) }, "\(variant.level), \(width), \(band)")
        }
        #expect(output.isPaddingUntouched)
      }
    }
  }

  @Test func formEdgeRowEqualsItsReference() {
    var random = FixedRandom(seed: 23)
    let (steepness, floor): (Float, Float) = (0.01, 0.05)
    for width in widths {
      let samples = Neighborhood(width: width, random: &random)
      for isLastRow in [false, true] {
        func weight(_ difference: Float) -> Float { max(1 / (1 + difference * difference * steepness), floor) }
        let right = (0..<width).map { $0 == width - 1 ? 0 : weight(samples.row[$0 + 1] - samples.row[$0]) }
        let down = (0..<width).map { isLastRow ? 0 : weight(samples.row[$0 + samples.stride] - samples.row[$0]) }
        for variant in variants {
          let output = SplitRows(width: width, bands: 2)
          variant.variational.formEdgeRow(
            StridedRow(base: samples.row, stride: samples.stride), steepness, floor, isLastRow, width, output.split)
          #expect(output.bits(0) == right.map(comparableBits), "\(variant.level), width \(width)")
          #expect(output.bits(1) == down.map(comparableBits), "\(variant.level), width \(width)")
          #expect(output.isPaddingUntouched)
        }
      }
    }
  }

  @Test func splitAndJoinAreInverse() {
    var random = FixedRandom(seed: 24)
    for width in widths {
      let u = GuardedRow(SampleKind.extreme.values(width + 32, using: &random))
      let v = GuardedRow(SampleKind.extreme.values(width + 32, using: &random))
      for variant in variants {
        let split = SplitRows(width: width, bands: 2)
        variant.variational.splitRows(u.base, v.base, width, split.row, split.partStride)
        #expect(split.bits(0) == u.bits.prefix(width).map { $0 } && split.bits(1) == v.bits.prefix(width).map { $0 })
        #expect(split.isPaddingUntouched)
        let (joinedU, joinedV) = (GuardedRow(count: width), GuardedRow(count: width))
        variant.variational.joinRows(split.row, split.partStride, joinedU.base, joinedV.base, width)
        #expect(joinedU.bits == split.bits(0) && joinedV.bits == split.bits(1))
        #expect(joinedU.isGuardUntouched && joinedV.isGuardUntouched)
      }
    }
  }
}
