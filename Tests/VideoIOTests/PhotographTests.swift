import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Photographs whose EXIF data say how the camera was held come out upright.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct PhotographTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A JPEG file with an EXIF segment that holds nothing but the orientation.
  private func photograph(_ image: Plane<RGBA8>, _ orientation: ImageOrientation) throws -> String {
    let (png, jpeg) = (folder.file("plain.png"), folder.file("photograph\(orientation.rawValue).jpg"))
    try StillImage.writePNG(image, to: png.path, overwrite: true)
    try FFmpegTools.ffmpeg(["-i", png.path, "-q:v", "1", "-pix_fmt", "yuvj444p", jpeg.path])
    try Photographs.tag(jpeg, with: orientation)
    return jpeg.path
  }

  @Test(arguments: ImageOrientation.allCases) func aPhotographIsTurnedUpright(orientation: ImageOrientation) throws {
    // Dark but for one corner, so that each orientation shows another image.
    let stored = Plane<RGBA8>(width: 48, height: 32) { x, y in
      let value: UInt8 = x < 16 && y < 8 ? 250 : x < 16 ? 120 : 20
      return RGBA8(value, value, value)
    }
    let expected = stored.upright(from: orientation)
    let read = try StillImage.rgb(contentsOf: try photograph(stored, orientation))
    #expect(read.size == expected.size)
    guard read.size == expected.size else { return }
    for y in stride(from: 2, to: expected.height, by: 4) {
      for x in stride(from: 2, to: expected.width, by: 4) {
        #expect(abs(Int(read[x, y].g) - Int(expected[x, y].g)) < 12, "\(x), \(y)")
      }
    }
  }
  @Test(arguments: ImageOrientation.allCases) func theHeadersTellTheOrientation(orientation: ImageOrientation) throws {
    let info = try MediaInfo(contentsOf: photograph(Plane(width: 48, height: 32), orientation))
    #expect(info.isImage && info.streams.first?.video?.orientation.exif == orientation)
    // As stored.
    #expect(info.streams.first?.video?.size == PixelSize(width: 48, height: 32))
  }

  @Test func aDamagedPhotographStillHasItsHeaders() throws {
    let path = try photograph(Plane(width: 48, height: 32), .right)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    // The scan, behind the headers, is missing.
    let scan = try #require(data.range(of: Data([0xFF, 0xDA])))
    try data.prefix(upTo: scan.lowerBound).write(to: URL(fileURLWithPath: path))
    let info = try MediaInfo(contentsOf: path)
    #expect(info.isImage && info.streams.first?.codec == "mjpeg")
  }
}
