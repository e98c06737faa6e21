import FlowFormats
import Imaging
import TestSupport
import Testing
import VideoIO

@testable import FlowRendering

@Suite struct WheelTests {
  @Test(
    .enabled(
      if: TestData.has("flow/sintel/alley_1/flow_0002.flo", "formats/flowvis_colour_sintel_easy.png"),
      "needs the test data")) func theSintelImageIsThatOfFlowVis() throws
  {
    let field = try TestData.url("flow/sintel/alley_1/flow_0002.flo")
    let drawn = try TestData.url("formats/flowvis_colour_sintel_easy.png")
    let flow = try MiddleburyFlow.read(contentsOf: field.path)
    let expected = try StillImage.rgb(contentsOf: drawn.path)
    var options = RenderingOptions(style: .wheel)
    options.normalization = .frame
    let image = try FlowRenderer(options: options, size: flow.size, parallelism: Parallelism()).image(of: flow)
    #expect(maximumDifference(image, expected) <= 1)
  }

  @Test func theRingHasTheColoursOfThePaper() {
    let ring = MiddleburyRing.colors
    #expect(ring.count == 55)
    #expect(ring[0] == [255, 0, 0, 0])
    #expect(ring[1] == [255, 17, 0, 0])
    #expect(ring[15] == [255, 255, 0, 0])
    #expect(ring[16] == [213, 255, 0, 0])
    #expect(ring[21] == [0, 255, 0, 0])
    #expect(ring[22] == [0, 255, 63, 0])
    #expect(ring[25] == [0, 255, 255, 0])
    #expect(ring[26] == [0, 232, 255, 0])
    #expect(ring[36] == [0, 0, 255, 0])
    #expect(ring[49] == [255, 0, 255, 0])
    #expect(ring[54] == [255, 0, 43, 0])
  }

  @Test func directionsHaveTheirColours() throws {
    // Right, and as flow_vis a hair above it, where the ring ends; down, left, up; still, unknown, too long.
    let vectors: [(Float, Float)] = [
      (8, 0), (8, -0.0), (0, 8), (-8, 0), (0, -8), (0, 0), (.nan, .nan), (16, 0), (4, 0),
    ]
    var options = RenderingOptions(style: .wheel)
    options.maxLength = .fixed(8)
    let flow = FlowField(width: vectors.count, height: 1) { x, _ in vectors[x] }
    let image = try FlowRenderer(options: options, size: flow.size, parallelism: .serial).image(of: flow)
    let expected = [
      RGBA8(255, 0, 0), RGBA8(255, 0, 43), RGBA8(255, 229, 0), RGBA8(0, 209, 255), RGBA8(88, 0, 255), .white, .black,
      RGBA8(191, 0, 0), RGBA8(255, 127, 127),
    ]
    for (x, color) in expected.enumerated() {
      #expect(maximumDifference(image[x, 0], color) <= 1, "\(vectors[x]): \(image[x, 0])")
    }
  }

  @Test func aFrameWithoutFlowIsWhite() throws {
    let size = PixelSize(width: 6, height: 5)
    let format = ImageFormat(colorModel: .rgb, isFullRange: true)
    let image = TestImage(size: size, format: format)
    let renderer = try FlowRenderer(options: RenderingOptions(style: .wheel), size: size, parallelism: .serial)
    try renderer.render(nil, caption: nil, over: image.view)
    for plane in 0..<3 { #expect(image.samples(plane).allSatisfy { $0 == 255 }) }
  }

  @Test func heatRisesInLightnessInEvenSteps() {
    let lightness = HeatMap.table.map { color -> Double in
      func linear(_ byte: UInt8) -> Double {
        let x = Double(byte) / 255
        return x <= 0.04045 ? x / 12.92 : power((x + 0.055) / 1.055, 2.4)
      }
      let y = 0.212_672_9 * linear(color.r) + 0.715_152_2 * linear(color.g) + 0.072_175 * linear(color.b)
      return y > 216.0 / 24389 ? 116 * power(y, 1.0 / 3) - 16 : y * 24389 / 27
    }
    #expect(lightness[0] == 0)
    #expect(abs(lightness[255] - 97) < 0.5)
    for index in 1..<256 {
      let step = lightness[index] - lightness[index - 1]
      #expect(step > -0.2 && step < 1, "step \(step) at \(index)")
      #expect(abs(lightness[index] - 97 * Double(index) / 255) < 0.6)
    }
  }
}
