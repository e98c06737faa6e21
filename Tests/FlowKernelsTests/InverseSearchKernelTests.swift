import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct InverseSearchKernelTests {
  private struct Search {
    let count: Int
    let previous: MarginImage
    let current: MarginImage
    let dx: MarginImage
    let dy: MarginImage

    init(width: Int, shift: (Double, Double), seed: UInt64) {
      let texture = Texture(seed: seed)
      let size = (width: max(width, 8), height: 24)
      count = 1 + (size.width - 8) / 4
      previous = MarginImage(width: size.width, height: size.height) { texture.value(Double($0), Double($1)) }
      current = MarginImage(width: size.width, height: size.height) {
        texture.value(Double($0) - shift.0, Double($1) - shift.1)
      }
      let source = previous
      dx = MarginImage(width: size.width, height: size.height) {
        (source.row($1)[$0 + 1] - source.row($1)[$0 - 1]) / 2
      }
      dy = MarginImage(width: size.width, height: size.height) {
        (source.row($1 + 1)[$0] - source.row($1 - 1)[$0]) / 2
      }
    }

    func run(
      _ kernels: InverseSearchKernels, candidates: [GuardedRow], iterations: Int, tolerance: Float = -.infinity,
      knownCosts: GuardedRow? = nil
    ) -> [GuardedRow] {
      let results = (0..<3).map { _ in GuardedRow(count: count) }
      let scratch = GuardedRow(count: 544)
      withExtendedLifetime((candidates, knownCosts, self)) {
        kernels.searchPatchRow(
          PatchSource(image: previous.row(8), dx: dx.row(8), dy: dy.row(8), gradientStride: dx.stride), current.rows,
          PatchRowLayout(y: 8, step: 4, count: count), candidates.map { UnsafePointer($0.base) },
          PatchWork(
            candidateCount: candidates.count / 2, iterations: iterations, scratch: scratch.base, tolerance: tolerance,
            knownCosts: knownCosts.map { UnsafePointer($0.base) }),
          PatchShiftRow(u: results[0].base, v: results[1].base, cost: results[2].base))
      }
      #expect(results.allSatisfy(\.isGuardUntouched) && scratch.isGuardUntouched)
      return results
    }
  }

  @Test(arguments: [0, 8])
  func searchPatchRowIsTheSameInEveryVariant(iterations: Int) {
    var random = FixedRandom(seed: 70)
    for width in [8, 9, 31, 64, 150] {
      let search = Search(width: width, shift: (1.25, -0.5), seed: 3)
      let candidates = (0..<6).map { _ in
        GuardedRow((0..<search.count).map { _ in Float.random(in: -40...40, using: &random) })
      }
      let results = variants.map { search.run($0.inverseSearch, candidates: candidates, iterations: iterations) }
      for result in results { #expect(result.map(\.bits) == results[0].map(\.bits)) }
    }
  }

  @Test func theCostIsTheVarianceOfTheDifference() {
    let search = Search(width: 64, shift: (1.25, -0.5), seed: 3)
    let candidates = [Float(2.25), 1.5].map { GuardedRow([Float](repeating: $0, count: search.count)) }
    let result = search.run(KernelTable.current.inverseSearch, candidates: candidates, iterations: 0)
    for k in 0..<search.count {
      let differences = (0..<64).map { i -> Double in
        let (x, y) = (4 * k + i % 8, 8 + i / 8)
        return Double(search.current.value(x + 2, y + 1, 0.25, 0.5) - search.previous.row(y)[x])
      }
      let mean = differences.reduce(0, +) / 64
      let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      #expect(abs(Double(result[2].base[k]) - variance) < 1e-3 * variance + 0.05)
    }
  }

  @Test func theBestCandidateIsRefinedToTheTrueShift() {
    let search = Search(width: 96, shift: (5.25, -3.5), seed: 5)
    let candidates = [Float(0), 0, 4.5, -3, 20, 3].map { GuardedRow([Float](repeating: $0, count: search.count)) }
    let result = search.run(KernelTable.current.inverseSearch, candidates: candidates, iterations: 12)
    for k in 3..<search.count - 3 {
      #expect(abs(result[0].base[k] - 5.25) < 0.1 && abs(result[1].base[k] + 3.5) < 0.1, "patch \(k)")
    }
  }

  @Test func whatIsToleratedIsNotSearchedFor() {
    let search = Search(width: 96, shift: (0.25, 0), seed: 5)
    let candidates = [Float(0), 0, 0.25, 0].map { GuardedRow([Float](repeating: $0, count: search.count)) }
    for kernels in variants.map(\.inverseSearch) {
      let costs = search.run(kernels, candidates: Array(candidates.prefix(2)), iterations: 0)[2].values
      let median = costs.sorted()[search.count / 2]
      let result = search.run(kernels, candidates: candidates, iterations: 4, tolerance: median)
      for k in 0..<search.count {
        #expect((result[0].base[k] == 0) == (costs[k] <= median), "patch \(k)")
        #expect(costs[k] > median || result[2].base[k] == costs[k])
      }
      // What is known is believed.
      let known = GuardedRow((0..<search.count).map { $0 % 2 == 0 ? median : median + 1 })
      let next = search.run(kernels, candidates: candidates, iterations: 4, tolerance: median, knownCosts: known)
      for k in stride(from: 0, to: search.count, by: 2) {
        #expect(next[0].base[k] == 0 && next[1].base[k] == 0 && next[2].base[k] == median)
      }
      for k in stride(from: 1, to: search.count, by: 2) { #expect(next[2].base[k] == result[2].base[k]) }
    }
  }

  @Test func withoutMotionNothingMoves() {
    let search = Search(width: 64, shift: (0, 0), seed: 6)
    let candidates = [Float(0), 0, 1, 1].map { GuardedRow([Float](repeating: $0, count: search.count)) }
    let result = search.run(KernelTable.current.inverseSearch, candidates: candidates, iterations: 12)
    #expect(result.allSatisfy { $0.values.allSatisfy { $0 == 0 } })
  }

  @Test func densifyRowEqualsItsReference() {
    var random = FixedRandom(seed: 71)
    for width in [8, 9, 31, 64, 150] {
      let search = Search(width: width, shift: (1.25, -0.5), seed: 3)
      let shifts = (0..<2).map { _ in
        GuardedRow((0..<search.count).map { _ in Float.random(in: -3...3, using: &random) })
      }
      let y = 10
      var expected = [[Float]](repeating: [Float](repeating: 0, count: width + 16), count: 3)
      for k in 0..<search.count {
        let (px, py) = (Float(4 * k) + shifts[0].base[k], Float(y) + shifts[1].base[k])
        let (x0, y0) = (Int((px + 16).rounded(.down)) - 16, Int((py + 16).rounded(.down)) - 16)
        for i in 0..<8 {
          let value = search.current.value(x0 + i, y0, px - Float(x0), py - Float(y0))
          let weight = 1 / max(1, abs(value - search.previous.row(y)[4 * k + i]))
          expected[0][4 * k + i] += weight * shifts[0].base[k]
          expected[1][4 * k + i] += weight * shifts[1].base[k]
          expected[2][4 * k + i] += weight
        }
      }
      for variant in variants {
        let sums = (0..<3).map { _ in GuardedRow([Float](repeating: 0, count: width + 16)) }
        let scratch = GuardedRow(count: 128)
        variant.inverseSearch.densifyRow(
          search.previous.row(y), search.current.rows, PatchRowLayout(y: y, step: 4, count: search.count),
          FlowRow(u: shifts[0].base, v: shifts[1].base),
          FlowSumRow(u: sums[0].base, v: sums[1].base, weight: sums[2].base), scratch.base)
        #expect(sums.map(\.bits) == expected.map { $0.map(comparableBits) }, "\(variant.level), width \(width)")
        #expect(sums.allSatisfy(\.isGuardUntouched) && scratch.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func divideErrorAndSelectRowsArePointwise(kind: SampleKind) {
    var random = FixedRandom(seed: 72)
    for width in widths {
      let rows = (0..<6).map { _ in GuardedRow(kind.values(width, using: &random)) }
      let inside = GuardedRow((0..<width).map { _ in Bool.random(using: &random) ? 1 : 0 })
      func at(_ row: Int, _ x: Int) -> Float { rows[row].base[x] }
      for variant in variants {
        let kernels = variant.inverseSearch
        let quotient = GuardedRow(count: width)
        kernels.divideRow(rows[0].base, rows[1].base, quotient.base, width)
        #expect(quotient.bits == (0..<width).map { comparableBits(at(0, $0) / at(1, $0)) })
        let error = GuardedRow(count: width)
        kernels.warpErrorRow(
          rows[0].base, rows[1].base, inside.base, ErrorLimits(limit: 30, outside: 12), error.base, width)
        #expect(
          error.values == (0..<width).map { inside.base[$0] > 0 ? min(abs(at(0, $0) - at(1, $0)), 30) : 12 })
        let (u, v) = (GuardedRow(rows[4].values), GuardedRow(rows[5].values))
        kernels.selectRow(FlowRow(rows[0], rows[1]), rows[2].base, rows[3].base, 1, MutableFlowRow(u, v), width)
        let isBetter = (0..<width).map { at(2, $0) + 1 < at(3, $0) }
        #expect(u.bits == (0..<width).map { comparableBits(isBetter[$0] ? at(0, $0) : at(4, $0)) })
        #expect(v.bits == (0..<width).map { comparableBits(isBetter[$0] ? at(1, $0) : at(5, $0)) })
        #expect(quotient.isGuardUntouched && error.isGuardUntouched && u.isGuardUntouched && v.isGuardUntouched)
      }
    }
  }
}
