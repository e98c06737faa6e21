import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that change the sampling of a row.
public struct ResampleKernels: Sendable {
  public typealias Convert<Scalar> =
    @Sendable (UnsafePointer<Scalar>, UnsafeMutablePointer<Float>, _ count: Int, _ scale: Float) -> Void

  public let convertRow8: Convert<UInt8>
  public let convertRow16: Convert<UInt16>

  static func table(for level: ProcessorLevel) -> ResampleKernels {
    switch level {
    case .baseline:
      ResampleKernels(
        convertRow8: FlowKernelsBaseline.convertRow8, convertRow16: FlowKernelsBaseline.convertRow16)
    case .v3:
      ResampleKernels(convertRow8: FlowKernelsV3.convertRow8, convertRow16: FlowKernelsV3.convertRow16)
    case .v4:
      ResampleKernels(convertRow8: FlowKernelsV4.convertRow8, convertRow16: FlowKernelsV4.convertRow16)
    }
  }
}
