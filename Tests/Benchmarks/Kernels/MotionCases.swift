import FlowKernelTypes
import FlowKernels

extension KernelCase {
  /// The kernels that reduce the frames in which motion is looked for, as from 768 to 320 columns.
  static func averaging(_ kernels: ResizeKernels, count: Int) -> [KernelCase] {
    let taps = 4
    let lanes = 16
    let columns = count / lanes
    let bytes = Numbers(taps * count) { UInt8(truncatingIfNeeded: $0) }
    let lines = Numbers(taps) { UnsafePointer(bytes.start + $0 * count) }
    let rows = Rows(lanes, of: columns)
    let (source, target) = (Row(3 * count + lanes * taps), Row(count))
    let (weights, scratch) = (Row(taps * columns), Row(512))
    let firsts = Numbers(columns) { Int32(12 * $0 / 5) }
    return [
      KernelCase("combineRows8, \(taps) taps", pixels: count, bytesRead: 4, bytesWritten: 4, operations: 7) {
        // The rows live as long as the pointers to them.
        withExtendedLifetime(bytes) { kernels.combineRows8(lines.start, weights.start, taps, target.start, count) }
      },
      KernelCase("transposeRows", pixels: count, rowsRead: 1, rowsWritten: 1, operations: 0) {
        kernels.transposeRows(rows[0], rows.stride, source.start, columns, scratch.start)
      },
      KernelCase("combineColumns, \(taps) taps", pixels: count, rowsRead: 2.4, rowsWritten: 1, operations: 7) {
        kernels.combineColumns(source.start, firsts.start, weights.start, taps, target.start, columns)
      },
    ]
  }

  /// The kernels that compare images cell by cell.
  static func motion(_ kernels: MotionKernels, count: Int) -> [KernelCase] {
    let cells = count / 4
    let (a, b) = (Rows(4, of: count), Rows(4, of: count))
    let sums = Rows(15, of: count + 16)
    let (counts, unexplained, contrast) = (Row(count, value: 144), Row(count), Row(count))
    return [
      // Of 16 samples come five sums.
      KernelCase("sumCells", pixels: 16 * cells, rowsRead: 2, rowsWritten: 5.0 / 16, operations: 8 + 15.0 / 16) {
        kernels.sumCells(
          StridedRow(base: a[0], stride: a.stride), StridedRow(base: b[0], stride: b.stride),
          MutableStridedRow(base: sums[0], stride: sums.stride), cells)
      },
      KernelCase("compareCells", pixels: count, rowsRead: 16, rowsWritten: 2, operations: 64) {
        kernels.compareCells(
          StridedBands(base: sums[1], rowStride: sums.stride, bandStride: 3 * sums.stride), counts.start, 0.5,
          unexplained.start, contrast.start, count)
      },
    ]
  }
}
