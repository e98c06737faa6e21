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
  private func photograph(_ picture: Plane<RGBA8>, _ orientation: ImageOrientation) throws -> String {
    let (png, jpeg) = (folder.file("plain.png"), folder.file("photograph\(orientation.rawValue).jpg"))
    try StillImage.writePNG(picture, to: png.path, overwrite: true)
    try FFmpegTools.ffmpeg(["-i", png.path, "-q:v", "1", "-pix_fmt", "yuvj444p", jpeg.path])
    let little: [UInt8] = [
      0x49, 0x49, 0x2A, 0, 8, 0, 0, 0,  // the header: least significant byte first, the directory at 8
      1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation.rawValue), 0, 0, 0,  // one entry: 0x0112, one short
      0, 0, 0, 0,
    ]
    let payload = Array("Exif".utf8) + [0, 0] + little
    var data = try Data(contentsOf: jpeg)
    data.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload, at: 2)
    try data.write(to: jpeg)
    return jpeg.path
  }

  @Test(arguments: ImageOrientation.allCases) func aPhotographIsTurnedUpright(orientation: ImageOrientation) throws {
    // Dark but for one corner, so that each orientation shows another picture.
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
}
