import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of dense Lucas-Kanade. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct LucasKanadeKernels: Sendable {
  public typealias FormEquations =
    @Sendable (
      _ previous: UnsafePointer<Float>, _ current: UnsafePointer<Float>, _ rowStride: Int,
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ y: Int, _ width: Int, _ height: Int,
      _ output: UnsafeMutablePointer<Float>, _ outputStride: Int
    ) -> Void

  public let formEquations: FormEquations
  public let formEquationsBicubic: FormEquations
  public let solveEquations:
    @Sendable (
      _ sums: UnsafePointer<Float>, _ planeStride: Int, _ scale: Float, _ regularization: Float, _ reach: Float,
      _ noise: Float,
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>,
      _ outputU: UnsafeMutablePointer<Float>, _ outputV: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let measureResidual:
    @Sendable (
      _ previous: UnsafePointer<Float>, _ current: UnsafePointer<Float>, _ rowStride: Int,
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ y: Int, _ width: Int, _ height: Int, _ limit: Float,
      _ output: UnsafeMutablePointer<Float>
    ) -> Void
  public let blendDisplacements:
    @Sendable (
      _ residual: UnsafePointer<UnsafePointer<Float>>, _ u: UnsafePointer<UnsafePointer<Float>>,
      _ v: UnsafePointer<UnsafePointer<Float>>, _ shift: Int, _ tolerance: Float, _ floor: Float,
      _ outputU: UnsafeMutablePointer<Float>, _ outputV: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let formTensors:
    @Sendable (
      _ image: UnsafePointer<Float>, _ rowStride: Int, _ output: UnsafeMutablePointer<Float>, _ outputStride: Int,
      _ count: Int
    ) -> Void
  public let smallerEigenvalue:
    @Sendable (
      _ sums: UnsafePointer<Float>, _ planeStride: Int, _ scale: Float, _ output: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void
  public let medianRow3x3:
    @Sendable (_ rows: UnsafePointer<UnsafePointer<Float>>, _ output: UnsafeMutablePointer<Float>, _ count: Int) -> Void

  static func table(for level: ProcessorLevel) -> LucasKanadeKernels {
    switch level {
    case .baseline:
      LucasKanadeKernels(
        formEquations: FlowKernelsBaseline.formMotionEquations,
        formEquationsBicubic: FlowKernelsBaseline.formMotionEquationsBicubic,
        solveEquations: FlowKernelsBaseline.solveMotionEquations,
        measureResidual: FlowKernelsBaseline.measureMotionResidual,
        blendDisplacements: FlowKernelsBaseline.blendDisplacements,
        formTensors: FlowKernelsBaseline.formStructureTensors,
        smallerEigenvalue: FlowKernelsBaseline.smallerEigenvalue,
        medianRow3x3: FlowKernelsBaseline.medianRow3x3)
    case .v3:
      LucasKanadeKernels(
        formEquations: FlowKernelsV3.formMotionEquations,
        formEquationsBicubic: FlowKernelsV3.formMotionEquationsBicubic,
        solveEquations: FlowKernelsV3.solveMotionEquations,
        measureResidual: FlowKernelsV3.measureMotionResidual,
        blendDisplacements: FlowKernelsV3.blendDisplacements,
        formTensors: FlowKernelsV3.formStructureTensors,
        smallerEigenvalue: FlowKernelsV3.smallerEigenvalue,
        medianRow3x3: FlowKernelsV3.medianRow3x3)
    case .v4:
      LucasKanadeKernels(
        formEquations: FlowKernelsV4.formMotionEquations,
        formEquationsBicubic: FlowKernelsV4.formMotionEquationsBicubic,
        solveEquations: FlowKernelsV4.solveMotionEquations,
        measureResidual: FlowKernelsV4.measureMotionResidual,
        blendDisplacements: FlowKernelsV4.blendDisplacements,
        formTensors: FlowKernelsV4.formStructureTensors,
        smallerEigenvalue: FlowKernelsV4.smallerEigenvalue,
        medianRow3x3: FlowKernelsV4.medianRow3x3)
    }
  }
}
