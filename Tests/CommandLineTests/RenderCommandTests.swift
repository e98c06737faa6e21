import Foundation
import Rheo
import TestSupport
import Testing

/// A flow file as an image.
@Suite struct RenderCommandTests {
  private let folder: TemporaryFolder
  private let size = PixelSize(width: 48, height: 32)

  init() throws { folder = try TemporaryFolder() }

  /// A whirl about the middle, `factor` times as fast as one radian a frame.
  private func whirl(_ factor: Float = 0.25) throws -> URL {
    let file = folder.file("whirl\(factor).flo")
    try MiddleburyFlow.write(
      FlowField(width: size.width, height: size.height) { x, y in
        (u: factor * (16 - Float(y)), v: factor * (Float(x) - 24))
      }, to: file.path)
    return file
  }

  /// Rises from left to right; stored as rheo export stores it.
  private func confidence() throws -> URL {
    let file = folder.file("confidence.pfm")
    var data = Data("Pf\n\(size.width) \(size.height)\n-1.0\n".utf8)
    for _ in 0..<size.height {
      for x in 0..<size.width { withUnsafeBytes(of: Float(x) / 47) { data.append(contentsOf: $0) } }
    }
    try data.write(to: file)
    return file
  }

  private func image(_ flow: URL, _ options: [String] = []) throws -> Plane<RGBA8> {
    let output = folder.file("out.png")
    let result = try Program.run(["render", flow.path, "--output", output.path, "--overwrite"] + options)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return try StillImage.rgb(contentsOf: output.path)
  }

  /// Levels between two images of one size.
  private func maximumDifference(_ a: Plane<RGBA8>, _ b: Plane<RGBA8>) -> Int {
    var largest = 0
    a.withView { a in
      b.withView { b in
        for y in 0..<a.height {
          for x in 0..<a.width {
            let (p, q) = (a.row(y)[x], b.row(y)[x])
            for (p, q) in [(p.r, q.r), (p.g, q.g), (p.b, q.b)] { largest = max(largest, abs(Int(p) - Int(q))) }
          }
        }
      }
    }
    return largest
  }

  @Test(
    .enabled(
      if: TestData.has("flow/sintel/alley_1/flow_0002.flo", "formats/flowvis_colour_sintel_easy.png"),
      "needs the test data")) func theWheelHasTheColoursOfFlowVis() throws
  {
    let field = try TestData.url("flow/sintel/alley_1/flow_0002.flo")
    let drawn = try TestData.url("formats/flowvis_colour_sintel_easy.png")
    let expected = try StillImage.rgb(contentsOf: drawn.path)
    let found = try image(field, ["--style", "wheel"])
    try #require(found.size == expected.size)
    #expect(maximumDifference(found, expected) <= 1)
  }

  @Test func fullColourIsTheLongestVectorUnlessAskedOtherwise() throws {
    let (slow, fast) = (try whirl(0.25), try whirl(0.5))
    for style in ["wheel", "flowview", "magnitude"] {
      let options = ["--style", style]
      #expect(maximumDifference(try image(slow, options), try image(fast, options)) <= 1, "\(style)")
      for more in [["--normalize", "fixed"], ["--max-length", "9"]] {
        let difference = maximumDifference(try image(slow, options + more), try image(fast, options + more))
        #expect(difference > 20, "\(style) \(more)")
      }
    }
  }

  @Test func everyStyleMakesAImage() throws {
    let flow = try whirl()
    var images: [Plane<RGBA8>] = []
    for style in RenderingStyle.allCases where style != .saliency {
      let confidence = style.needsConfidence ? ["--confidence", try confidence().path] : []
      let made = try image(flow, ["--style", style.rawValue] + confidence)
      let width = style == .sideBySide ? 2 * size.width : size.width
      #expect(made.size == PixelSize(width: width, height: size.height))
      #expect(!images.contains(made), "\(style)")
      images.append(made)
    }
  }

  @Test func palettesChangeTheColoursOfDirections() throws {
    let flow = try whirl()
    for style in ["wheel", "flowview", "overlay", "arrows"] {
      let images = try ["hue", "uniform", "colorblind"].map { try image(flow, ["--style", style, "--palette", $0]) }
      #expect(images[0] != images[1] && images[1] != images[2] && images[0] != images[2], "\(style)")
    }
  }

