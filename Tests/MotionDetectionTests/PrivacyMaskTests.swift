import Imaging
import MotionDetection
import Testing

@Suite struct PrivacyMaskTests {
  private static let size = PixelSize(width: 20, height: 12)

  private func zones(_ polygon: [[Double]], mode: Zone.Mode = .privacy) throws -> ZoneSet {
    try ZoneSet([Zone(name: "a", units: .pixels, mode: mode, polygon: polygon)])
  }

  private func hidden(_ polygon: [[Double]]) throws -> Set<[Int]> {
    let mask = try #require(PrivacyMask(zones: try zones(polygon), size: Self.size))
    var pixels: Set<[Int]> = []
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width where mask.hides(x: x, y: y) { pixels.insert([x, y]) }
    }
    return pixels
  }

  @Test func onlyPrivacyZonesHide() throws {
    #expect(PrivacyMask(zones: .everywhere, size: Self.size) == nil)
    #expect(PrivacyMask(zones: try zones([[0, 0], [9, 0], [9, 9]], mode: .exclude), size: Self.size) == nil)
  }

  @Test func aRectangleHidesItsPixelsAndOneMoreAround() throws {
    let pixels = try hidden([[5, 4], [9, 4], [9, 7], [5, 7]])
    for y in 3...7 {
      for x in 4...9 { #expect(pixels.contains([x, y]), "\(x) \(y)") }
    }
    // Farther than the margin from everything that an edge touches.
    #expect(pixels.allSatisfy { (3...10).contains($0[0]) && (2...8).contains($0[1]) }, "\(pixels)")
  }

  @Test func aSliverAndWhatLiesOutsideOfTheImageAreHidden() throws {
    let sliver = try hidden([[2, 6.4], [18, 6.4], [18, 6.41]])
    for x in 1...18 { #expect(sliver.contains([x, 6]), "\(x)") }
    #expect(try hidden([[-50, -50], [50, -50], [50, 50], [-50, 50]]).count == Self.size.area)
    #expect(try hidden([[100, 100], [120, 100], [120, 120]]).isEmpty)
  }

  /// A five-pointed star in one stroke: its middle is enclosed twice.
  @Test func whatIsEnclosedTwiceIsHidden() throws {
    let star = [[10.0, 0.5], [13, 11], [4, 4], [16, 4], [7, 11]]
    #expect(try hidden(star).contains([10, 6]))
  }

  @Test(arguments: [
    ImageFormat(colorModel: .yuv, chromaShiftX: 1, chromaShiftY: 1, isFullRange: false),
    ImageFormat(colorModel: .yuv, chromaShiftX: 1, chromaShiftY: 0, bitDepth: 10, isFullRange: true),
    ImageFormat(colorModel: .rgb, isFullRange: true), ImageFormat(colorModel: .gray, isFullRange: true),
  ])
  func hiddenPixelsAreBlackAndNoOthersChange(format: ImageFormat) throws {
    let mask = try #require(PrivacyMask(zones: try zones([[5, 4], [9, 4], [9, 7], [5, 7]]), size: Self.size))
    let count = 4 * Self.size.area
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 3 * count, alignment: 64)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: 3 * count)
    let planes = (0..<format.planeCount).map {
      MutableImageView.RawPlane(base: memory + $0 * count, stride: 2 * Self.size.width)
    }
    mask.blank(MutableImageView(size: Self.size, format: format, planes: planes))
    let step = 1 << (format.bitDepth - 8)
    for index in 0..<format.planeCount {
      let size = format.planeSize(index, of: Self.size)
      let isChroma = format.colorModel == .yuv && index > 0
      let black = isChroma ? 128 * step : format.colorModel == .rgb || format.isFullRange ? 0 : 16 * step
      let (sx, sy) = isChroma ? (format.chromaShiftX, format.chromaShiftY) : (0, 0)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let row = planes[index].base + y * planes[index].stride
          let value =
            format.bytesPerSample == 1
            ? Int(row.load(fromByteOffset: x, as: UInt8.self)) : Int(row.load(fromByteOffset: 2 * x, as: UInt16.self))
          let isHidden = (y << sy..<min((y + 1) << sy, Self.size.height)).contains { py in
            (x << sx..<min((x + 1) << sx, Self.size.width)).contains { mask.hides(x: $0, y: py) }
          }
          #expect(value == (isHidden ? black : format.bytesPerSample == 1 ? 1 : 257), "plane \(index) \(x) \(y)")
        }
      }
    }
  }
}
