// Lucas and Kanade's method. Its window sums are among the filters.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  static func lucasKanade(_ kernels: LucasKanadeKernels, count: Int) -> [KernelCase] {
    let (previous, current, sums) = (Rows(4, of: count), Rows(4, of: count), Rows(5, of: count))
    let (u, v) = (Row(count, value: 0.25), Row(count, value: 0.25))
    let (rowsU, rowsV, residual) = (Rows(3, of: count), Rows(3, of: count), Rows(3, of: count))
    let (outputU, outputV) = (Row(count), Row(count))
    let shift = 4
    let (flow, output) = (FlowRow(u: u.start, v: v.start), MutableFlowRow(u: outputU.start, v: outputV.start))
    let second = ImageRows(base: current[1], stride: current.stride, width: count, height: 2)
    let memory = (u, v, outputU, outputV, current)
    return [
      // Nineteen operations find the places, fourteen make the equations.
      KernelCase("formMotionEquations", pixels: count, rowsRead: 9, rowsWritten: 5, operations: 74) {
        withExtendedLifetime(memory) {
          kernels.formEquations(
            previous[1], second, flow, 0, MutableStridedRow(base: sums[0], stride: sums.stride))
        }
      },
      KernelCase("formMotionEquationsBicubic", pixels: count, rowsRead: 9, rowsWritten: 5, operations: 204) {
        withExtendedLifetime(memory) {
          kernels.formEquationsBicubic(
            previous[1], second, flow, 0, MutableStridedRow(base: sums[0], stride: sums.stride))
        }
      },
      KernelCase("solveMotionEquations", pixels: count, rowsRead: 7, rowsWritten: 2, operations: 45) {
        withExtendedLifetime(memory) {
          kernels.solveEquations(
            StridedRow(base: sums[0], stride: sums.stride), 0.01,
            DisplacementLimits(regularization: 0.5, maximumStep: 2, minimumTrace: 1e-6), flow, output, count)
        }
      },
      KernelCase("measureMotionResidual", pixels: count, rowsRead: 5, rowsWritten: 1, operations: 34) {
        withExtendedLifetime(memory) {
          kernels.measureResidual(previous[1], second, flow, 0, 20, outputU.start)
        }
      },
      KernelCase("blendDisplacements", pixels: count - 2 * shift, rowsRead: 9, rowsWritten: 2, operations: 105) {
        withExtendedLifetime(memory) {
          kernels.blendDisplacements(
            residual.pointers, rowsU.pointers, rowsV.pointers, WindowChoice(shift: shift, tolerance: 0.4, floor: 0.5),
            output, count - 2 * shift)
        }
      },
      KernelCase("formStructureTensors", pixels: count, rowsRead: 3, rowsWritten: 3, operations: 7) {
        kernels.formTensors(previous[1], previous.stride, sums[0], sums.stride, count)
      },
      KernelCase("smallerEigenvalue", pixels: count, rowsRead: 3, rowsWritten: 1, operations: 22) {
        kernels.smallerEigenvalue(previous[0], previous.stride, 0.01, outputU.start, count)
      },
    ]
  }

  /// The median filters that all methods share.
  static func medianFilterPasses(_ kernels: KernelTable, count: Int) -> [KernelCase] {
    let (rows, sorted) = (Rows(5, of: count + 4), Rows(5, of: count + 4))
    let output = Row(count)
    return [
      KernelCase("sortColumns", pixels: count + 4, rowsRead: 5, rowsWritten: 5, operations: 18) {
        kernels.variational.sortColumns(rows.pointers, sorted[0], sorted.stride, count + 4)
      },
      // Five sorts of five, less what is not needed, and the choice among thirteen.
      KernelCase("medianRow, 5×5", pixels: count, rowsRead: 5, rowsWritten: 1, operations: 125) {
        kernels.variational.medianRow(rows[0] + 2, rows.stride, output.start, count)
      },
      KernelCase("medianRow3x3", pixels: count, rowsRead: 3, rowsWritten: 1, operations: 30) {
        kernels.lucasKanade.medianRow3x3(rows.pointers, output.start, count)
      },
    ]
  }
}
