import Imaging
import Testing

@testable import ObjectTracking

@Suite struct ObjectAppearanceTests {
  private let size = PixelSize(width: 40, height: 60)
  private let box = BoundingBox(x: 10, y: 10, width: 20, height: 40)

  /// One colour all over the image.
  private func image(_ luma: Float, _ blue: Float, _ red: Float, hasColors: Bool = true) -> ObservedImage {
    let colorSize = ObservedImage.colorSize(of: size)
    return ObservedImage(
      luma: Plane(size: size, repeating: luma),
      colors: hasColors ? [blue, red].map { Plane(size: colorSize, repeating: $0) } : [])
  }

  private var everything: BitMask {
    var mask = BitMask(size: size)
    for y in 0..<size.height {
      for x in 0..<size.width { mask[x, y] = true }
    }
    return mask
  }

  /// The distance is three quarters of the sum of the differences in brightness and of both colours.
  @Test func coloursOfOneBrightnessAreTold() {
    let looks = ObjectAppearance(image(90, 120, 150), everything, box)
    #expect(looks.distance(image(90, 120, 150), everything, box) < 1e-3)
    #expect(abs(looks.distance(image(90, 135, 130), everything, box) - 0.75 * 35) < 1e-3)
    #expect(abs(looks.distance(image(80, 120, 150), everything, box) - 0.75 * 10) < 1e-3)
  }

  /// Where one of both has no colours, brightness alone tells.
  @Test func withoutColoursBrightnessTells() {
    let colored = ObjectAppearance(image(90, 120, 150), everything, box)
    #expect(abs(colored.distance(image(70, 0, 0, hasColors: false), everything, box) - 20) < 1e-3)
    var grey = ObjectAppearance(image(90, 0, 0, hasColors: false), everything, box)
    #expect(abs(grey.distance(image(70, 120, 150), everything, box) - 20) < 1e-3)
    // A frame with colours teaches brightness.
    for _ in 0..<60 { grey.learn(image(70, 120, 150), everything, box) }
    #expect(grey.distance(image(70, 120, 150), everything, box) < 0.1)
  }

  /// A frame without colours leaves those that are known.
  @Test func coloursStayKnown() {
    var looks = ObjectAppearance(image(90, 120, 150), everything, box)
    for _ in 0..<60 { looks.learn(image(70, 0, 0, hasColors: false), everything, box) }
    #expect(looks.distance(image(70, 120, 150), everything, box) < 0.1)
  }

  /// Where nothing stands out there is nothing to compare.
  @Test func nothingIsFarFromEverything() {
    let looks = ObjectAppearance(image(90, 120, 150), everything, box)
    #expect(looks.distance(image(90, 120, 150), BitMask(size: size), box) == 255)
  }
}
