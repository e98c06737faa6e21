// Tiles of two images, as kernels of registration take them.

/// Tiles to compare, and where they lie.
public struct TilePlaces {
  /// For each tile its upper left pixel in the template, counted in floats from the pixel (0, 0).
  public let origins: UnsafePointer<Int32>
  /// For each tile the pixel of the target from which its position counts, in floats from the pixel (0, 0).
  public let targets: UnsafePointer<Int32>
  /// Eight numbers for each tile: its position and its shape in the target.
  public let positions: UnsafePointer<Float>
  /// Tiles.
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
