import FlowKernels
import TestSupport
import Testing

@Suite struct ResizeTests {
  @Test func resizeRowAddsEvenAndOddTerms() {
    var random = FixedRandom(seed: 60)
    for width in widths {
      for taps in [1, 2, 5, 18] {
        let input = GuardedRow(SampleKind.ordinary.values(80 + taps, using: &random))
        let blocks = (width + 15) / 16
        let origins = (0..<blocks).map { _ in Int32.random(in: 0...80, using: &random) }
        let weights = GuardedRow(SampleKind.ordinary.values(blocks * taps * 16, using: &random))
        let expected = (0..<width).map { x -> Float in
          func term(_ k: Int) -> Float {
            input.base[Int(origins[x / 16]) + k] * weights.base[(x / 16 * taps + k) * 16 + x % 16]
          }
          func sum(from first: Int) -> Float { stride(from: first, to: taps, by: 2).reduce(0) { $0 + term($1) } }
          return sum(from: 0) + sum(from: 1)
        }
        for variant in variants {
          let output = GuardedRow(count: width)
          variant.resize.resizeRow(input.base, origins, weights.base, taps, output.base, width)
          #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width), \(taps) taps")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test func halveRowTakesEveryOtherSample() {
    var random = FixedRandom(seed: 61)
    for width in widths {
      let input = GuardedRow(SampleKind.ordinary.values(2 * width + 48, using: &random))
      let weights = SampleKind.ordinary.values(8, using: &random)
      let expected = (0..<width).map { x -> Float in
        func sum(from first: Int) -> Float {
          stride(from: first + 2, to: 8, by: 2).reduce(input.base[2 * x + first] * weights[first]) {
            $0 + input.base[2 * x + $1] * weights[$1]
          }
        }
        return sum(from: 0) + sum(from: 1)
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.resize.halveRow(input.base, weights, output.base, width)
        #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width)")
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test func combineRowsAddsInOrder() {
    var random = FixedRandom(seed: 62)
    for width in widths {
      for taps in [1, 2, 8] {
        let rows = (0..<taps).map { _ in GuardedRow(SampleKind.ordinary.values(width + 31, using: &random)) }
        let weights = SampleKind.ordinary.values(taps, using: &random)
        let expected = (0..<width).map { x in
          (1..<taps).reduce(rows[0].base[x] * weights[0]) { $0 + rows[$1].base[x] * weights[$1] }
        }
        for variant in variants {
          let output = GuardedRow(count: width + 31)
          withExtendedLifetime(rows) {
            variant.resize.combineRows(rows.map { UnsafePointer($0.base) }, weights, taps, output.base, width)
          }
          #expect(Array(output.bits.prefix(width)) == expected.map(comparableBits), "\(variant.level), width \(width)")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }
}
