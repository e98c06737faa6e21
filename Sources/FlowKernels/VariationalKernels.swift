import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of the variational refinement. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct VariationalKernels: Sendable {
  public internal(set) var differentiateRow = FlowKernelsBaseline.differentiateRow
  public internal(set) var meanAndDifferenceRow = FlowKernelsBaseline.meanAndDifferenceRow
  public internal(set) var formDataRow = FlowKernelsBaseline.formDataRow
  public internal(set) var formEdgeRow = FlowKernelsBaseline.formEdgeRow
  public internal(set) var splitRows = FlowKernelsBaseline.splitRows
  public internal(set) var joinRows = FlowKernelsBaseline.joinRows
  public internal(set) var formDiffusivityRow = FlowKernelsBaseline.formDiffusivityRow
  public internal(set) var formSystemRow = FlowKernelsBaseline.formSystemRow
  public internal(set) var relaxRow = FlowKernelsBaseline.relaxRow
  public internal(set) var locateRow = FlowKernelsBaseline.locateRow
  public internal(set) var sampleRow = FlowKernelsBaseline.sampleRow
  public internal(set) var sortColumns = FlowKernelsBaseline.sortColumns
  public internal(set) var medianRow = FlowKernelsBaseline.medianRow

  static func table(for level: ProcessorLevel) -> VariationalKernels {
    switch level {
    case .baseline: VariationalKernels()
    case .v3:
      VariationalKernels(
        differentiateRow: FlowKernelsV3.differentiateRow, meanAndDifferenceRow: FlowKernelsV3.meanAndDifferenceRow,
        formDataRow: FlowKernelsV3.formDataRow, formEdgeRow: FlowKernelsV3.formEdgeRow,
        splitRows: FlowKernelsV3.splitRows, joinRows: FlowKernelsV3.joinRows,
        formDiffusivityRow: FlowKernelsV3.formDiffusivityRow, formSystemRow: FlowKernelsV3.formSystemRow,
        relaxRow: FlowKernelsV3.relaxRow, locateRow: FlowKernelsV3.locateRow, sampleRow: FlowKernelsV3.sampleRow,
        sortColumns: FlowKernelsV3.sortColumns, medianRow: FlowKernelsV3.medianRow)
    case .v4:
      VariationalKernels(
        differentiateRow: FlowKernelsV4.differentiateRow, meanAndDifferenceRow: FlowKernelsV4.meanAndDifferenceRow,
        formDataRow: FlowKernelsV4.formDataRow, formEdgeRow: FlowKernelsV4.formEdgeRow,
        splitRows: FlowKernelsV4.splitRows, joinRows: FlowKernelsV4.joinRows,
        formDiffusivityRow: FlowKernelsV4.formDiffusivityRow, formSystemRow: FlowKernelsV4.formSystemRow,
        relaxRow: FlowKernelsV4.relaxRow, locateRow: FlowKernelsV4.locateRow, sampleRow: FlowKernelsV4.sampleRow,
        sortColumns: FlowKernelsV4.sortColumns, medianRow: FlowKernelsV4.medianRow)
    }
  }
}
