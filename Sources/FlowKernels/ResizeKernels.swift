import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that resize rows. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct ResizeKernels: Sendable {
  public let resizeRow:
    @Sendable (
      _ input: UnsafePointer<Float>, _ origins: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let halveRow:
    @Sendable (
      _ input: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void
  public let pairRow:
    @Sendable (_ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ count: Int) -> Void
  public let combineRows:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, _ taps: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  public let combineRows8:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<UInt8>>, _ weights: UnsafePointer<Float>, _ taps: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let transposeRows:
    @Sendable (
      _ input: UnsafePointer<Float>, _ stride: Int, _ output: UnsafeMutablePointer<Float>, _ count: Int,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  public let transposeColumns:
    @Sendable (
      _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ stride: Int, _ count: Int,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  public let combineColumns:
    @Sendable (
      _ input: UnsafePointer<Float>, _ firsts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> ResizeKernels {
    switch level {
    case .baseline:
      ResizeKernels(
        resizeRow: FlowKernelsBaseline.resizeRow,
        halveRow: FlowKernelsBaseline.halveRow,
        pairRow: FlowKernelsBaseline.pairRow,
        combineRows: FlowKernelsBaseline.combineRows,
        combineRows8: FlowKernelsBaseline.combineRows8,
        transposeRows: FlowKernelsBaseline.transposeRows,
        transposeColumns: FlowKernelsBaseline.transposeColumns,
        combineColumns: FlowKernelsBaseline.combineColumns)
    case .v3:
      ResizeKernels(
        resizeRow: FlowKernelsV3.resizeRow,
        halveRow: FlowKernelsV3.halveRow,
        pairRow: FlowKernelsV3.pairRow,
        combineRows: FlowKernelsV3.combineRows,
        combineRows8: FlowKernelsV3.combineRows8,
        transposeRows: FlowKernelsV3.transposeRows,
        transposeColumns: FlowKernelsV3.transposeColumns,
        combineColumns: FlowKernelsV3.combineColumns)
    case .v4:
      ResizeKernels(
        resizeRow: FlowKernelsV4.resizeRow,
        halveRow: FlowKernelsV4.halveRow,
        pairRow: FlowKernelsV4.pairRow,
        combineRows: FlowKernelsV4.combineRows,
        combineRows8: FlowKernelsV4.combineRows8,
        transposeRows: FlowKernelsV4.transposeRows,
        transposeColumns: FlowKernelsV4.transposeColumns,
        combineColumns: FlowKernelsV4.combineColumns)
    }
  }
}
