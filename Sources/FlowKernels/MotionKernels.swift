import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that look for motion cell by cell. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct MotionKernels: Sendable {
  public internal(set) var sumCells = FlowKernelsBaseline.sumCells
  public internal(set) var compareCells = FlowKernelsBaseline.compareCells

  static func table(for level: ProcessorLevel) -> MotionKernels {
    switch level {
    case .baseline: MotionKernels()
    case .v3: MotionKernels(sumCells: FlowKernelsV3.sumCells, compareCells: FlowKernelsV3.compareCells)
    case .v4: MotionKernels(sumCells: FlowKernelsV4.sumCells, compareCells: FlowKernelsV4.compareCells)
    }
  }
}
