/// A point of an image, in pixels: the origin is the middle of the top left pixel, y points down.
public struct PixelPoint: Sendable, Hashable, Codable {
  /// The distance from the origin to the right, in pixels.
  public var x: Double
  /// The distance from the origin downwards, in pixels.
  public var y: Double

  /// A point by its coordinates.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A point in fractions of the image's size: the origin is the top left corner, y points down.
public struct NormalizedPoint: Sendable, Hashable, Codable {
  /// The distance from the origin to the right, as a fraction of the image's width.
  public var x: Double
  /// The distance from the origin downwards, as a fraction of the image's height.
  public var y: Double

  /// A point by its coordinates.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The position of a point of an image; the middle of the first of n pixels lies at ½ / n.
  public init(_ point: PixelPoint, in size: PixelSize) {
    self.init(x: (point.x + 0.5) / Double(size.width), y: (point.y + 0.5) / Double(size.height))
  }

  /// Returns the same point in pixels of an image of `size`.
  public func inPixels(of size: PixelSize) -> PixelPoint {
    PixelPoint(x: x * Double(size.width) - 0.5, y: y * Double(size.height) - 0.5)
  }

  /// The point in a space whose origin is at the lower left, as Apple's Vision has it; and back.
  public var flippedVertically: NormalizedPoint { NormalizedPoint(x: x, y: 1 - y) }
}

extension Homography {
  /// Returns the image of a point.
  public func apply(to point: PixelPoint) -> PixelPoint {
    let position = apply(x: point.x, y: point.y)
    return PixelPoint(x: position.x, y: position.y)
  }

  /// Returns the map from pixels to fractions of an image's size with the origin at the lower left corner, y up.
  private static func lowerLeft(_ size: PixelSize) -> Homography {
    let (width, height) = (Double(size.width), Double(size.height))
    return Homography([1 / width, 0, 0.5 / width, 0, -1 / height, 1 - 0.5 / height, 0, 0, 1])
  }

  /// Returns the map back to pixels.
  private static func pixels(_ size: PixelSize) -> Homography {
    let (width, height) = (Double(size.width), Double(size.height))
    return Homography([width, 0, -0.5, 0, -height, height - 0.5, 0, 0, 1])
  }

  /// This map between pixels of two images as one between fractions of their sizes with the origin at the lower left
  /// corner, y up, as Apple's Vision has them.
  public func lowerLeftNormalized(from source: PixelSize, to target: PixelSize) -> Homography {
    (.lowerLeft(target) * self * .pixels(source)).normalized
  }

  /// The map between pixels of two images that a map between lower-left fractions of their sizes stands for.
  public init(lowerLeftNormalized map: Homography, from source: PixelSize, to target: PixelSize) {
    self = (.pixels(target) * map * .lowerLeft(source)).normalized
  }
}
