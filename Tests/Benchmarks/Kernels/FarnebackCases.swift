// Farnebäck's method.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func farneback(_ kernels: FarnebackKernels, count: Int) -> [KernelCase] {
    let radius = 5
    let taps = Rows(2 * radius + 1, of: count)
    let weights = Row(64)
    let moments = Rows(3, of: count)
    let momentRows = MomentRows(mean: moments[0], slope: moments[1], curvature: moments[2])
    // Bands of two rows.
    let (previous, current) = (Rows(10, of: count), Rows(10, of: count))
    let sums = Rows(5, of: count)
    let (u, v) = (Row(count, value: 0.25), Row(count, value: 0.25))
    let (outputU, outputV) = (Row(count), Row(count))
    let columnWeights = Row(count, value: 1)
    return [
      // Even and odd parts of pairs of rows, three weighted sums.
      KernelCase(
        "expandColumns, radius 5", pixels: count, rowsRead: Double(2 * radius + 1), rowsWritten: 3,
        operations: Double(8 * radius + 2)
      ) { kernels.expandColumns(taps.pointers, weights.start, radius, momentRows, count) },
      KernelCase(
        "expandRow, radius 5", pixels: count - 2 * radius, rowsRead: 3, rowsWritten: 5,
        operations: Double(15 * radius + 4)
      ) {
        kernels.expandRow(
          momentRows, weights.start, radius, MutableStridedRow(base: sums[0], stride: sums.stride),
          count - 2 * radius)
      },
      // The places, two rows of five bands between them, two rows of weights, the equations.
      KernelCase("formEquations", pixels: count, rowsRead: 18, rowsWritten: 5, operations: 106) {
        kernels.formEquations(
          ExpansionRow(base: previous[0], bandStride: 2 * current.stride, y: 0),
          ImageRows(base: current[0], stride: current.stride, width: count, height: 2),
          FlowRow(u: u.start, v: v.start), EquationWeights(columns: columnWeights.start, row: 1),
          MutableStridedRow(base: sums[0], stride: sums.stride))
      },
      KernelCase("solveEquations", pixels: count, rowsRead: 5, rowsWritten: 2, operations: 18) {
        kernels.solveEquations(
          StridedRow(base: previous[0], stride: previous.stride), 1, 0.001,
          MutableFlowRow(u: outputU.start, v: outputV.start), count)
      },
    ]
  }
}
