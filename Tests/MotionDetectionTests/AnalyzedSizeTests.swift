import Imaging
import MotionDetection
import Testing

/// Small frames are enlarged to the size of the analysis, to twice their size at most.
@Suite struct AnalyzedSizeTests {
  @Test(arguments: [
    (PixelSize(width: 1920, height: 1080), PixelSize(width: 320, height: 180)),
    (PixelSize(width: 320, height: 240), PixelSize(width: 320, height: 240)),
    (PixelSize(width: 176, height: 144), PixelSize(width: 320, height: 262)),
    (PixelSize(width: 120, height: 160), PixelSize(width: 240, height: 320)),
    (PixelSize(width: 64, height: 10), PixelSize(width: 128, height: 20)),
    (PixelSize(width: 1, height: 4096), PixelSize(width: 1, height: 320)),
  ])
  func theLongestSideIsThatOfTheAnalysis(size: PixelSize, expected: PixelSize) {
    #expect(MotionDetector.analyzedSize(of: size, longestSide: 320) == expected)
  }

  @Test func aShorterSideIsKept() {
    #expect(
      MotionDetector.analyzedSize(of: PixelSize(width: 160, height: 120), longestSide: 120)
        == PixelSize(width: 120, height: 90))
  }
}