  @Test func saliencyNeedsTheImages() throws {
    let result = try Program.run([
      "render", try whirl().path, "--output", folder.file("out.png").path, "--style", "saliency",
    ])
    #expect(result.status == 64 && result.errors.contains("rheo annotate"), "\(result.errors)")
  }

  @Test func theBackgroundShowsWhereNothingMoves() throws {
    let (flow, ground) = (folder.file("still.flo"), folder.file("ground.png"))
    try MiddleburyFlow.write(FlowField(size: size), to: flow.path)
    let background = Plane<RGBA8>(width: size.width, height: size.height) { x, y in
      RGBA8(UInt8(5 * x), UInt8(7 * y), 99)
    }
    try StillImage.writePNG(background, to: ground.path)
    for style in ["arrows", "overlay"] {
      #expect(try image(flow, ["--style", style, "--background", ground.path]) == background)
      #expect(try image(flow, ["--style", style])[3, 3] == .black)
    }
  }

  @Test func whatIsDrawnFadesWithTheConfidence() throws {
    let (flow, confidence) = (try whirl(), try confidence())
    let (full, faded) = (try image(flow), try image(flow, ["--confidence", confidence.path]))
    #expect(faded[0, 8] == .black && full[0, 8] != .black)
    #expect(faded[47, 8] == full[47, 8] && full[47, 8] != .black)
    let map = try image(flow, ["--style", "confidence", "--confidence", confidence.path])
    #expect(map[0, 8] == .black && map[47, 8].r > 150)
  }

  @Test func aConfidenceThatIsMissingOrWrongIsNamed() throws {
    let (flow, output) = (try whirl(), folder.file("out.png"))
    let missing = try Program.run(["render", flow.path, "--output", output.path, "--style", "confidence"])
    #expect(missing.status == 64 && missing.errors.contains("--confidence"))
    let wrong = try Program.run(["render", flow.path, "--output", output.path, "--confidence", flow.path])
    #expect(wrong.status == 1 && wrong.errorLines.count == 1 && wrong.errors.contains("whirl"))
    let other = folder.file("other.pfm")
    try FlowFile.write(FlowField(size: size), to: other.path)
    let threeChannels = try Program.run(["render", flow.path, "--output", output.path, "--confidence", other.path])
    #expect(threeChannels.status == 1 && threeChannels.errors.contains("three channels"))
    #expect(!FileManager.default.fileExists(atPath: output.path))
  }

  @Test func aBackgroundOfAnotherSizeIsRefused() throws {
    let ground = folder.file("ground.png")
    try StillImage.writePNG(Plane<UInt8>(width: 20, height: 20), to: ground.path)
    let output = folder.file("out.png")
    let result = try Program.run(["render", try whirl().path, "--output", output.path, "--background", ground.path])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1 && result.errors.contains("20×20") && result.errors.contains("48×32"))
    #expect(!FileManager.default.fileExists(atPath: output.path))
  }

  @Test func theImageGoesToStandardOutputOnRequest() throws {
    let flow = try whirl()
    let output = folder.file("out.png")
    let piped = try Program.run(["render", flow.path, "--output", "-"])
    #expect(piped.status == 0)
    _ = try image(flow)
    #expect(try Data(contentsOf: output) == piped.output)
  }

  @Test func whatIsThereIsKeptAndWrongUsageIsNamed() throws {
    let (flow, output) = (try whirl(), folder.file("out.png"))
    try Data("precious".utf8).write(to: output)
    let refused = try Program.run(["render", flow.path, "--output", output.path])
    #expect(refused.status == 1)
    #expect(refused.errorLines.count == 1 && refused.errors.contains("--overwrite"))
    #expect(try Data(contentsOf: output) == Data("precious".utf8))
    for options in [["--output", folder.file("out.jpg").path], [], ["--output", output.path, "--style", "oil"]] {
      #expect(try Program.run(["render", flow.path] + options).status == 64, "\(options)")
    }
  }
}
