import TestSupport
import Testing

@testable import Imaging

@Suite struct ImageScalingTests {
  private static let texture = Plane<Float>(width: 48, height: 32) { x, y in
    Texture(seed: 4).value(Double(x), Double(y)).rounded()
  }

  @Test func imagesOfTheSizeStayAsTheyAre() {
    let scaling = ImageScaling(from: Self.texture.size, to: Self.texture.size)
    #expect(scaling.scaled(Self.texture) == Self.texture)
  }

  @Test func largerOnesAreMeans() {
    let target = PixelSize(width: 24, height: 16)
    let scaled = ImageScaling(from: Self.texture.size, to: target).scaled(Self.texture)
    #expect(scaled.size == target)
    for (x, y) in [(0, 0), (7, 3), (23, 15)] {
      let (left, top) = (2 * x, 2 * y)
      let sum =
        Self.texture[left, top] + Self.texture[left + 1, top] + Self.texture[left, top + 1]
        + Self.texture[left + 1, top + 1]
      #expect(abs(scaled[x, y] - sum / 4) < 1e-3)
    }
  }

  /// A slope is the same slope at twice the size, but at the borders; outer edges are aligned.
  @Test func smallerOnesAreInterpolated() {
    let slope = Plane<Float>(width: 20, height: 12) { x, y in Float(3 * x + 5 * y) }
    let scaled = ImageScaling(from: slope.size, to: PixelSize(width: 40, height: 24)).scaled(slope)
    #expect(scaled.size == PixelSize(width: 40, height: 24))
    for y in 1..<23 {
      for x in 1..<39 {
        let expected = 3 * ((Float(x) + 0.5) / 2 - 0.5) + 5 * ((Float(y) + 0.5) / 2 - 0.5)
        #expect(abs(scaled[x, y] - expected) < 1e-3)
      }
    }
  }

  @Test(arguments: [
    PixelSize(width: 24, height: 16), PixelSize(width: 48, height: 32), PixelSize(width: 96, height: 64),
  ])
  func samplesOfEightBitsAreScaledLikeFloats(target: PixelSize) {
    let bytes = Plane<UInt8>(width: 48, height: 32) { x, y in UInt8(min(max(Self.texture[x, y], 0), 255)) }
    let floats = Plane<Float>(width: 48, height: 32) { x, y in Float(bytes[x, y]) }
    let scaling = ImageScaling(from: bytes.size, to: target)
    let (a, b) = (bytes.withView(scaling.scaled), scaling.scaled(floats))
    for y in 0..<target.height {
      for x in 0..<target.width { #expect(abs(a[x, y] - b[x, y]) < 1e-3) }
    }
  }
}
