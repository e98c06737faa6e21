import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

@Suite struct StillImageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let colors = Plane<RGBA8>(width: 37, height: 23) { x, y in
    RGBA8(UInt8(7 * x % 256), UInt8(11 * y % 256), UInt8((x * y) % 256))
  }

  @Test func anOpaqueImageSurvivesTheRoundTrip() throws {
    let path = folder.file("opaque.png").path
    try StillImage.writePNG(Self.colors, to: path)
    let read = try StillImage.rgb(contentsOf: path)
    #expect(read.pixels == Self.colors.pixels)
    #expect(try VideoReader(path).videoFormat().pixelFormat == "rgb24")
  }

  @Test func opacitySurvivesTheRoundTrip() throws {
    var image = Self.colors
    image.withMutableView { view in
      for x in 0..<view.width { view.row(5)[x].a = UInt8(x) }
    }
    let path = folder.file("clear.png").path
    try StillImage.writePNG(image, to: path)
    #expect(try StillImage.rgb(contentsOf: path).pixels == image.pixels)
  }

  @Test func aGrayImageSurvivesTheRoundTrip() throws {
    let mask = Plane<UInt8>(width: 67, height: 31) { x, y in UInt8((3 * x + 5 * y) % 256) }
    let path = folder.file("gray.png").path
    try StillImage.writePNG(mask, to: path)
    #expect(try VideoReader(path).videoFormat().pixelFormat == "gray")
    #expect(try StillImage.luma(contentsOf: path).pixels == mask.pixels.map(Float.init))
    #expect(try StillImage.rgb(contentsOf: path).pixels == mask.pixels.map { RGBA8($0, $0, $0) })
  }

  @Test func sixteenBitColoursSurviveTheRoundTrip() throws {
    let image = Plane<RGB16>(width: 37, height: 23) { x, y in
      RGB16(UInt16(1771 * x), UInt16(2849 * y), UInt16((x * y * 77) % 65536))
    }
    let path = folder.file("deep.png").path
    try StillImage.writePNG(image, to: path)
    #expect(try VideoReader(path).videoFormat().pixelFormat == "rgb48be")
    #expect(try StillImage.rgb16(contentsOf: path) == image)
  }

  @Test func lumaOfColoursIsRounded() throws {
    let path = folder.file("luma.png").path
    try StillImage.writePNG(Self.colors, to: path)
    let expected = Self.colors.pixels.map { color in
      (0.299 * Float(color.r) + 0.587 * Float(color.g) + 0.114 * Float(color.b) + 0.5).rounded(.down)
    }
    #expect(try StillImage.luma(contentsOf: path).pixels == expected)
  }

  @Test(arguments: [1, 2, 3]) func smallImagesWork(side: Int) throws {
    let image = Plane<RGBA8>(width: side, height: 1) { x, _ in RGBA8(200, UInt8(x), 9) }
    let path = folder.file("small.png").path
    try StillImage.writePNG(image, to: path)
    #expect(try StillImage.rgb(contentsOf: path).pixels == image.pixels)
    #expect(try StillImage.luma(contentsOf: path).size == image.size)
  }

  @Test func anExistingFileIsReplacedOnlyOnRequest() throws {
    let path = folder.file("there.png").path
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    let error = thrown(MediaError.self) { try StillImage.writePNG(Self.colors, to: path) }
    #expect(error?.code == .outputExists)
    #expect(error?.file == path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    try StillImage.writePNG(Self.colors, to: path, overwrite: true)
    #expect(try StillImage.rgb(contentsOf: path).pixels == Self.colors.pixels)
    #expect(folder.names == ["there.png"])
  }

  @Test func anEmptyImageIsRefused() {
    let error = thrown(MediaError.self) {
      try StillImage.writePNG(Plane<UInt8>(width: 0, height: 5), to: folder.file("empty.png").path)
    }
    #expect(error?.code == .cannotWrite)
    #expect(folder.names.isEmpty)
  }

  @Test func aMissingFolderIsNamed() {
    let path = folder.file("nowhere/a.png").path
    let error = thrown(MediaError.self) { try StillImage.writePNG(Self.colors, to: path) }
    #expect(error?.code == .cannotWrite)
    #expect(error?.description.contains("nowhere") == true)
  }

  @Test func errorsOfReadingNameTheFile() throws {
    let text = folder.file("text.png").path
    try Data("no picture".utf8).write(to: URL(fileURLWithPath: text))
    for path in [text, folder.file("absent.png").path, folder.url.path] {
      let error = thrown(MediaError.self) { try StillImage.luma(contentsOf: path) }
      #expect(error?.file == path)
      #expect(error?.description.contains("\n") == false)
    }
  }
}
