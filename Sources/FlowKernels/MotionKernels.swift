import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels that look for motion cell by cell. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct MotionKernels: Sendable {
  public let sumCells:
    @Sendable (
      _ a: UnsafePointer<Float>, _ strideA: Int, _ b: UnsafePointer<Float>, _ strideB: Int,
      _ sums: UnsafeMutablePointer<Float>, _ planeStride: Int, _ count: Int
    ) -> Void
  public let compareCells:
    @Sendable (
      _ sums: UnsafePointer<Float>, _ rowStride: Int, _ planeStride: Int, _ counts: UnsafePointer<Float>,
      _ minimumContrast: Float, _ unexplained: UnsafeMutablePointer<Float>, _ contrast: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void

  static func table(for level: ProcessorLevel) -> MotionKernels {
    switch level {
    case .baseline:
      MotionKernels(sumCells: FlowKernelsBaseline.sumCells, compareCells: FlowKernelsBaseline.compareCells)
    case .v3: MotionKernels(sumCells: FlowKernelsV3.sumCells, compareCells: FlowKernelsV3.compareCells)
    case .v4: MotionKernels(sumCells: FlowKernelsV4.sumCells, compareCells: FlowKernelsV4.compareCells)
    }
  }
}
