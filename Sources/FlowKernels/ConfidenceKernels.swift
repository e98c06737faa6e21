import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that tell how far flow can be trusted. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct ConfidenceKernels: Sendable {
  public let flowConfidenceRow:
    @Sendable (
      _ errors: UnsafePointer<Float>, _ changes: UnsafePointer<Float>, _ u: UnsafePointer<Float>,
      _ v: UnsafePointer<Float>, _ inside: UnsafePointer<Float>, _ limits: UnsafePointer<Float>,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void

  public let endInsideRow:
    @Sendable (
      _ values: UnsafeMutablePointer<Float>, _ first: Float, _ step: Float, _ limit: Float, _ slack: Float, _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> ConfidenceKernels {
    switch level {
    case .baseline:
      ConfidenceKernels(
        flowConfidenceRow: FlowKernelsBaseline.flowConfidenceRow,
        endInsideRow: FlowKernelsBaseline.endInsideRow)
    case .v3:
      ConfidenceKernels(
        flowConfidenceRow: FlowKernelsV3.flowConfidenceRow,
        endInsideRow: FlowKernelsV3.endInsideRow)
    case .v4:
      ConfidenceKernels(
        flowConfidenceRow: FlowKernelsV4.flowConfidenceRow,
        endInsideRow: FlowKernelsV4.endInsideRow)
    }
  }
}
