import FlowKernelTypes
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

  public internal(set) var measureTiles = FlowKernelsBaseline.measureTiles
  public internal(set) var compareTiles = FlowKernelsBaseline.compareTiles

  static func table(for level: ProcessorLevel) -> RegistrationKernels {
    switch level {
    case .baseline: RegistrationKernels()
    case .v3: RegistrationKernels(measureTiles: FlowKernelsV3.measureTiles, compareTiles: FlowKernelsV3.compareTiles)
    case .v4: RegistrationKernels(measureTiles: FlowKernelsV4.measureTiles, compareTiles: FlowKernelsV4.compareTiles)
    }
  }
}
