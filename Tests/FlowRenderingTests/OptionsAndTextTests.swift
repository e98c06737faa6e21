import FlowKernels
import Imaging
import Testing

@testable import FlowRendering

@Suite struct OptionsTests {
  @Test func defaultsAreValid() throws {
    for style in RenderingStyle.allCases { try RenderingOptions(style: style).validate() }
    let flowview = RenderingOptions(style: .flowview)
    #expect(flowview.tipAngle == 30 && flowview.minLength == 0 && flowview.maxLength == .automatic)
    #expect(RenderingOptions().opacity == 0.6)
  }

  /// Glyphs keep a shape on the smallest images, and do not become dust on the largest.
  @Test func cellsGrowWithTheImage() {
    func sides(_ style: RenderingStyle) -> [Int] {
      [(160, 120), (640, 360), (1280, 720), (720, 1280), (3840, 2160)].map {
        RenderingOptions(style: style).cellSide(for: PixelSize(width: $0.0, height: $0.1))
      }
    }
    #expect(sides(.arrows) == [18, 18, 32, 32, 96])
    #expect(sides(.overlay) == [16, 16, 24, 24, 72])
    #expect(sides(.flowview) == [10, 10, 15, 15, 45])
    var options = RenderingOptions(style: .arrows)
    options.cell = 7
    #expect(options.cellSide(for: PixelSize(width: 3840, height: 2160)) == 7)
  }

  @Test func valuesOutOfRangeAreRefusedByName() {
    func message(_ change: (inout RenderingOptions) -> Void) -> String? {
      var options = RenderingOptions()
      change(&options)
      do { try options.validate() } catch let error as RenderingError {
        return error.code == .invalidOption ? error.message : nil
      } catch {}
      return nil
    }
    #expect(message { $0.opacity = 1.5 } == "opacity 1.5 is not within 0.0…1.0")
    #expect(message { $0.opacity = .nan } != nil)
    #expect(message { $0.cell = 3 } == "cell 3 is not within 4…512")
    #expect(message { $0.tipAngle = 0 } != nil)
    #expect(message { $0.minLength = -1 } != nil)
    #expect(message { $0.maxLength = .fixed(0) } != nil)
    #expect(
      message {
        $0.minLength = 5
        $0.maxLength = .fixed(5)
      } == "maximum length 5.0 is not above the minimum length 5.0")
  }

  @Test func styleNamesAreThoseOfTheCommandLine() {
    #expect(
      RenderingStyle.allCases.map(\.rawValue).sorted()
        == [
          "arrows", "confidence", "contours", "flowview", "magnitude", "occlusion", "overlay", "saliency",
          "side-by-side",
          "wheel",
        ])
  }
}

@Suite struct TextTests {
  private let caption = FrameCaption(time: MediaTime(value: 12345, timeBase: Rational(1, 1000)), frame: 312)

  @Test func theCaptionGetsShorterUntilItFits() throws {
    #expect(
      CaptionPlate.texts(caption, meanMotion: 2.44)
        == [
          "00:00:12.345  frame 312  mean 2.4 px/frame", "00:00:12.345  #312  mean 2.4 px", "00:00:12.345  #312",
          "#312  mean 2.4 px", "#312",
        ])
    #expect(CaptionPlate.texts(FrameCaption(time: nil, frame: 7), meanMotion: nil).first == "frame 7  mean – px/frame")
    func width(_ size: PixelSize) throws -> Int? {
      let metrics = PlateMetrics(size: size)
      var plate = CaptionPlate(font: try TextFont(pixelSize: metrics.fontSize), metrics: metrics, size: size)
      return plate.plate(caption, meanMotion: 2.4)?.size.width
    }
    let full = try #require(try width(PixelSize(width: 320, height: 180)))
    let short = try #require(try width(PixelSize(width: 120, height: 90)))
    #expect(full > short && full < 320 && short < 120)
    #expect(try width(PixelSize(width: 20, height: 90)) == nil)
    #expect(try width(PixelSize(width: 320, height: 12)) == nil)
  }

  @Test func textGrowsWithTheFrame() {
    #expect(PlateMetrics(size: PixelSize(width: 160, height: 120)).fontSize == 11)
    #expect(PlateMetrics(size: PixelSize(width: 1920, height: 1080)).fontSize == 28)
    #expect(PlateMetrics(size: PixelSize(width: 1080, height: 1920)).fontSize == 28)
  }

  @Test func theLegendTellsTheScaleAndIsSkippedWhereItDoesNotFit() throws {
    #expect(Legend.number(12.46) == "12.5" && Legend.number(100) == "100" && Legend.number(99.97) == "100")
    func plate(_ size: PixelSize, _ style: RenderingStyle) throws -> Plate? {
      let metrics = PlateMetrics(size: size)
      var legend = Legend(
        options: RenderingOptions(style: style), font: try TextFont(pixelSize: metrics.fontSize), metrics: metrics,
        size: size, kernels: KernelTable.current.render)
      return legend.plate(MotionRange(minimum: 0, maximum: 12.5))
    }
    for style in RenderingStyle.allCases {
      for (width, height) in [(160, 120), (320, 180), (180, 320), (3840, 2160)] {
        #expect(try plate(PixelSize(width: width, height: height), style) != nil, "\(style) \(width)×\(height)")
      }
      #expect(try plate(PixelSize(width: 60, height: 40), style) == nil)
    }
    // The wheel's right is red, its bottom yellowish, its middle white.
    let wheel = try #require(try plate(PixelSize(width: 768, height: 576), .wheel)).pixels
    let radius = PlateMetrics(size: PixelSize(width: 768, height: 576)).discRadius
    let (x, y) = (wheel.width / 2, PlateMetrics(size: PixelSize(width: 768, height: 576)).padding + radius)
    #expect(maximumDifference(wheel[x, y], .white) < 30)
    #expect(maximumDifference(wheel[x + radius - 3, y], RGBA8(255, 0, 0)) < 50)
    #expect(maximumDifference(wheel[x, y + radius - 3], RGBA8(255, 229, 0)) < 50)
  }

  @Test func aLineOfTextIsDrawn() throws {
    let font = try TextFont(pixelSize: 20)
    var plate = Plate(size: PixelSize(width: 100, height: 40), cornerRadius: 4)
    let before = plate.pixels
    plate.write("I", font: font, x: 10, y: 5)
    var (changed, brightest) = (0, 0)
    for y in 0..<40 {
      for x in 0..<100 where plate.pixels[x, y] != before[x, y] {
        #expect((10..<10 + font.width(of: "I")).contains(x) && (5..<5 + font.lineHeight).contains(y))
        changed += 1
        brightest = max(brightest, Int(plate.pixels[x, y].r))
      }
    }
    #expect(changed > 20 && brightest > 200)
    #expect(font.width(of: "0123456789") == 10 * font.width(of: "i"))
  }

  @Test func aMissingFontSaysWhatToInstall() {
    do {
      _ = try TextFont(file: "/nonexistent/font.ttf", index: 0, pixelSize: 12)
      Issue.record("a font without a file was opened")
    } catch let error as RenderingError {
      #expect(error.code == .fontUnavailable)
      #expect(error.message.contains("/nonexistent/font.ttf") && error.message.contains("fonts-dejavu-core"))
    } catch {
      Issue.record("\(error)")
    }
  }
}
