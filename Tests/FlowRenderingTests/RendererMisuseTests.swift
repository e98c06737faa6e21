import Imaging
import TestSupport
import Testing

@testable import FlowRendering

/// Mistakes of callers with renderers are typed errors, and nothing is drawn.
@Suite struct RendererMisuseTests {
  private static let size = PixelSize(width: 60, height: 40)
  private static let noSizes = [
    PixelSize(width: 0, height: 40), PixelSize(width: 60, height: 0), PixelSize(width: -60, height: 40),
    PixelSize(width: 0, height: 0), PixelSize(width: 60, height: .min),
  ]

  /// Draws with each renderer on an image of these planes.
  private func codes(
    size: PixelSize = Self.size, stride: Int = 60,
    format: ImageFormat = ImageFormat(colorModel: .gray, isFullRange: true)
  ) throws -> [RenderingError.Code?] {
    var memory = [UInt8](repeating: 7, count: 2 * 60 * 40)
    let codes = try memory.withUnsafeMutableBytes { bytes in
      let plane = MutableImageView.RawPlane(base: bytes.baseAddress!, stride: stride)
      let image = MutableImageView(
        size: size, format: format, planes: Array(repeating: plane, count: format.planeCount))
      let flow = try FlowRenderer(options: RenderingOptions(), size: Self.size, parallelism: .serial)
      let tracks = try TrackRenderer(size: Self.size)
      let events = try EventRenderer(size: Self.size)
      let box = BoundingBox(x: 2, y: 2, width: 30, height: 20)
      return [
        code { () throws(RenderingError) in
          try flow.render(FlowField(width: 60, height: 40) { _, _ in (3, 0) }, caption: nil, over: image)
        },
        code { () throws(RenderingError) in
          try tracks.render([TrackMark(id: 1, box: box, trail: [])], over: image)
        },
        code { () throws(RenderingError) in try events.render(EventMarks(boxes: [box]), over: image) },
      ]
    }
    #expect(codes.allSatisfy { $0 == nil } || memory.allSatisfy { $0 == 7 })
    return codes
  }

  private func code(_ body: () throws(RenderingError) -> Void) -> RenderingError.Code? {
    do throws(RenderingError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test(arguments: noSizes) func noRendererDrawsOnImagesWithoutPixels(size: PixelSize) {
    for style in RenderingStyle.allCases {
      let error = thrown(RenderingError.self) {
        try FlowRenderer(options: RenderingOptions(style: style), size: size, parallelism: .serial)
      }
      #expect(error?.code == .emptyImage)
    }
    #expect(thrown(RenderingError.self) { try TrackRenderer(size: size) }?.code == .emptyImage)
    #expect(thrown(RenderingError.self) { try EventRenderer(size: size) }?.code == .emptyImage)
  }

  @Test func aImageThatFitsIsDrawnOn() throws { #expect(try codes() == [nil, nil, nil]) }

  @Test func aSmallerImageIsRefused() throws {
    for size in [PixelSize(width: 59, height: 40), PixelSize(width: 60, height: 39), PixelSize(width: 0, height: 0)] {
      #expect(try codes(size: size) == [.sizeMismatch, .sizeMismatch, .sizeMismatch])
    }
  }

  @Test func aStrideSmallerThanTheWidthIsRefused() throws {
    for stride in [59, 0, -59] {
      #expect(try codes(stride: stride) == [.strideTooSmall, .strideTooSmall, .strideTooSmall])
    }
    // Two bytes a sample.
    let deep = ImageFormat(colorModel: .gray, bitDepth: 10, isFullRange: true)
    #expect(try codes(stride: 119, format: deep) == [.strideTooSmall, .strideTooSmall, .strideTooSmall])
  }

  @Test func formatsThatNobodyDrawsOnAreRefused() throws {
    for depth in [0, 7, 17, 64] {
      let format = ImageFormat(colorModel: .gray, bitDepth: depth, isFullRange: true)
      #expect(try codes(stride: 120, format: format).allSatisfy { $0 == .unsupportedFormat })
    }
    let coarse = ImageFormat(colorModel: .yuv, chromaShiftX: 3, isFullRange: true)
    #expect(try codes(format: coarse).allSatisfy { $0 == .unsupportedFormat })
  }

  @Test func flowOfAnotherSizeIsRefused() throws {
    let renderer = try FlowRenderer(options: RenderingOptions(), size: Self.size, parallelism: .serial)
    for other in [PixelSize(width: 40, height: 60), PixelSize(width: 0, height: 0), PixelSize(width: 61, height: 40)] {
      let error = thrown(RenderingError.self) { try renderer.image(of: FlowField(size: other)) }
      #expect(error?.code == .sizeMismatch)
      var plane = Plane<UInt8>(size: Self.size)
      plane.withMutableView { view in
        let image = MutableImageView(
          size: view.size, format: ImageFormat(colorModel: .gray, isFullRange: true),
          planes: [.init(base: view.base, stride: view.stride)])
        #expect(
          code { () throws(RenderingError) in try renderer.render(FlowField(size: other), caption: nil, over: image) }
            == .sizeMismatch)
      }
    }
  }

  /// Vectors that are unknown, endless or absurd, in every style.
  @Test(arguments: RenderingStyle.allCases) func flowOfAnyNumbersIsDrawn(style: RenderingStyle) throws {
    let numbers: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1e30, .leastNonzeroMagnitude, 0, 5]
    let flow = FlowField(width: 60, height: 40) { x, y in (numbers[x % 8], numbers[y % 8]) }
    let confidence = Plane(width: 60, height: 40) { x, y in numbers[(x + y) % 8] }
    var options = RenderingOptions(style: style)
    (options.legend, options.hud) = (true, true)
    for normalization in RenderingOptions.Normalization.allCases {
      options.normalization = normalization
      let renderer = try FlowRenderer(options: options, size: flow.size, parallelism: .serial)
      let caption = FrameCaption(time: MediaTime(value: .max, timeBase: Rational(.max, 1)), frame: .max)
      #expect(try renderer.image(of: flow, confidence: confidence, caption: caption).size == renderer.canvasSize)
    }
  }

  @Test func marksOfAnyNumbersAreDrawn() throws {
    let numbers: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 0]
    var plane = Plane<UInt8>(size: Self.size)
    let (tracks, events) = (try TrackRenderer(size: Self.size), try EventRenderer(size: Self.size, hasCaptions: true))
    try plane.withMutableView { view in
      let image = MutableImageView(
        size: view.size, format: ImageFormat(colorModel: .gray, isFullRange: true),
        planes: [.init(base: view.base, stride: view.stride)])
      for number in numbers {
        for other in numbers {
          let box = BoundingBox(x: number, y: other, width: other, height: number)
          let mark = TrackMark(id: .min, box: box, trail: [SIMD2(number, other), SIMD2(3, 3)], confidence: number)
          try tracks.render([mark, TrackMark(id: .max, box: nil, trail: [SIMD2(other, number)])], over: image)
          try events.render(EventMarks(boxes: [box], caption: "x"), over: image)
        }
      }
      // The captions are.
      #expect((0..<view.height).contains { y in (0..<view.width).contains { view.row(y)[$0] != 0 } })
    }
    for number in numbers {
      let outline = ZoneOutline(corners: [SIMD2(number, 1), SIMD2(5, number), SIMD2(9, 9)], color: .white)
      _ = try EventRenderer(size: Self.size, outlines: [outline])
    }
  }
}
