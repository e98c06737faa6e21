import Imaging
import TestSupport
import Testing

@testable import FlowRendering

@Suite struct ContactSheetTests {
  /// The frames of a sheet of `frames` frames, by the colour that each was given.
  private func chosen(_ frames: Int, moments: Int, size: PixelSize = PixelSize(width: 48, height: 27)) throws -> [Int] {
    var sheet = try ContactSheet(momentCount: moments, canvasSize: size)
    var made = 0
    for frame in 0..<frames {
      sheet.append(FrameCaption(time: nil, frame: frame)) { size in
        made += 1
        return Plane(size: size, repeating: RGBA8(UInt8(frame % 256), UInt8(frame / 256), 200))
      }
    }
    #expect(made <= 8 * moments * 8, "\(made) images made of \(frames) frames")
    guard let image = sheet.image() else { return [] }
    let columns = (image.width - 6) / (size.width + 6)
    // The upper right corner of an image has no caption.
    return (0..<moments).compactMap { index in
      let (x, y) = (6 + index % columns * (size.width + 6) + 47, 6 + index / columns * (size.height + 6))
      guard x < image.width, y < image.height else { return nil }
      let pixel = image[x, y]
      return pixel.b == 200 ? Int(pixel.r) + 256 * Int(pixel.g) : nil
    }
  }

  @Test(arguments: [9, 35, 36, 37, 100, 1000, 5000])
  func momentsAreEvenlySpread(frames: Int) throws {
    let found = try chosen(frames, moments: 9)
    #expect(found.count == 9)
    let gap = Double(frames) / 9
    for (index, frame) in found.enumerated() {
      #expect(abs(Double(frame) - (Double(index) + 0.5) * gap) <= max(1, 0.35 * gap), "\(found)")
    }
  }

  @Test func shortVideosHaveFewerMoments() throws {
    #expect(try chosen(4, moments: 9) == [0, 1, 2, 3])
    #expect(try chosen(0, moments: 9).isEmpty)
    #expect(try chosen(500, moments: 1).count == 1)
  }

  @Test func sheetsAreWideWhateverTheImages() throws {
    for (width, height) in [(1920, 1080), (1080, 1920), (160, 120)] {
      var sheet = try ContactSheet(momentCount: 9, canvasSize: PixelSize(width: width, height: height))
      for frame in 0..<9 {
        sheet.append(FrameCaption(time: nil, frame: frame)) { Plane(size: $0, repeating: .white) }
      }
      let image = try #require(sheet.image())
      #expect((1.0...3.2).contains(Double(image.width) / Double(image.height)), "\(image.size)")
      #expect(image.width <= 9 * 486)
    }
  }

  @Test func numbersOutOfRangeAreRefused() {
    for count in [0, 101] {
      let error = thrown(RenderingError.self) {
        try ContactSheet(momentCount: count, canvasSize: PixelSize(width: 48, height: 27))
      }
      #expect(error?.code == .invalidOption && error?.message.contains("1…100") == true)
    }
  }
}
