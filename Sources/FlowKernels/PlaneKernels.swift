import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of planar motion. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct PlaneKernels: Sendable {
  public let planeInliers:
    @Sendable (
      _ plane: UnsafePointer<Float>, _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, _ u: UnsafePointer<Float>,
      _ v: UnsafePointer<Float>, _ squaredTolerance: UnsafePointer<Float>, _ words: UnsafeMutablePointer<UInt16>,
      _ count: Int
    ) -> Void
  public let planeSums:
    @Sendable (
      _ elements: UnsafePointer<Float>?, _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>,
      _ targetX: UnsafePointer<Float>, _ targetY: UnsafePointer<Float>, _ sharpness: UnsafePointer<Float>,
      _ sums: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let planeFlowRow:
    @Sendable (
      _ plane: UnsafePointer<Float>, _ x: Int, _ y: Int, _ limit: Float, _ u: UnsafeMutablePointer<Float>,
      _ v: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let structureErrorRow:
    @Sendable (
      _ first: UnsafePointer<Float>, _ firstStride: Int, _ second: UnsafePointer<Float>, _ secondStride: Int,
      _ inside: UnsafePointer<Float>, _ outsideError: Float, _ contrast: Float, _ output: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void

  /// The number of sums that `planeSums` forms.
  public static let sumCount = FlowKernelsBaseline.planeSumCount

  static func table(for level: ProcessorLevel) -> PlaneKernels {
    switch level {
    case .baseline:
      PlaneKernels(
        planeInliers: FlowKernelsBaseline.planeInliers, planeSums: FlowKernelsBaseline.planeSums,
        planeFlowRow: FlowKernelsBaseline.planeFlowRow,
        structureErrorRow: FlowKernelsBaseline.structureErrorRow)
    case .v3:
      PlaneKernels(
        planeInliers: FlowKernelsV3.planeInliers, planeSums: FlowKernelsV3.planeSums,
        planeFlowRow: FlowKernelsV3.planeFlowRow,
        structureErrorRow: FlowKernelsV3.structureErrorRow)
    case .v4:
      PlaneKernels(
        planeInliers: FlowKernelsV4.planeInliers, planeSums: FlowKernelsV4.planeSums,
        planeFlowRow: FlowKernelsV4.planeFlowRow,
        structureErrorRow: FlowKernelsV4.structureErrorRow)
    }
  }
}
