import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that resize rows. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct ResizeKernels: Sendable {
  public internal(set) var resizeRow = FlowKernelsBaseline.resizeRow
  public internal(set) var halveRow = FlowKernelsBaseline.halveRow
  public internal(set) var pairRow = FlowKernelsBaseline.pairRow
  public internal(set) var combineRows = FlowKernelsBaseline.combineRows
  public internal(set) var combineRows8 = FlowKernelsBaseline.combineRows8
  public internal(set) var transposeRows = FlowKernelsBaseline.transposeRows
  public internal(set) var transposeColumns = FlowKernelsBaseline.transposeColumns
  public internal(set) var combineColumns = FlowKernelsBaseline.combineColumns

  static func table(for level: ProcessorLevel) -> ResizeKernels {
    switch level {
    case .baseline: ResizeKernels()
    case .v3:
      ResizeKernels(
        resizeRow: FlowKernelsV3.resizeRow, halveRow: FlowKernelsV3.halveRow, pairRow: FlowKernelsV3.pairRow,
        combineRows: FlowKernelsV3.combineRows, combineRows8: FlowKernelsV3.combineRows8,
        transposeRows: FlowKernelsV3.transposeRows, transposeColumns: FlowKernelsV3.transposeColumns,
        combineColumns: FlowKernelsV3.combineColumns)
    case .v4:
      ResizeKernels(
        resizeRow: FlowKernelsV4.resizeRow, halveRow: FlowKernelsV4.halveRow, pairRow: FlowKernelsV4.pairRow,
        combineRows: FlowKernelsV4.combineRows, combineRows8: FlowKernelsV4.combineRows8,
        transposeRows: FlowKernelsV4.transposeRows, transposeColumns: FlowKernelsV4.transposeColumns,
        combineColumns: FlowKernelsV4.combineColumns)
    }
  }
}
