// The search on patches, and the dense flow that they make.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  /// Two images of sixteen rows, with patches in the first eight.
  private struct Patches {
    static let step = 4
    /// A comparison samples 8×8 pixels bilinearly and forms four sums of their differences.
    static let comparison = 920.0
    let previous: Rows
    let current: Rows
    let (candidates, result, sums): (Rows, Rows, Rows)
    let scratch = Row(544)
    let count: Int

    init(width: Int) {
      (previous, current) = (Rows(16, of: width), Rows(16, of: width))
      candidates = Rows(6, of: width)
      result = Rows(3, of: width)
      sums = Rows(3, of: width + 16)
      count = (width - 8) / Self.step
      for row in 0..<6 { for k in 0..<count { candidates[row][k] = 0.25 + 0.125 * Float(row) } }
      for k in 0..<count { (result[0][k], result[1][k]) = (0.25, 0.25) }
    }
  }

  static func inverseSearch(_ kernels: InverseSearchKernels, count: Int) -> [KernelCase] {
    let patches = Patches(width: count)
    let rows = Rows(8, of: count)
    let (outputU, outputV) = (Row(count), Row(count))
    // A patch belongs to the pixels to the next one.
    let area = Double(Patches.step * Patches.step)
    let image = ImageRows(base: patches.current[0], stride: patches.current.stride, width: count, height: 16)
    let layout = PatchRowLayout(y: 0, step: Patches.step, count: patches.count)
    func search(_ candidates: Int, _ iterations: Int) {
      let (previous, result) = (patches.previous, patches.result)
      kernels.searchPatchRow(
        PatchSource(image: previous[0], dx: previous[1], dy: previous[2], gradientStride: previous.stride), image,
        layout, patches.candidates.pointers,
        PatchWork(candidateCount: candidates, iterations: iterations, scratch: patches.scratch.start),
        PatchShiftRow(u: result[0], v: result[1], cost: result[2]))
    }
    return [
      KernelCase(
        "searchPatchRow, 3 candidates", pixels: patches.count * Int(area), rowsRead: 4, rowsWritten: 0,
        operations: 3 * Patches.comparison / area
      ) { search(3, 0) },
      // A step forms the matrix and compares once more.
      KernelCase(
        "searchPatchRow, 1 candidate, 1 step", pixels: patches.count * Int(area), rowsRead: 4, rowsWritten: 0,
        operations: (2 * Patches.comparison + 512) / area
      ) { search(1, 1) },
      KernelCase(
        "densifyRow", pixels: patches.count * Patches.step, rowsRead: 6, rowsWritten: 3,
        operations: 115 / Double(Patches.step)
      ) {
        kernels.densifyRow(
          patches.previous[0], image, layout, FlowRow(u: patches.candidates[0], v: patches.candidates[1]),
          FlowSumRow(u: patches.sums[0], v: patches.sums[1], weight: patches.sums[2]), patches.scratch.start)
      },
      KernelCase("divideRow", pixels: count, rowsRead: 2, rowsWritten: 1, operations: 1) {
        kernels.divideRow(rows[0], rows[1], outputU.start, count)
      },
      KernelCase("warpErrorRow", pixels: count, rowsRead: 3, rowsWritten: 1, operations: 5) {
        kernels.warpErrorRow(
          rows[0], rows[1], rows[2], ErrorLimits(limit: 20, outside: 10), outputU.start, count)
      },
      KernelCase("selectRow", pixels: count, rowsRead: 6, rowsWritten: 2, operations: 2) {
        kernels.selectRow(
          FlowRow(u: rows[0], v: rows[1]), rows[2], rows[3], 0.5,
          MutableFlowRow(u: outputU.start, v: outputV.start), count)
      },
    ]
  }
}
