// Farnebäck's method.

import FlowKernels

extension KernelCase {
  static func farneback(_ kernels: FarnebackKernels, count: Int) -> [KernelCase] {
    let radius = 5
    let taps = Rows(2 * radius + 1, of: count)
    let weights = Row(64)
    let moments = Rows(3, of: count)
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
      ) { kernels.expandColumns(taps.pointers, weights.start, radius, moments[0], moments[1], moments[2], count) },
      KernelCase(
        "expandRow, radius 5", pixels: count - 2 * radius, rowsRead: 3, rowsWritten: 5,
        operations: Double(15 * radius + 4)
      ) {
        kernels.expandRow(
          moments[0], moments[1], moments[2], weights.start, radius, sums[0], sums.stride, count - 2 * radius)
      },
      // The places, two rows of five bands between them, two rows of weights, the equations.
      KernelCase("formEquations", pixels: count, rowsRead: 18, rowsWritten: 5, operations: 106) {
        kernels.formEquations(
          previous[0], current[0], current.stride, 2 * current.stride, u.start, v.start, 0, count, 2,
          columnWeights.start, 1, sums[0], sums.stride)
      },
      KernelCase("solveEquations", pixels: count, rowsRead: 5, rowsWritten: 2, operations: 18) {
        kernels.solveEquations(previous[0], previous.stride, 1, 0.001, outputU.start, outputV.start, count)
      },
    ]
  }
}
