import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that tell how far flow can be trusted. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct ConfidenceKernels: Sendable {
  public internal(set) var flowConfidenceRow = FlowKernelsBaseline.flowConfidenceRow
  public internal(set) var endInsideRow = FlowKernelsBaseline.endInsideRow

  static func table(for level: ProcessorLevel) -> ConfidenceKernels {
    switch level {
    case .baseline: ConfidenceKernels()
    case .v3:
      ConfidenceKernels(flowConfidenceRow: FlowKernelsV3.flowConfidenceRow, endInsideRow: FlowKernelsV3.endInsideRow)
    case .v4:
      ConfidenceKernels(flowConfidenceRow: FlowKernelsV4.flowConfidenceRow, endInsideRow: FlowKernelsV4.endInsideRow)
    }
  }
}
