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

  static func table(for level: ProcessorLevel) -> ResizeKernels {
    switch level {
    case .baseline:
      ResizeKernels(
        resizeRow: FlowKernelsBaseline.resizeRow,
        halveRow: FlowKernelsBaseline.halveRow,
        pairRow: FlowKernelsBaseline.pairRow,
        combineRows: FlowKernelsBaseline.combineRows)
    case .v3:
      ResizeKernels(
        resizeRow: FlowKernelsV3.resizeRow,
        halveRow: FlowKernelsV3.halveRow,
        pairRow: FlowKernelsV3.pairRow,
        combineRows: FlowKernelsV3.combineRows)
    case .v4:
      ResizeKernels(
        resizeRow: FlowKernelsV4.resizeRow,
        halveRow: FlowKernelsV4.halveRow,
        pairRow: FlowKernelsV4.pairRow,
        combineRows: FlowKernelsV4.combineRows)
    }
  }
}
