import Foundation

/// Matroska files of JPEG images with any time stamps whatsoever, many of which no muxer writes.
public enum MatroskaFile {
  /// The parts of a file that most tests leave as they are.
  public struct Details: Sendable {
    /// The images per second, as the header says; nil: it does not.
    public var rate: UInt64? = 25
    /// The length of the file in ticks, as the header says; nil: it does not.
    public var duration: Double?
    /// The number of ticks for which each image shows, as it says itself; nil: it does not.
    public var imageDuration: UInt64?
    /// Matroska's name of the codec of the images.
    public var codec = "V_MJPEG"
    /// The data that the codec needs ahead of the images.
    public var codecData = Data()
    /// The indices of the images that need others.
    public var dependentImages: Set<Int> = []
    /// The sound, of 8,000 samples a second, each of which is a byte.
    public var sound: [Sound] = []

    public init() {}
  }

  /// A block with packets of sound.
  public struct Sound: Sendable {
    /// The index of the image ahead of which the block stands.
    public var image: Int
    /// The time stamp in ticks.
    public var time: UInt64
    /// The number of packets, 1…256.
    public var packetCount: Int
    /// The size of each packet, in bytes.
    public var packetSize: Int

    public init(beforeImage image: Int, time: UInt64, packetCount: Int = 1, packetSize: Int) {
      self.image = image
      self.time = time
      self.packetCount = packetCount
      self.packetSize = packetSize
    }
  }

  /// Writes a file with an image in each cluster.
  /// - Parameters:
  ///   - images: JPEG images, unless the details say otherwise; their sizes and pixel formats may differ.
  ///   - times: The time stamp of each image, in ticks; those from 2⁶³ on are negative for those who read them.
  ///   - nanosecondsPerTick: The unit of the time stamps.
  public static func write(
    _ images: [Data], times: [UInt64], nanosecondsPerTick: UInt64, details: Details = Details(), to file: URL
  ) throws {
    var header = Data()
    for (id, bytes) in [
      (0x4286, [1]), (0x42F7, [1]), (0x42F2, [4]), (0x42F3, [8]), (0x4282, Array("matroska".utf8)), (0x4287, [4]),
      (0x4285, [2]),
    ] as [(Int, [UInt8])] {
      header += element(id, Data(bytes))
    }
    var information =
      element(0x2AD7B1, number(nanosecondsPerTick)) + element(0x4D80, Data("t".utf8)) + element(0x5741, Data("t".utf8))
    if let duration = details.duration { information += element(0x4489, number(duration.bitPattern)) }
    var segment = element(0x1549_A966, information) + element(0x1654_AE6B, tracks(details))
    for index in 0...images.count {
      for sound in details.sound where sound.image == index { segment += cluster(sound.time, block(sound)) }
      guard index < images.count, index < times.count else { continue }
      segment += cluster(
        times[index], block(images[index], isKeyFrame: !details.dependentImages.contains(index), details))
    }
    try (element(0x1A45_DFA3, header) + element(0x1853_8067, segment)).write(to: file)
  }

  private static func tracks(_ details: Details) -> Data {
    let video = element(0xB0, number(64)) + element(0xBA, number(48))
    var track = element(0xD7, Data([1])) + element(0x73C5, Data([1])) + element(0x83, Data([1]))
    if let rate = details.rate { track += element(0x23E383, number(1_000_000_000 / rate)) }
    track += element(0x86, Data(details.codec.utf8)) + element(0xE0, video)
    if !details.codecData.isEmpty { track += element(0x63A2, details.codecData) }
    guard !details.sound.isEmpty else { return element(0xAE, track) }
    let audio =
      element(0xB5, number((8000 as Double).bitPattern)) + element(0x9F, Data([1])) + element(0x6264, Data([8]))
    let sound =
      element(0xD7, Data([2])) + element(0x73C5, Data([2])) + element(0x83, Data([2]))
      + element(0x86, Data("A_PCM/INT/LIT".utf8)) + element(0xE1, audio)
    return element(0xAE, track) + element(0xAE, sound)
  }

  private static func cluster(_ time: UInt64, _ block: Data) -> Data {
    element(0x1F43_B675, element(0xE7, number(time)) + block)
  }

  private static func block(_ image: Data, isKeyFrame: Bool, _ details: Details) -> Data {
    guard let duration = details.imageDuration else {
      // Track 1, no time after the cluster's, the flag of key frames.
      return element(0xA3, Data([0x81, 0, 0, isKeyFrame ? 0x80 : 0]) + image)
    }
    let reference = isKeyFrame ? Data() : element(0xFB, Data([0xD8]))
    return element(0xA0, element(0xA1, Data([0x81, 0, 0, 0]) + image) + element(0x9B, number(duration)) + reference)
  }

  private static func block(_ sound: Sound) -> Data {
    // Track 2, no time after the cluster's, a key frame; several packets of one size, and their number less one.
    let isLaced = sound.packetCount > 1
    let head = Data([0x82, 0, 0, isLaced ? 0x84 : 0x80]) + (isLaced ? Data([UInt8(sound.packetCount - 1)]) : Data())
    return element(0xA3, head + Data(repeating: 0x80, count: sound.packetCount * sound.packetSize))
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
