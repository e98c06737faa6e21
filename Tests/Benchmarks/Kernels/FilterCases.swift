// Sums of rows, resizing, conversion.

import FlowKernels

extension KernelCase {
  static func filters(_ kernels: FilterKernels, count: Int) -> [KernelCase] {
    let rows = Rows(7, of: count)
    let (output, scratch, weights) = (Row(count), Row(count), Row(8))
    let positions = Numbers(count + 64) { Int32(min($0, count - 1) / 2) }
    let window = 15
    return [
      KernelCase("weightedSum, 7 taps", pixels: count, rowsRead: 7, rowsWritten: 1, operations: 13) {
        kernels.weightedSum(rows.pointers, weights.start, 7, output.start, count)
      },
      KernelCase("interpolateColumns, twice as wide", pixels: count, rowsRead: 3, rowsWritten: 1, operations: 4) {
        kernels.interpolateColumns(rows[0], positions.start, rows[1], output.start, count)
      },
      KernelCase("addRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 1) {
        kernels.addRow(rows[0], scratch.start, count)
      },
      KernelCase("slideRows", pixels: count, rowsRead: 3, rowsWritten: 1, operations: 2) {
        kernels.slideRows(rows[0], rows[1], scratch.start, count)
      },
      // Sums of four, of which three are added with three single samples.
      KernelCase("windowSum, 15 wide", pixels: count - window, rowsRead: 1, rowsWritten: 1, operations: 8) {
        kernels.windowSum(rows[2], scratch.start, output.start, count - window, window)
      },
    ]
  }

  static func resizing(_ kernels: ResizeKernels, _ conversion: ResampleKernels, count: Int) -> [KernelCase] {
    let rows = Rows(8, of: 2 * count + 40)
    let output = Row(count)
    // Shrinking to 0.8: sixteen samples lean on twenty and what the filter reaches beyond.
    let taps = 28
    let origins = Numbers(count / 16 + 1) { Int32($0 * 20) }
    let weights = Row((count / 16 + 1) * 16 * taps)
    let bytes = Numbers(count + 64) { UInt8(truncatingIfNeeded: $0) }
    return [
      KernelCase(
        "resizeRow, \(taps) taps", pixels: count, rowsRead: Double(taps) * 17 / 16, rowsWritten: 1,
        operations: Double(2 * taps)
      ) { kernels.resizeRow(rows[0], origins.start, weights.start, taps, output.start, count) },
      KernelCase("halveRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 15) {
        kernels.halveRow(rows[0], weights.start, output.start, count)
      },
      KernelCase("combineRows, 8 taps", pixels: count, rowsRead: 8, rowsWritten: 1, operations: 15) {
        kernels.combineRows(rows.pointers, weights.start, 8, output.start, count)
      },
      KernelCase("convertRow8", pixels: count, bytesRead: 1, bytesWritten: 4, operations: 1) {
        conversion.convertRow8(bytes.start, output.start, count, 1)
      },
    ]
  }
}
