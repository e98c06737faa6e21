import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// The limits that the benchmarks hold kernels against.
public struct CeilingKernels: Sendable {
  /// Readers for each width of a vector.
  public internal(set) var read = [
    FlowKernelsBaseline.ceilingRead4, FlowKernelsBaseline.ceilingRead8, FlowKernelsBaseline.ceilingRead16,
  ]
  public internal(set) var write = FlowKernelsBaseline.ceilingWrite
  /// Multiplications and additions for each width, with their number in one round.
  public internal(set) var operations = operations(
    FlowKernelsBaseline.ceilingOperations4, FlowKernelsBaseline.ceilingOperations8,
    FlowKernelsBaseline.ceilingOperations16)

  private static func operations<Run>(_ run4: Run, _ run8: Run, _ run16: Run) -> [(count: Int, run: Run)] {
    let chains = 14
    return [(chains * 4, run4), (chains * 8, run8), (chains * 16, run16)]
  }

  public static func table(for level: ProcessorLevel) -> CeilingKernels {
    switch level {
    case .baseline: CeilingKernels()
    case .v3:
      CeilingKernels(
        read: [FlowKernelsV3.ceilingRead4, FlowKernelsV3.ceilingRead8, FlowKernelsV3.ceilingRead16],
        write: FlowKernelsV3.ceilingWrite,
        operations: operations(
          FlowKernelsV3.ceilingOperations4, FlowKernelsV3.ceilingOperations8, FlowKernelsV3.ceilingOperations16))
    case .v4:
      CeilingKernels(
        read: [FlowKernelsV4.ceilingRead4, FlowKernelsV4.ceilingRead8, FlowKernelsV4.ceilingRead16],
        write: FlowKernelsV4.ceilingWrite,
        operations: operations(
          FlowKernelsV4.ceilingOperations4, FlowKernelsV4.ceilingOperations8, FlowKernelsV4.ceilingOperations16))
    }
  }
}
