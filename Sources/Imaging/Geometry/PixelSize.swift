/// The size of an image in whole pixels.
public struct PixelSize: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Pixels in a row.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A size; see ``isEmpty`` for sizes that no image has.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of pixels.
  public var area: Int { width * height }
  /// A Boolean value that tells whether there is no pixel: a side is 0 or less.
  public var isEmpty: Bool { width <= 0 || height <= 0 }
  public var description: String { "\(width)×\(height)" }

  /// Returns whether the pixel (x, y) lies inside.
  public func contains(x: Int, y: Int) -> Bool { x >= 0 && y >= 0 && x < width && y < height }
}

/// A rectangle in fractions of the image's size, origin at the top left.
public struct NormalizedRect: Sendable, Hashable, Codable {
  /// The left edge, as a fraction of the image's width.
  public var x: Double
  /// The upper edge, as a fraction of the image's height.
  public var y: Double
  /// The width, as a fraction of the image's.
  public var width: Double
  /// The height, as a fraction of the image's.
  public var height: Double

  /// A rectangle by its upper left corner and its size. Requests check that it lies inside.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The whole image.
  public static let full = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  /// The rectangle in a space whose origin is at the lower left, as Apple's Vision has it; and back.
  public var flippedVertically: NormalizedRect {
    NormalizedRect(x: x, y: 1 - y - height, width: width, height: height)
  }
}
