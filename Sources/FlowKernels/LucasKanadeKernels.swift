import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of dense Lucas-Kanade. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct LucasKanadeKernels: Sendable {
  public internal(set) var formEquations = FlowKernelsBaseline.formMotionEquations
  public internal(set) var formEquationsBicubic = FlowKernelsBaseline.formMotionEquationsBicubic
  public internal(set) var solveEquations = FlowKernelsBaseline.solveMotionEquations
  public internal(set) var measureResidual = FlowKernelsBaseline.measureMotionResidual
  public internal(set) var blendDisplacements = FlowKernelsBaseline.blendDisplacements
  public internal(set) var formTensors = FlowKernelsBaseline.formStructureTensors
  public internal(set) var smallerEigenvalue = FlowKernelsBaseline.smallerEigenvalue
  public internal(set) var medianRow3x3 = FlowKernelsBaseline.medianRow3x3

  static func table(for level: ProcessorLevel) -> LucasKanadeKernels {
    switch level {
    case .baseline: LucasKanadeKernels()
    case .v3:
      LucasKanadeKernels(
        formEquations: FlowKernelsV3.formMotionEquations,
        formEquationsBicubic: FlowKernelsV3.formMotionEquationsBicubic,
        solveEquations: FlowKernelsV3.solveMotionEquations, measureResidual: FlowKernelsV3.measureMotionResidual,
        blendDisplacements: FlowKernelsV3.blendDisplacements, formTensors: FlowKernelsV3.formStructureTensors,
        smallerEigenvalue: FlowKernelsV3.smallerEigenvalue, medianRow3x3: FlowKernelsV3.medianRow3x3)
    case .v4:
      LucasKanadeKernels(
        formEquations: FlowKernelsV4.formMotionEquations,
        formEquationsBicubic: FlowKernelsV4.formMotionEquationsBicubic,
        solveEquations: FlowKernelsV4.solveMotionEquations, measureResidual: FlowKernelsV4.measureMotionResidual,
        blendDisplacements: FlowKernelsV4.blendDisplacements, formTensors: FlowKernelsV4.formStructureTensors,
        smallerEigenvalue: FlowKernelsV4.smallerEigenvalue, medianRow3x3: FlowKernelsV4.medianRow3x3)
    }
  }
}
