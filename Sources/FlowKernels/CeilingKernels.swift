import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// The limits that the benchmarks hold kernels against.
public struct CeilingKernels: Sendable {
  public let copy: @Sendable (UnsafePointer<Float>, UnsafeMutablePointer<Float>, _ count: Int) -> Void
  public let multiplyAdd: @Sendable (_ seed: Float, _ rounds: Int) -> Float
  /// Operations in one round of `multiplyAdd`.
  public static let operationsPerRound = 8 * 16 * 2

  public static func table(for level: ProcessorLevel) -> CeilingKernels {
    switch level {
    case .baseline:
      CeilingKernels(copy: FlowKernelsBaseline.ceilingCopy, multiplyAdd: FlowKernelsBaseline.ceilingMultiplyAdd)
    case .v3: CeilingKernels(copy: FlowKernelsV3.ceilingCopy, multiplyAdd: FlowKernelsV3.ceilingMultiplyAdd)
    case .v4: CeilingKernels(copy: FlowKernelsV4.ceilingCopy, multiplyAdd: FlowKernelsV4.ceilingMultiplyAdd)
    }
  }
}
