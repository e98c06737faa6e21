import FlowKernels
import TestSupport
import Testing

/// Every kernel against a plain loop, bit for bit, in every variant.
@Suite struct FilterTests {
  @Test(arguments: SampleKind.allCases)
  func weightedSumAddsInOrder(kind: SampleKind) {
    var random = FixedRandom(seed: 1)
    for width in widths {
      for taps in [1, 2, 3, 7] {
        let rows = (0..<taps).map { _ in GuardedRow(kind.values(width, using: &random)) }
        let weights = kind.values(taps, using: &random)
        let expected = (0..<width).map { x in
          (1..<taps).reduce(rows[0].base[x] * weights[0]) { $0 + rows[$1].base[x] * weights[$1] }
        }
        for variant in variants {
          let output = GuardedRow(count: width)
          variant.filter.weightedSum(rows.map { UnsafePointer($0.base) }, weights, taps, output.base, width)
          #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width), \(taps) taps")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func interpolateColumnsWeighsTwoNeighbours(kind: SampleKind) {
    var random = FixedRandom(seed: 2)
    // From many positions in sixteen columns to few.
    for (width, stretch) in widths.flatMap({ width in [0.5, 1, 2, 5.5].map { (width, $0) } }) {
      let input = GuardedRow(kind.values(Int(Double(width) / stretch) + 2, using: &random))
      let positions = (0..<width).map { Int32(Double($0) / stretch) }
      let fractions = (0..<width).map { _ in Float.random(in: 0..<1, using: &random) }
      let expected = (0..<width).map { x in
        input.base[Int(positions[x])] * (1 - fractions[x]) + input.base[Int(positions[x]) + 1] * fractions[x]
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.filter.interpolateColumns(input.base, positions, fractions, output.base, width)
        #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width)")
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func columnSumsMoveByARow(kind: SampleKind) {
    var random = FixedRandom(seed: 3)
    for width in widths {
      let start = kind.values(width, using: &random)
      let added = GuardedRow(kind.values(width, using: &random))
      let removed = GuardedRow(kind.values(width, using: &random))
      for variant in variants {
        let sums = GuardedRow(start)
        variant.filter.addRow(added.base, sums.base, width)
        #expect(sums.bits == (0..<width).map { comparableBits(start[$0] + added.base[$0]) })
        let slid = GuardedRow(start)
        variant.filter.slideRows(added.base, removed.base, slid.base, width)
        #expect(slid.bits == (0..<width).map { comparableBits(start[$0] + (added.base[$0] - removed.base[$0])) })
        #expect(sums.isGuardUntouched && slid.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func windowSumAddsAllNeighbours(kind: SampleKind) {
    var random = FixedRandom(seed: 4)
    for width in widths {
      for window in [1, 2, 3, 5, 8, 15, 33] {
        let row = kind.values(width + window - 1, using: &random)
        let expected = (0..<width).map { comparableBits(windowReference(row, at: $0, window: window)) }
        for variant in variants {
          let input = GuardedRow(row)
          let scratch = GuardedRow(count: row.count)
          let output = GuardedRow(count: width)
          variant.filter.windowSum(input.base, scratch.base, output.base, width, window)
          #expect(output.bits == expected, "\(variant.level), width \(width), window \(window)")
          #expect(output.isGuardUntouched && scratch.isGuardUntouched)
        }
      }
    }
  }

  @Test func windowSumIsExactForWholeNumbers() {
    let row = (0..<64).map { Float(($0 * 37) % 101) }
    for window in 1...33 {
      let (input, scratch) = (GuardedRow(row), GuardedRow(count: 64))
      let output = GuardedRow(count: 64 - window + 1)
      KernelTable.current.filter.windowSum(input.base, scratch.base, output.base, output.count, window)
      #expect(output.values == (0..<output.count).map { row[$0..<$0 + window].reduce(0, +) })
    }
  }
}

/// The sum over a window, put together from spans of ⌈√window⌉ samples and the single samples that are left.
private func windowReference(_ row: [Float], at start: Int, window: Int) -> Float {
  let span = (1...window).first { $0 * $0 >= window } ?? 1
  func spanSum(_ index: Int) -> Float { row[(index + 1)..<(index + span)].reduce(row[index], +) }
  let whole = window / span
  let sum = (1..<whole).reduce(spanSum(start)) { $0 + spanSum(start + $1 * span) }
  return row[(start + whole * span)..<(start + window)].reduce(sum, +)
}
