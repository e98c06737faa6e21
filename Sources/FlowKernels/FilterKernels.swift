import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that weigh and add rows. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct FilterKernels: Sendable {
  public let weightedSum:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, _ taps: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let interpolateColumns:
    @Sendable (
      _ input: UnsafePointer<Float>, _ positions: UnsafePointer<Int32>, _ fractions: UnsafePointer<Float>,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let addRow: @Sendable (_ row: UnsafePointer<Float>, _ sums: UnsafeMutablePointer<Float>, _ count: Int) -> Void
  public let slideRows:
    @Sendable (
      _ added: UnsafePointer<Float>, _ removed: UnsafePointer<Float>, _ sums: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let windowSum:
    @Sendable (
      _ row: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>,
      _ count: Int, _ window: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> FilterKernels {
    switch level {
    case .baseline:
      FilterKernels(
        weightedSum: FlowKernelsBaseline.weightedSum,
        interpolateColumns: FlowKernelsBaseline.interpolateColumns,
        addRow: FlowKernelsBaseline.addRow,
        slideRows: FlowKernelsBaseline.slideRows,
        windowSum: FlowKernelsBaseline.windowSum)
    case .v3:
      FilterKernels(
        weightedSum: FlowKernelsV3.weightedSum,
        interpolateColumns: FlowKernelsV3.interpolateColumns,
        addRow: FlowKernelsV3.addRow,
        slideRows: FlowKernelsV3.slideRows,
        windowSum: FlowKernelsV3.windowSum)
    case .v4:
      FilterKernels(
        weightedSum: FlowKernelsV4.weightedSum,
        interpolateColumns: FlowKernelsV4.interpolateColumns,
        addRow: FlowKernelsV4.addRow,
        slideRows: FlowKernelsV4.slideRows,
        windowSum: FlowKernelsV4.windowSum)
    }
  }
}
