// Rows of pixels and how they are coloured, as kernels of rendering take them.

/// A row of pixels to write, one word each.
public struct PixelRow {
  /// The first pixel.
  public let base: UnsafeMutablePointer<UInt32>
  /// Pixels.
  public let count: Int

  @inlinable
  public init(base: UnsafeMutablePointer<UInt32>, count: Int) {
    self.base = base
    self.count = count
  }
}

/// How the length of a vector becomes the strength of a colour: clamp(length · scale + bias).
public struct LengthScale: Sendable {
  /// The strength of one pixel of length.
  public let scale: Float
  /// The strength without motion.
  public let bias: Float

  @inlinable
  public init(scale: Float, bias: Float) {
    self.scale = scale
    self.bias = bias
  }
}

/// A ring of colours that stand for directions, one word each: the first for the right, then clockwise on the screen, and
/// behind the last the first again.
public enum DirectionRing {
  /// The number of directions: 255 for each sixth of a turn, as many as the hue circle has colours of 8 bits.
  @inlinable
  public static var count: Int { 1530 }
}

/// How a row is drawn with triangles.
public struct GlyphDrawing {
  /// Numbers in a row of the table of triangles.
  public let pitch: Int
  /// How far the row lies above the centre of its cells, in pixels.
  public let distance: Float
  /// How lengths become strengths.
  public let lengths: LengthScale

  @inlinable
  public init(pitch: Int, distance: Float, lengths: LengthScale) {
    self.pitch = pitch
    self.distance = distance
    self.lengths = lengths
  }
}
