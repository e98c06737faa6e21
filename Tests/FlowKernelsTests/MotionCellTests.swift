import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct MotionCellTests {
  @Test func sumsAreAddedDownTheColumnsAndThenInPairs() {
    var random = FixedRandom(seed: 71)
    for count in 1...21 {
      let stride = 4 * count + 16
      let a = GuardedRow(SampleKind.ordinary.values(4 * stride, using: &random))
      let b = GuardedRow(SampleKind.ordinary.values(4 * stride, using: &random))
      let written = (count + 3) / 4 * 4
      let products: [(Float, Float) -> Float] = [
        { p, _ in p }, { _, q in q }, { p, _ in p * p }, { _, q in q * q }, { $0 * $1 },
      ]
      for variant in variants {
        let sums = GuardedBands(count: 5, width: written)
        variant.motion.sumCells(
          StridedRow(base: a.base, stride: stride), StridedRow(base: b.base, stride: stride),
          MutableStridedRow(base: sums.base, stride: sums.stride), count)
        for (plane, product) in products.enumerated() {
          for cell in 0..<count {
            func column(_ x: Int) -> Float {
              (0..<4).reduce(0) { $0 + product(a.base[$1 * stride + 4 * cell + x], b.base[$1 * stride + 4 * cell + x]) }
            }
            let expected = (column(0) + column(1)) + (column(2) + column(3))
            #expect(sums.bits(plane)[cell] == comparableBits(expected), "\(variant.level), plane \(plane)")
          }
        }
        #expect(sums.areGuardsUntouched)
      }
    }
  }

  /// The formula, one cell after the other.
  @Test func whatGainAndOffsetLeaveIsThatOfTheFormula() {
    var random = FixedRandom(seed: 72)
    let (rowStride, planeStride, minimum) = (112, 3 * 112, Float(0.5))
    for count in [1, 15, 16, 17, 67] {
      var sums = [Float](repeating: 0, count: 5 * planeStride)
      for plane in 0..<5 {
        for row in 0..<3 {
          for cell in 0..<count {
            let mean = Float.random(in: 0...1000, using: &random)
            sums[plane * planeStride + row * rowStride + 16 + cell] = plane < 2 ? mean : 300 * mean
          }
        }
      }
      let counts = (0..<count + 16).map { _ in Float(16 * Int.random(in: 4...9, using: &random)) }
      let written = (count + 15) / 16 * 16
      for variant in variants {
        let (unexplained, contrast) = (GuardedRow(count: written), GuardedRow(count: written))
        sums.withUnsafeBufferPointer { sums in
          guard let base = sums.baseAddress else { return }
          variant.motion.compareCells(
            StridedBands(base: base + rowStride + 16, rowStride: rowStride, bandStride: planeStride), counts, minimum,
            unexplained.base, contrast.base, count)
        }
        for cell in 0..<count {
          func mean(_ plane: Int) -> Float {
            func threes(_ row: Int) -> Float {
              let position = plane * planeStride + row * rowStride + 16 + cell
              return sums[position] + sums[position - 1] + sums[position + 1]
            }
            return (threes(1) + threes(0) + threes(2)) / counts[cell]
          }
          let (a, b) = (mean(0), mean(1))
          let (varianceA, varianceB) = (max(mean(2) - a * a, 0), max(mean(3) - b * b, 0))
          let covariance = mean(4) - a * b
          let gain = min(max(varianceB > minimum ? covariance / max(varianceB, minimum) : 1, 0.5), 2)
          let expected = max(varianceA - 2 * gain * covariance + gain * gain * varianceB, 0)
          #expect(unexplained.bits[cell] == comparableBits(expected), "\(variant.level), cell \(cell) of \(count)")
          #expect(contrast.bits[cell] == comparableBits(varianceA))
        }
        #expect(unexplained.isGuardUntouched && contrast.isGuardUntouched)
      }
    }
  }
}
