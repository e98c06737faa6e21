import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of polynomial expansion and of the displacement between two expansions. Contracts stand at the functions, in
/// `FlowKernelsBaseline`.
public struct FarnebackKernels: Sendable {
  public internal(set) var expandColumns = FlowKernelsBaseline.expandColumns
  public internal(set) var expandRow = FlowKernelsBaseline.expandRow
  public internal(set) var formEquations = FlowKernelsBaseline.formEquations
  public internal(set) var solveEquations = FlowKernelsBaseline.solveEquations

  static func table(for level: ProcessorLevel) -> FarnebackKernels {
    switch level {
    case .baseline: FarnebackKernels()
    case .v3:
      FarnebackKernels(
        expandColumns: FlowKernelsV3.expandColumns, expandRow: FlowKernelsV3.expandRow,
        formEquations: FlowKernelsV3.formEquations, solveEquations: FlowKernelsV3.solveEquations)
    case .v4:
      FarnebackKernels(
        expandColumns: FlowKernelsV4.expandColumns, expandRow: FlowKernelsV4.expandRow,
        formEquations: FlowKernelsV4.formEquations, solveEquations: FlowKernelsV4.solveEquations)
    }
  }
}
