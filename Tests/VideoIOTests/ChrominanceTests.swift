import Imaging
import TestSupport
import Testing
import VideoIO

@Suite struct ChrominanceTests {
  /// Chrominance follows ITU-R BT.601: Cb = 128 + 0.564 (B − Y), Cr = 128 + 0.713 (R − Y).
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

  @Test(
    .enabled(if: FFmpegTools.areInstalled),
    arguments: ["yuv420p", "yuv444p", "nv12", "yuv420p10le", "rgb24", "yuv411p"]
  )
  func averagesAreThoseOfAllSamples(format: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("in.nut")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=70x54:rate=5", "-frames:v", "1", "-pix_fmt", format, "-c:v", "rawvideo",
      file.path,
    ])
    let reader = try VideoReader(file.path)
    let frame = try #require(try reader.nextFrame())
    let extractor = LumaExtractor()
    let planes = try #require(try extractor.chrominance(of: frame))
    let target = PixelSize(width: 17, height: 13)
    let averaged = try #require(try extractor.chrominance(of: frame, averagedTo: target))
    for (whole, small) in [
      (planes.blueDifference, averaged.blueDifference), (planes.redDifference, averaged.redDifference),
    ] {
      #expect(small.size == target)
      let average = AreaAverage(source: whole.size, target: target)
      #expect(whole.withView(average.means) == small)
    }
    #expect(try extractor.chrominance(of: frame, averagedTo: PixelSize(width: 71, height: 2)) == nil)
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func grayHasNoColors() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("in.nut")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=70x54:rate=5", "-frames:v", "1", "-pix_fmt", "gray", "-c:v", "rawvideo",
      file.path,
    ])
    let frame = try #require(try VideoReader(file.path).nextFrame())
    #expect(try LumaExtractor().chrominance(of: frame, averagedTo: PixelSize(width: 7, height: 5)) == nil)
  }
}
