// Tiles of two images, as kernels of registration take them.

/// Tiles to compare, with their positions in both images.
public struct TilePositions {
  /// The upper left pixel of each tile in the template, counted in floats from the pixel (0, 0).
  public let origins: UnsafePointer<Int32>
  /// The pixel of the target from which the position of each tile counts, in floats from the pixel (0, 0).
  public let targets: UnsafePointer<Int32>
  /// Eight numbers for each tile: its position and its shape in the target.
  public let positions: UnsafePointer<Float>
  /// The number of tiles.
  public let count: Int

  @inlinable
  public init(
    origins: UnsafePointer<Int32>, targets: UnsafePointer<Int32>, positions: UnsafePointer<Float>, count: Int
  ) {
    self.origins = origins
    self.targets = targets
    self.positions = positions
    self.count = count
  }
}
