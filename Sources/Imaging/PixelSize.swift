/// The size of a picture in whole pixels.
public struct PixelSize: Sendable, Hashable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of pixels.
  public var area: Int { width * height }
  public var isEmpty: Bool { width <= 0 || height <= 0 }
  public var description: String { "\(width)×\(height)" }

  /// Whether the pixel (x, y) lies inside.
  public func contains(x: Int, y: Int) -> Bool { x >= 0 && y >= 0 && x < width && y < height }
}

/// A rectangle in fractions of the picture's size, origin at the top left.
public struct NormalizedRect: Sendable, Hashable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public static let full = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

  /// The same rectangle in a space whose origin is at the lower left, as Apple's Vision has it; and back.
  public var flippedVertically: NormalizedRect {
    NormalizedRect(x: x, y: 1 - y - height, width: width, height: height)
  }
}
