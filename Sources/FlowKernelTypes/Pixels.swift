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

/// The map from the length of a vector to the strength of a colour: clamp(length · scale + bias).
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

/// A ring of colours that stand for directions, one word each: the first for the right, then clockwise on the screen,
/// and behind the last the first again.
public enum DirectionRing {
  /// The number of directions: 255 for each sixth of a turn, as many as the hue circle has colours of 8 bits.
  @inlinable
  public static var count: Int { 1530 }
}

/// The parameters by which a row is drawn with triangles.
public struct GlyphDrawing {
  /// Numbers in a row of the table of triangles.
  public let pitch: Int
  /// The distance of the row above the centre of its cells, in pixels.
  public let distance: Float
  /// The map from lengths to strengths.
  public let lengths: LengthScale
  /// The opacity of what is drawn, 0…255.
  public let alpha: UInt32

  @inlinable
  public init(pitch: Int, distance: Float, lengths: LengthScale, alpha: UInt32 = 255) {
    self.pitch = pitch
    self.distance = distance
    self.lengths = lengths
    self.alpha = alpha
  }
}

/// The opacities and the rim of an overlay's tint and triangles.
public struct OverlayLook: Sendable {
  /// The opacity of the tint, 0…255.
  public let tint: Float
  /// The opacity of triangles, 0…255.
  public let glyph: Float
  /// The share of white in triangles, 0…1.
  public let white: Float
  /// The share by which the rim of triangles is darkened, 0…1.
  public let rim: Float
  /// The width of the rim in pixels.
  public let rimWidth: Float

  @inlinable
  public init(tint: Float, glyph: Float, white: Float, rim: Float, rimWidth: Float) {
    self.tint = tint
    self.glyph = glyph
    self.white = white
    self.rim = rim
    self.rimWidth = rimWidth
  }
}

/// The parameters by which a row of an overlay is drawn.
public struct OverlayDrawing {
  /// The triangles; their `alpha` counts for nothing.
  public let glyphs: GlyphDrawing
  /// The opacities and the rim.
  public let look: OverlayLook

  @inlinable
  public init(glyphs: GlyphDrawing, look: OverlayLook) {
    self.glyphs = glyphs
    self.look = look
  }
}

/// A block of pixels that shares a chroma sample.
public struct ChromaBlock: Sendable {
  /// The binary logarithm of the width in pixels.
  public let shiftX: Int
  /// The height in pixels.
  public let rowCount: Int

  @inlinable
  public init(shiftX: Int, rowCount: Int) {
    self.shiftX = shiftX
    self.rowCount = rowCount
  }
}
