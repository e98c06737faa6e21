import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// The limits that the benchmarks hold kernels against.
public struct CeilingKernels: Sendable {
  public typealias Read = @Sendable (UnsafePointer<Float>, _ count: Int) -> UInt32
  public typealias Operations = @Sendable (_ seed: Float, _ rounds: Int) -> Float

  /// Readers for each width of a vector.
  public let read: [Read]
  public let write: @Sendable (UnsafeMutablePointer<Float>, _ value: Float, _ count: Int) -> Void
  public let operations4: Operations
  public let operations8: Operations
  public let operations16: Operations

  /// Multiplications and additions for each width, with their number in one round.
  public var operations: [(count: Int, run: Operations)] {
    let chains = 14
    return [(chains * 4, operations4), (chains * 8, operations8), (chains * 16, operations16)]
  }

  public static func table(for level: ProcessorLevel) -> CeilingKernels {
    switch level {
    case .baseline:
      CeilingKernels(
        read: [FlowKernelsBaseline.ceilingRead4, FlowKernelsBaseline.ceilingRead8, FlowKernelsBaseline.ceilingRead16],
        write: FlowKernelsBaseline.ceilingWrite,
        operations4: FlowKernelsBaseline.ceilingOperations4,
        operations8: FlowKernelsBaseline.ceilingOperations8,
        operations16: FlowKernelsBaseline.ceilingOperations16)
    case .v3:
      CeilingKernels(
        read: [FlowKernelsV3.ceilingRead4, FlowKernelsV3.ceilingRead8, FlowKernelsV3.ceilingRead16],
        write: FlowKernelsV3.ceilingWrite,
        operations4: FlowKernelsV3.ceilingOperations4, operations8: FlowKernelsV3.ceilingOperations8,
        operations16: FlowKernelsV3.ceilingOperations16)
    case .v4:
      CeilingKernels(
        read: [FlowKernelsV4.ceilingRead4, FlowKernelsV4.ceilingRead8, FlowKernelsV4.ceilingRead16],
        write: FlowKernelsV4.ceilingWrite,
        operations4: FlowKernelsV4.ceilingOperations4, operations8: FlowKernelsV4.ceilingOperations8,
        operations16: FlowKernelsV4.ceilingOperations16)
    }
  }
}
