import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of planar motion. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct PlaneKernels: Sendable {
  /// The number of sums that `planeSums` forms.
  public static let sumCount = FlowKernelsBaseline.planeSumCount

  public internal(set) var planeInliers = FlowKernelsBaseline.planeInliers
  public internal(set) var planeSums = FlowKernelsBaseline.planeSums
  public internal(set) var planeFlowRow = FlowKernelsBaseline.planeFlowRow
  public internal(set) var structureErrorRow = FlowKernelsBaseline.structureErrorRow

  static func table(for level: ProcessorLevel) -> PlaneKernels {
    switch level {
    case .baseline: PlaneKernels()
    case .v3:
      PlaneKernels(
        planeInliers: FlowKernelsV3.planeInliers, planeSums: FlowKernelsV3.planeSums,
        planeFlowRow: FlowKernelsV3.planeFlowRow, structureErrorRow: FlowKernelsV3.structureErrorRow)
    case .v4:
      PlaneKernels(
        planeInliers: FlowKernelsV4.planeInliers, planeSums: FlowKernelsV4.planeSums,
        planeFlowRow: FlowKernelsV4.planeFlowRow, structureErrorRow: FlowKernelsV4.structureErrorRow)
    }
  }
}
