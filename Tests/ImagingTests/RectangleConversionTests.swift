import Imaging
import Testing

/// A rectangle in pixels, in fractions, and from either corner.
@Suite struct RectangleConversionTests {
  private static let size = PixelSize(width: 200, height: 80)

  @Test func wholePixelsBecomeFractionsAndBack() {
    let pixels = PixelRect(x: 50, y: 20, width: 100, height: 8)
    let fractions = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.1)
    #expect(NormalizedRect(pixels, in: Self.size) == fractions)
    #expect(PixelRect(fractions, in: Self.size) == pixels)
    #expect(BoundingBox(pixels) == BoundingBox(x: 50, y: 20, width: 100, height: 8))
    #expect(BoundingBox(fractions, in: Self.size) == BoundingBox(pixels))
    #expect(NormalizedRect(BoundingBox(pixels), in: Self.size) == fractions)
    #expect(NormalizedRect(BoundingBox(Self.size), in: Self.size) == .full)
  }

  /// The middle of a box is the same point by way of points.
  @Test func boxesAndPointsAgree() {
    let box = BoundingBox(x: 10.5, y: 3.25, width: 20, height: 7)
    let rect = NormalizedRect(box, in: Self.size)
    let middle = NormalizedPoint(x: rect.x + rect.width / 2, y: rect.y + rect.height / 2).inPixels(of: Self.size)
    #expect(abs(middle.x - box.center.x) < 1e-9 && abs(middle.y - box.center.y) < 1e-9)
  }

  @Test func partsOfPixelsCountAsTouched() {
    let rect = NormalizedRect(x: 0.2501, y: 0.24, width: 0.001, height: 0.02)
    #expect(PixelRect(rect, in: Self.size) == PixelRect(x: 50, y: 19, width: 1, height: 2))
    #expect(PixelRect(NormalizedRect(x: 1, y: 1, width: 0, height: 0), in: Self.size).size.area == 1)
  }

  @Test func whatLiesOutsideIsCutOff() {
    let wide = NormalizedRect(x: -1e300, y: -0.5, width: 2e300, height: 0.75)
    #expect(PixelRect(wide, in: Self.size) == PixelRect(x: 0, y: 0, width: 200, height: 20))
    let beside = PixelRect(NormalizedRect(x: 3, y: 0, width: 1, height: 1), in: Self.size)
    #expect(beside == PixelRect(x: 199, y: 0, width: 1, height: 80))
  }

  /// Vision's origin is the lower left corner.
  @Test func rectanglesTurnUpsideDownAndBack() {
    let pixels = PixelRect(x: 50, y: 20, width: 100, height: 8)
    #expect(pixels.flippedVertically(in: Self.size) == PixelRect(x: 50, y: 52, width: 100, height: 8))
    #expect(pixels.flippedVertically(in: Self.size).flippedVertically(in: Self.size) == pixels)
    let (flipped, expected) = (
      NormalizedRect(pixels, in: Self.size).flippedVertically,
      NormalizedRect(pixels.flippedVertically(in: Self.size), in: Self.size)
    )
    for (a, b) in [
      (flipped.x, expected.x), (flipped.y, expected.y), (flipped.width, expected.width),
      (flipped.height, expected.height),
    ] {
      #expect(abs(a - b) < 1e-12)
    }
  }
}
