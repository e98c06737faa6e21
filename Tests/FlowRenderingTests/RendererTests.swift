import FlowKernels
import Imaging
import TestSupport
import Testing

@testable import FlowRendering

@Suite struct RendererTests {
  private static let caption = FrameCaption(time: MediaTime(value: 12345, timeBase: Rational(1, 1000)), frame: 312)

  @Test(arguments: RenderingStyle.allCases)
  func theBytesDependOnNeitherThreadsNorInstructionSet(style: RenderingStyle) throws {
    var options = RenderingOptions(style: style)
    (options.legend, options.hud) = (true, true)
    let size = PixelSize(width: 331, height: 205)
    for format in [.yuv420, ImageFormat(colorModel: .rgb, bitDepth: 10, isFullRange: true)] {
      var expected: [[UInt8]]?
      for variant in variants {
        for threads in [1, 2, 5] {
          let renderer = try FlowRenderer(
            options: options, size: size, parallelism: Parallelism(threadCount: threads), kernels: variant)
          let image = TestImage(size: renderer.canvasSize, format: format)
          for frame in 0..<3 {
            try renderer.render(
              testFlow(width: size.width, height: size.height, length: Float(4 + frame)),
              confidence: testConfidence(width: size.width, height: size.height), caption: Self.caption,
              over: image.view)
          }
          try renderer.render(nil, caption: Self.caption, over: image.view)
          if let expected { #expect(image.bytes == expected, "\(variant.level), \(threads) threads") }
          expected = expected ?? image.bytes
        }
      }
    }
  }

  @Test(arguments: [RenderingStyle.overlay, .arrows])
  func stillRegionsStayExactlyUntouched(style: RenderingStyle) throws {
    let size = PixelSize(width: 200, height: 120)
    var random = FixedRandom(seed: 5)
    // Noise of a tenth of a pixel, and a square that moves.
    let flow = FlowField(width: size.width, height: size.height) { x, y in
      (80..<120).contains(x) && (40..<80).contains(y)
        ? (3, -2) : (Float.random(in: -0.1...0.1, using: &random), Float.random(in: -0.1...0.1, using: &random))
    }
    let format = ImageFormat(colorModel: .gray, isFullRange: true)
    let image = TestImage(size: size, format: format)
    let before = image.samples(0)
    try FlowRenderer(options: RenderingOptions(style: style), size: size, parallelism: .serial)
      .render(flow, caption: nil, over: image.view)
    let after = image.samples(0)
    // An arrow may reach out of its cell.
    let reach = style == .arrows ? 18 : 0
    for y in 0..<size.height {
      for x in 0..<size.width where !(80 - reach..<120 + reach ~= x && 40 - reach..<80 + reach ~= y) {
        #expect(after[y * size.width + x] == before[y * size.width + x], "(\(x), \(y))")
      }
    }
    #expect(after != before)
  }

  @Test(arguments: RenderingStyle.allCases)
  func theLastFrameShowsNoFlow(style: RenderingStyle) throws {
    let size = PixelSize(width: 50, height: 41)
    let format = ImageFormat(colorModel: .rgb, isFullRange: true)
    let renderer = try FlowRenderer(options: RenderingOptions(style: style), size: size, parallelism: .serial)
    let image = TestImage(size: renderer.canvasSize, format: format)
    let before = image.samples(0)
    try renderer.render(nil, caption: nil, over: image.view)
    let after = image.samples(0)
    switch style {
    case .overlay, .arrows, .confidence, .occlusion, .contours, .saliency: #expect(after == before)
    case .flowview, .magnitude: #expect(after.allSatisfy { $0 == 0 })
    case .wheel: #expect(after.allSatisfy { $0 == 255 })
    case .sideBySide:
      for (index, sample) in after.enumerated() {
        #expect(sample == (index % 100 < 50 ? before[index] : 255))
      }
    }
  }

  @Test(arguments: ImageFormat.all)
  func sideBySideLeavesTheLeftHalf(format: ImageFormat) throws {
    let size = PixelSize(width: 33, height: 21)
    let renderer = try FlowRenderer(options: .init(style: .sideBySide), size: size, parallelism: .serial)
    #expect(renderer.canvasSize == PixelSize(width: 66, height: 21))
    let image = TestImage(size: renderer.canvasSize, format: format)
    let before = TestImage(size: renderer.canvasSize, format: format)
    try renderer.render(testFlow(width: 33, height: 21), caption: nil, over: image.view)
    for y in 0..<21 {
      for x in 0..<33 { #expect(image[0, x, y] == before[0, x, y]) }
    }
    #expect(image.samples(0) != before.samples(0))
    guard format.colorModel == .yuv else { return }
    for y in 0..<format.planeSize(1, of: size).height {
      for x in 0..<33 >> format.chromaShiftX { #expect(image[1, x, y] == before[1, x, y]) }
    }
  }

  @Test func paddingStaysAsItIs() throws {
    let size = PixelSize(width: 51, height: 33)
    let canvas = PixelSize(width: 52, height: 34)
    let image = TestImage(size: canvas, format: .yuv420)
    let before = TestImage(size: canvas, format: .yuv420)
    try FlowRenderer(options: .init(style: .wheel), size: size, parallelism: .serial)
      .render(testFlow(width: 51, height: 33), caption: nil, over: image.view)
    for y in 0..<34 { #expect(image[0, 51, y] == before[0, 51, y]) }
    for x in 0..<52 { #expect(image[0, x, 33] == before[0, x, 33]) }
    #expect(image.guards == before.guards)
  }

  @Test(arguments: RenderingStyle.allCases)
  func everySizeWorksWithLegendAndHud(style: RenderingStyle) throws {
    var options = RenderingOptions(style: style)
    (options.legend, options.hud) = (true, true)
    let sides = [1, 2, 3, 5, 16, 31, 64, 150, 301]
    for width in sides {
      for height in sides where (width + height) % 3 != 1 {
        let size = PixelSize(width: width, height: height)
        let renderer = try FlowRenderer(options: options, size: size, parallelism: Parallelism(threadCount: 2))
        for format in [.yuv420, ImageFormat(colorModel: .yuv, chromaShiftX: 2, chromaShiftY: 2, isFullRange: true)] {
          let image = TestImage(size: renderer.canvasSize, format: format)
          let guards = image.guards
          try renderer.render(
            testFlow(width: width, height: height), confidence: testConfidence(width: width, height: height),
            caption: Self.caption, over: image.view)
          try renderer.render(nil, caption: Self.caption, over: image.view)
          #expect(image.guards == guards, "\(size)")
        }
      }
    }
  }

  @Test func anImageShowsTheFlowOverItsBackground() throws {
    let flow = FlowField(width: 60, height: 40) { x, _ in x < 30 ? (0, 0) : (6, 0) }
    let background = Plane(width: 60, height: 40) { x, y in RGBA8(UInt8(x), UInt8(y), 90) }
    let renderer = try FlowRenderer(options: RenderingOptions(), size: flow.size, parallelism: .serial)
    let image = try renderer.image(of: flow, background: background)
    for y in 0..<40 {
      for x in 0..<30 { #expect(image[x, y] == background[x, y]) }
      // To the right is red.
      for x in 30..<60 { #expect(Int(image[x, y].r) > Int(background[x, y].r)) }
    }
    #expect(throws: RenderingError.self) { try renderer.image(of: FlowField(size: PixelSize(width: 59, height: 40))) }
    #expect(throws: RenderingError.self) {
      try renderer.image(of: flow, background: Plane(width: 60, height: 41))
    }
  }

  /// An arrow fills its cell at the motion of full colour, is in proportion below, and never loses its shaft.
  @Test(arguments: [(1.0, 0.0), (0, 1), (-1, 0), (0, -1), (0.6, 0.8)], [1.0, 0.6, 0.02])
  func anArrowIsAsLongAsItsShareOfFullMotion(direction: (Double, Double), share: Double) throws {
    var options = RenderingOptions(style: .arrows)
    (options.cell, options.maxLength) = (100, .fixed(50))
    let (dx, dy) = direction
    let flow = FlowField(width: 100, height: 100) { _, _ in (Float(50 * share * dx), Float(50 * share * dy)) }
    let image = try FlowRenderer(options: options, size: flow.size, parallelism: .serial).image(of: flow)
    func isColored(_ along: Double) -> Bool {
      let pixel = image[Int((50 + along * dx).rounded()), Int((50 + along * dy).rounded())]
      return max(pixel.r, pixel.g, pixel.b) > 100
    }
    // The head is a third of the cell long, the shortest arrow half as long again.
    let half = max(0.76 * 50 * share, 25)
    for along in [-0.9, -0.5, 0, 0.5, 0.9] { #expect(isColored(along * half), "\(along)") }
    for along in [-1.2, 1.2] { #expect(!isColored(along * half), "\(along)") }
  }

  /// Arrows of neighbouring cells do not touch in a pan.
  @Test func arrowsOfAPanDoNotMergeIntoLines() throws {
    let flow = FlowField(width: 320, height: 240) { _, _ in (7, 0) }
    let image = try FlowRenderer(options: RenderingOptions(style: .arrows), size: flow.size, parallelism: .serial)
      .image(of: flow)
    func isEmpty(column x: Int) -> Bool { (0..<240).allSatisfy { image[x, $0] == .black } }
    let empty = (0..<320).count { isEmpty(column: $0) }
    #expect((15...80).contains(empty), "\(empty) of 320 columns")
    // Shafts: along the middle of a cell more is drawn than a head of six pixels.
    let middle = RenderingOptions(style: .arrows).cellSide(for: flow.size) / 2
    #expect((0..<18).count { max(image[$0, middle].r, image[$0, middle].g) > 100 } >= 11)
  }
}
