import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that warp whole images. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct WarpKernels: Sendable {
  public typealias Narrow<Scalar> =
    @Sendable (
      _ values: UnsafePointer<Float>, _ inside: UnsafePointer<Float>, _ fill: Float, _ largest: Float,
      _ output: UnsafeMutablePointer<Scalar>, _ count: Int
    ) -> Void

  public let projectRow:
    @Sendable (
      _ coefficients: UnsafePointer<Float>, _ u: UnsafeMutablePointer<Float>, _ v: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void
  public let sampleRowBilinear:
    @Sendable (
      _ image: UnsafePointer<Float>, _ stride: Int, _ origins: UnsafePointer<Int32>, _ fx: UnsafePointer<Float>,
      _ fy: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let narrowRow8: Narrow<UInt8>
  public let narrowRow16: Narrow<UInt16>

  static func table(for level: ProcessorLevel) -> WarpKernels {
    switch level {
    case .baseline:
      WarpKernels(
        projectRow: FlowKernelsBaseline.projectRow, sampleRowBilinear: FlowKernelsBaseline.sampleRowBilinear,
        narrowRow8: FlowKernelsBaseline.narrowRow8, narrowRow16: FlowKernelsBaseline.narrowRow16)
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
