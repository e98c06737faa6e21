import Foundation
import Imaging

/// JPEG files as cameras write them.
public enum Photographs {
  /// Inserts an EXIF segment that holds nothing but the orientation into a JPEG file.
  public static func tag(_ jpeg: URL, with orientation: ImageOrientation) throws {
    let little: [UInt8] = [
      0x49, 0x49, 0x2A, 0, 8, 0, 0, 0,  // the header: least significant byte first, the directory at 8
      1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation.rawValue), 0, 0, 0,  // one entry: 0x0112, one short
      0, 0, 0, 0,
    ]
    let payload = Array("Exif".utf8) + [0, 0] + little
    var data = try Data(contentsOf: jpeg)
    data.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload, at: 2)
    try data.write(to: jpeg)
  }
}
