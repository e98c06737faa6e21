import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of polynomial expansion and of the displacement between two expansions. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct FarnebackKernels: Sendable {
  public let expandColumns:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, _ radius: Int,
      _ mean: UnsafeMutablePointer<Float>, _ slope: UnsafeMutablePointer<Float>,
      _ curvature: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let expandRow:
    @Sendable (
      _ mean: UnsafePointer<Float>, _ slope: UnsafePointer<Float>, _ curvature: UnsafePointer<Float>,
      _ weights: UnsafePointer<Float>, _ radius: Int, _ output: UnsafeMutablePointer<Float>, _ planeStride: Int,
      _ count: Int
    ) -> Void
  public let formEquations:
    @Sendable (
      _ previous: UnsafePointer<Float>, _ current: UnsafePointer<Float>, _ rowStride: Int, _ planeStride: Int,
      _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ y: Int, _ width: Int, _ height: Int,
      _ columnWeights: UnsafePointer<Float>, _ rowWeight: Float, _ output: UnsafeMutablePointer<Float>,
      _ outputStride: Int
    ) -> Void
  public let solveEquations:
    @Sendable (
      _ sums: UnsafePointer<Float>, _ planeStride: Int, _ scale: Float, _ regularization: Float,
      _ u: UnsafeMutablePointer<Float>, _ v: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> FarnebackKernels {
    switch level {
    case .baseline:
      FarnebackKernels(
        expandColumns: FlowKernelsBaseline.expandColumns,
        expandRow: FlowKernelsBaseline.expandRow,
        formEquations: FlowKernelsBaseline.formEquations,
        solveEquations: FlowKernelsBaseline.solveEquations)
    case .v3:
      FarnebackKernels(
        expandColumns: FlowKernelsV3.expandColumns,
        expandRow: FlowKernelsV3.expandRow,
        formEquations: FlowKernelsV3.formEquations,
        solveEquations: FlowKernelsV3.solveEquations)
    case .v4:
      FarnebackKernels(
        expandColumns: FlowKernelsV4.expandColumns,
        expandRow: FlowKernelsV4.expandRow,
        formEquations: FlowKernelsV4.formEquations,
        solveEquations: FlowKernelsV4.solveEquations)
    }
  }
}
