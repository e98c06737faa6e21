import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that warp whole images. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct WarpKernels: Sendable {
  public internal(set) var projectRow = FlowKernelsBaseline.projectRow
  public internal(set) var sampleRowBilinear = FlowKernelsBaseline.sampleRowBilinear
  public internal(set) var narrowRow8 = FlowKernelsBaseline.narrowRow8
  public internal(set) var narrowRow16 = FlowKernelsBaseline.narrowRow16

  static func table(for level: ProcessorLevel) -> WarpKernels {
    switch level {
    case .baseline: WarpKernels()
    case .v3:
      WarpKernels(
        projectRow: FlowKernelsV3.projectRow, sampleRowBilinear: FlowKernelsV3.sampleRowBilinear,
        narrowRow8: FlowKernelsV3.narrowRow8, narrowRow16: FlowKernelsV3.narrowRow16)
    case .v4:
      WarpKernels(
        projectRow: FlowKernelsV4.projectRow, sampleRowBilinear: FlowKernelsV4.sampleRowBilinear,
        narrowRow8: FlowKernelsV4.narrowRow8, narrowRow16: FlowKernelsV4.narrowRow16)
    }
  }
}
