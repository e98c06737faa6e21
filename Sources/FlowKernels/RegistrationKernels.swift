import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of registration. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct RegistrationKernels: Sendable {
  /// The side of a tile in pixels, and floats per tile in what the kernels read and write.
  public static let tileSide = FlowKernelsBaseline.tileSide
  public static let measureCount = FlowKernelsBaseline.tileMeasureCount
  public static let comparisonCount = FlowKernelsBaseline.tileComparisonCount
  public static let scratchCount = FlowKernelsBaseline.tileScratchCount

  public let measureTiles:
    @Sendable (
      _ image: UnsafePointer<Float>, _ stride: Int, _ origins: UnsafePointer<Int32>, _ count: Int,
      _ sums: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  public let compareTiles:
    @Sendable (
      _ template: UnsafePointer<Float>, _ templateStride: Int, _ templateOrigins: UnsafePointer<Int32>,
      _ target: UnsafePointer<Float>, _ targetStride: Int, _ targetOrigins: UnsafePointer<Int32>,
      _ positions: UnsafePointer<Float>, _ count: Int, _ sums: UnsafeMutablePointer<Float>,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void

  static func table(for level: ProcessorLevel) -> RegistrationKernels {
    switch level {
    case .baseline:
      RegistrationKernels(
        measureTiles: FlowKernelsBaseline.measureTiles, compareTiles: FlowKernelsBaseline.compareTiles)
    case .v3:
      RegistrationKernels(measureTiles: FlowKernelsV3.measureTiles, compareTiles: FlowKernelsV3.compareTiles)
    case .v4:
      RegistrationKernels(measureTiles: FlowKernelsV4.measureTiles, compareTiles: FlowKernelsV4.compareTiles)
    }
  }
}
