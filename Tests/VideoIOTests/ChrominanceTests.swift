import Imaging
import Testing
import VideoIO

@Suite struct ChrominanceTests {
  /// After ITU-R BT.601: Cb = 128 + 0.564 (B − Y), Cr = 128 + 0.713 (R − Y).
  @Test(arguments: [
    (UInt8(200), UInt8(100), UInt8(50)), (128, 128, 128), (10, 20, 240),
  ])
  func colorDifferencesOfRGB(red: UInt8, green: UInt8, blue: UInt8) throws {
    let image = Plane<RGBA8>(width: 6, height: 4) { _, _ in RGBA8(red, green, blue) }
    let frame = try VideoFrame(
      image: image, number: 0, presentationTime: MediaTime(value: 0, timeBase: Rational(1, 25)))
    let planes = try #require(try LumaExtractor().chrominance(of: frame))
    let luma = 0.299 * Float(red) + 0.587 * Float(green) + 0.114 * Float(blue)
    #expect(abs(planes.blueDifference[5, 3] - (128 + 0.564 * (Float(blue) - luma))) < 0.01)
    #expect(abs(planes.redDifference[5, 3] - (128 + 0.713 * (Float(red) - luma))) < 0.01)
  }
}
