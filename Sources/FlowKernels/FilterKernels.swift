import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that weigh and add rows. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct FilterKernels: Sendable {
  public internal(set) var weightedSum = FlowKernelsBaseline.weightedSum
  public internal(set) var interpolateColumns = FlowKernelsBaseline.interpolateColumns
  public internal(set) var addRow = FlowKernelsBaseline.addRow
  public internal(set) var slideRows = FlowKernelsBaseline.slideRows
  public internal(set) var windowSum = FlowKernelsBaseline.windowSum

  static func table(for level: ProcessorLevel) -> FilterKernels {
    switch level {
    case .baseline: FilterKernels()
    case .v3:
      FilterKernels(
        weightedSum: FlowKernelsV3.weightedSum, interpolateColumns: FlowKernelsV3.interpolateColumns,
        addRow: FlowKernelsV3.addRow, slideRows: FlowKernelsV3.slideRows, windowSum: FlowKernelsV3.windowSum)
    case .v4:
      FilterKernels(
        weightedSum: FlowKernelsV4.weightedSum, interpolateColumns: FlowKernelsV4.interpolateColumns,
        addRow: FlowKernelsV4.addRow, slideRows: FlowKernelsV4.slideRows, windowSum: FlowKernelsV4.windowSum)
    }
  }
}
