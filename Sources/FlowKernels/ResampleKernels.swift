import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that change the sampling of a row.
public struct ResampleKernels: Sendable {
  public internal(set) var convertRow8 = FlowKernelsBaseline.convertRow8
  public internal(set) var convertRow16 = FlowKernelsBaseline.convertRow16

  static func table(for level: ProcessorLevel) -> ResampleKernels {
    switch level {
    case .baseline: ResampleKernels()
    case .v3: ResampleKernels(convertRow8: FlowKernelsV3.convertRow8, convertRow16: FlowKernelsV3.convertRow16)
    case .v4: ResampleKernels(convertRow8: FlowKernelsV4.convertRow8, convertRow16: FlowKernelsV4.convertRow16)
    }
  }
}
