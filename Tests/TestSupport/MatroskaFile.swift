import Foundation

/// Matroska files of JPEG images with any time stamps whatsoever, many of which no muxer writes.
public enum MatroskaFile {
  /// Writes a file with an image in each cluster.
  /// - Parameters:
  ///   - images: JPEG images; their sizes and pixel formats may differ.
  ///   - times: The time stamp of each image, in ticks; those from 2⁶³ on are negative for those who read them.
  ///   - nanosecondsPerTick: The unit of the time stamps.
  ///   - rate: Images per second, as the header says.
  public static func write(
    _ images: [Data], times: [UInt64], nanosecondsPerTick: UInt64, rate: UInt64 = 25, to file: URL
  ) throws {
    var header = Data()
    for (id, bytes) in [
      (0x4286, [1]), (0x42F7, [1]), (0x42F2, [4]), (0x42F3, [8]), (0x4282, Array("matroska".utf8)), (0x4287, [4]),
      (0x4285, [2]),
    ] as [(Int, [UInt8])] {
      header += element(id, Data(bytes))
    }
    let information =
      element(0x2AD7B1, number(nanosecondsPerTick)) + element(0x4D80, Data("t".utf8)) + element(0x5741, Data("t".utf8))
    let video = element(0xB0, number(64)) + element(0xBA, number(48))
    let track =
      element(0xD7, Data([1])) + element(0x73C5, Data([1])) + element(0x83, Data([1]))
      + element(0x23E383, number(1_000_000_000 / rate)) + element(0x86, Data("V_MJPEG".utf8)) + element(0xE0, video)
    var segment = element(0x1549_A966, information) + element(0x1654_AE6B, element(0xAE, track))
    for (image, time) in zip(images, times) {
      // Track 1, no time after the cluster's, a key frame.
      let block = Data([0x81, 0, 0, 0x80]) + image
      segment += element(0x1F43_B675, element(0xE7, number(time)) + element(0xA3, block))
    }
    try (element(0x1A45_DFA3, header) + element(0x1853_8067, segment)).write(to: file)
  }

  /// Draws JPEG images of a moving test image.
  /// - Parameter format: FFmpeg's name of the pixel format.
  public static func images(_ count: Int, size: String = "64x48", format: String = "yuvj420p") throws -> [Data] {
    let folder = try TemporaryFolder()
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25", "-frames:v", "\(count)", "-pix_fmt", format, "-q:v", "3",
      folder.file("%03d.jpg").path,
    ])
    return try (1...count).map { try Data(contentsOf: folder.file(String(format: "%03d.jpg", $0))) }
  }

  /// An element of EBML: its identity, its length in eight bytes, its contents.
  private static func element(_ id: Int, _ contents: Data) -> Data {
    var bytes = number(UInt64(id)).drop { $0 == 0 }
    bytes += number(UInt64(contents.count) | 1 << 56)
    return Data(bytes) + contents
  }

  private static func number(_ value: UInt64) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
}
