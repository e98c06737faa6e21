import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of the inverse search on patches. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct InverseSearchKernels: Sendable {
  public internal(set) var searchPatchRow = FlowKernelsBaseline.searchPatchRow
  public internal(set) var searchWideRow = FlowKernelsBaseline.searchWideRow
  public internal(set) var densifyRow = FlowKernelsBaseline.densifyRow
  public internal(set) var divideRow = FlowKernelsBaseline.divideRow
  public internal(set) var warpErrorRow = FlowKernelsBaseline.warpErrorRow
  public internal(set) var selectRow = FlowKernelsBaseline.selectRow

  static func table(for level: ProcessorLevel) -> InverseSearchKernels {
    switch level {
    case .baseline: InverseSearchKernels()
    case .v3:
      InverseSearchKernels(
        searchPatchRow: FlowKernelsV3.searchPatchRow, searchWideRow: FlowKernelsV3.searchWideRow,
        densifyRow: FlowKernelsV3.densifyRow, divideRow: FlowKernelsV3.divideRow,
        warpErrorRow: FlowKernelsV3.warpErrorRow, selectRow: FlowKernelsV3.selectRow)
    case .v4:
      InverseSearchKernels(
        searchPatchRow: FlowKernelsV4.searchPatchRow, searchWideRow: FlowKernelsV4.searchWideRow,
        densifyRow: FlowKernelsV4.densifyRow, divideRow: FlowKernelsV4.divideRow,
        warpErrorRow: FlowKernelsV4.warpErrorRow, selectRow: FlowKernelsV4.selectRow)
    }
  }
}
