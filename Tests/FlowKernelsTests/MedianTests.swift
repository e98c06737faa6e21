import FlowKernels
import TestSupport
import Testing

@Suite struct MedianTests {
  @Test func medianRowIsTheMiddleOf25() {
    var random = FixedRandom(seed: 40)
    for width in widths {
      // Few different values, so that many are equal.
      let rows = (0..<5).map { _ in
        GuardedRow((0..<width + 4).map { _ in Float(Int.random(in: -9...9, using: &random)) * 0.5 })
      }
      let expected = (0..<width).map { x in rows.flatMap { $0.values[x..<x + 5] }.sorted()[12] }
      for variant in variants {
        let columns = ColumnMemory(width: width)
        let output = GuardedRow(count: width)
        withExtendedLifetime((rows, columns)) {
          variant.variational.sortColumns(
            rows.map { UnsafePointer($0.base) }, columns.base, columns.stride, width + 4)
          variant.variational.medianRow(columns.base + 2, columns.stride, output.base, width)
        }
        #expect(output.values == expected, "\(variant.level), width \(width)")
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test func medianOf25DifferentValuesInAnyOrder() {
    var random = FixedRandom(seed: 41)
    let median = KernelTable.current.variational
    for _ in 0..<2000 {
      let values = (0..<25).map(Float.init).shuffled(using: &random)
      let rows = (0..<5).map { GuardedRow(Array(values[5 * $0..<5 * $0 + 5])) }
      let columns = ColumnMemory(width: 1)
      let output = GuardedRow(count: 1)
      withExtendedLifetime((rows, columns)) {
        median.sortColumns(rows.map { UnsafePointer($0.base) }, columns.base, columns.stride, 5)
        median.medianRow(columns.base + 2, columns.stride, output.base, 1)
      }
      #expect(output.values == [12])
    }
  }

  private struct ColumnMemory {
    let stride: Int
    let rows: GuardedRow
    var base: UnsafeMutablePointer<Float> { rows.base }

    init(width: Int) {
      stride = width + 48
      rows = GuardedRow(count: 5 * stride)
    }
  }
}
