import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct ConfidenceKernelTests {
  @Test func endInsideRowMovesEndsThatAreALittleOutside() {
    var random = FixedRandom(seed: 64)
    for width in widths {
      let values = (0..<width).map { x -> Float in
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .nan
        case 1: Float.random(in: -0.7...0, using: &random) - Float(x)
        case 2: Float(width - 1 - x) + Float.random(in: 0...0.7, using: &random)
        case 3: SampleKind.extreme.values(1, using: &random)[0]
        default: Float.random(in: -9...9, using: &random)
        }
      }
      let last = Float(width - 1)
      let expected = values.enumerated().map { x, value -> Float in
        let end = Float(x) + value
        let nearest = min(max(end, 0), last)
        return abs(end - nearest) > 0 && abs(end - nearest) <= 0.5 ? nearest - Float(x) : value
      }
      for variant in variants {
        let row = GuardedRow(values)
        variant.confidence.endInsideRow(row.base, 0, 1, last, 0.5, width)
        #expect(row.bits == expected.map(comparableBits), "\(variant.level), width \(width)")
        #expect(row.isGuardUntouched)
      }
    }
    let rows = GuardedRow([-7.25, -7.75, 2, 2.5, 2.75, .nan])
    KernelTable.current.confidence.endInsideRow(rows.base, 7, 0, 9, 0.5, 6)
    #expect(rows.values.prefix(5) == [-7, -7.75, 2, 2, 2.75])
  }

  /// All variants agree bit for bit, and stay within 0…1 whatever the vectors are.
  @Test(arguments: SampleKind.allCases)
  func flowConfidenceRowIsTheSameInEveryVariant(kind: SampleKind) {
    var random = FixedRandom(seed: 63)
    let limits: [Float] = [0.4, 2, 0.02, 0.06]
    for width in widths {
      let errors = GuardedRow((0..<width).map { _ in Float.random(in: 0...2, using: &random) })
      let changes = GuardedRow((0..<width).map { _ in Float.random(in: 0...2, using: &random) })
      let inside = GuardedRow((0..<width).map { $0 % 5 == 3 ? 0 : 1 })
      let vectors = (0..<2).map { _ in
        GuardedRow(kind.values(width, using: &random).map { Int.random(in: 0..<9, using: &random) == 0 ? .nan : $0 })
      }
      var expected: [UInt32]?
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.confidence.flowConfidenceRow(
          ErrorRows(flow: errors.base, still: changes.base), FlowRow(vectors[0], vectors[1]), inside.base, limits,
          output.base, width)
        #expect(output.values.allSatisfy { (0...1).contains($0) })
        #expect((0..<width).allSatisfy { $0 % 5 != 3 || output.values[$0] == 0 })
        #expect(output.isGuardUntouched)
        if let expected { #expect(output.bits == expected, "\(variant.level), width \(width)") }
        expected = expected ?? output.bits
      }
    }
  }

  /// Numbers worked out by hand.
  @Test func confidenceIsHalfAtItsLimits() {
    let (errors, changes) = (GuardedRow([0.4, 0, 0.48, 0, 0]), GuardedRow([1, 0, 1, 0, 1]))
    let (u, v) = (GuardedRow([0, 0, 1e6, 1e6, 1e6]), GuardedRow([Float](repeating: 0, count: 5)))
    let (inside, output) = (GuardedRow([Float](repeating: 1, count: 5)), GuardedRow(count: 5))
    KernelTable.current.confidence.flowConfidenceRow(
      ErrorRows(flow: errors.base, still: changes.base), FlowRow(u, v), inside.base, [0.5, 2, 0.02, 0.06], output.base,
      5)
    let expected: [Float] = [0.25 / 0.41, 1, 0.5, 0, 1 / (1 + 0.04 * 0.04 * 0.04 * 0.04)]
    for (found, expected) in zip(output.values, expected) { #expect(abs(found - expected) < 1e-3) }
  }
}
