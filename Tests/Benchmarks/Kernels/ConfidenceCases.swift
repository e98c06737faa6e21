// How far flow can be trusted.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func confidence(_ kernels: ConfidenceKernels, count: Int) -> [KernelCase] {
    let rows = Rows(4, of: count)
    let (inside, output, limits) = (Row(count, value: 1), Row(count), Row(4))
    return [
      KernelCase("flowConfidenceRow", pixels: count, rowsRead: 5, rowsWritten: 1, operations: 20) {
        kernels.flowConfidenceRow(
          ErrorRows(flow: rows[0], still: rows[1]), FlowRow(u: rows[2], v: rows[3]), inside.start, limits.start,
          output.start, count)
      },
      KernelCase("endInsideRow", pixels: count, rowsRead: 1, rowsWritten: 1, operations: 11) {
        kernels.endInsideRow(output.start, 0, 1, Float(count - 1), 0.5, count)
      },
    ]
  }
}
