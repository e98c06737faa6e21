import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Images that a display matrix turns or mirrors come out upright, as ffmpeg itself shows them.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct OrientationTests {
  /// The upper left 2×2 of a display matrix: a, b, c, d.
  struct Orientation: Sendable, CustomTestStringConvertible {
    var name: String
    var matrix: [Int32]
    var isTurned: Bool { matrix[0] == 0 }
    var testDescription: String { name }
  }

  static let orientations = [
    Orientation(name: "upright", matrix: [1, 0, 0, 1]), Orientation(name: "90°", matrix: [0, 1, -1, 0]),
    Orientation(name: "180°", matrix: [-1, 0, 0, -1]), Orientation(name: "270°", matrix: [0, -1, 1, 0]),
    Orientation(name: "mirrored", matrix: [-1, 0, 0, 1]), Orientation(name: "upside down", matrix: [1, 0, 0, -1]),
    Orientation(name: "transposed", matrix: [0, 1, 1, 0]), Orientation(name: "transversed", matrix: [0, -1, -1, 0]),
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A clip whose track header holds the matrix.
  private func clip(_ orientation: Orientation, size: String, aspect: String = "1/1") throws -> URL {
    let file = folder.file("in.mp4")
    try Clips.moving(
      file, size: size, frames: 2, filters: ["format=yuv420p", "setsar=\(aspect)"], encoding: ["-c:v", "mpeg4"])
    var data = try Data(contentsOf: file)
    let header = try #require(data.range(of: Data("tkhd".utf8)))
    // ISO/IEC 14496-12, 8.3.2, version 0: 40 bytes of other fields stand before the matrix, after the type and flags.
    let start = header.upperBound + 4 + 36
    for (index, position) in [0, 1, 3, 4].enumerated() {
      let value = UInt32(bitPattern: orientation.matrix[index] << 16)
      for byte in 0..<4 { data[start + 4 * position + byte] = UInt8(value >> (24 - 8 * UInt32(byte)) & 0xFF) }
    }
    try data.write(to: file)
    return file
  }

  @Test func theHeadersTellHowImagesAreShown() throws {
    let expected: [(rotation: Int, isMirrored: Bool)] = [
      (0, false), (90, false), (180, false), (270, false), (0, true), (180, true), (270, true), (90, true),
    ]
    for (orientation, expected) in zip(Self.orientations, expected) {
      let info = try MediaInfo(contentsOf: clip(orientation, size: "64x48").path)
      let found = try #require(info.streams.first?.video?.orientation)
      #expect(found.rotation == expected.rotation && found.isMirrored == expected.isMirrored, "\(orientation.name)")
    }
  }

  @Test(arguments: orientations)
  func copiedClipsAreShownTheSameWay(orientation: Orientation) throws {
    let reader = try VideoReader(
      try clip(orientation, size: "64x48", aspect: "4/3").path, options: Self.keepingPackets)
    let streams = try CopiedStreams(reader)
    while try reader.nextFrame() != nil {}
    let copy = folder.file("copy.mp4")
    let start = MediaTime(value: 0, timeBase: Rational(1, 1))
    let writer = try ClipWriter(copy.path, streams: streams, start: start, overwrite: false)
    for packet in reader.takePackets() { try writer.append(packet) }
    try writer.finish()
    let (before, after) = (reader.info.streams[0].video, try MediaInfo(contentsOf: copy.path).streams[0].video)
    #expect(before?.orientation == after?.orientation && before?.color == after?.color)
    #expect(after?.sampleAspectRatio == Rational(4, 3))
  }

  private static let keepingPackets: VideoReader.Options = {
    var options = VideoReader.Options()
    options.keepsPackets = true
    return options
  }()

  @Test(arguments: orientations, ["64x48", "66x50"])
  func framesAreUpright(orientation: Orientation, size: String) throws {
    let file = try clip(orientation, size: size)
    let reader = try VideoReader(file.path)
    let sides = size.split(separator: "x").compactMap { Int($0) }
    let expected = PixelSize(
      width: sides[orientation.isTurned ? 1 : 0], height: sides[orientation.isTurned ? 0 : 1])
    #expect(try reader.videoFormat().size == expected)
    let frame = try #require(try reader.nextFrame())
    let shown = try FFmpegTools.ffmpeg([
      "-i", file.path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-sws_flags", "accurate_rnd+bitexact",
      "-",
    ])
    // 4:2:0 images are compared as they are.
    let planes = try FFmpegTools.ffmpeg(["-i", file.path, "-frames:v", "1", "-f", "rawvideo", "-"])
    #expect(try frame.buffer.bytes == planes)
    #expect(shown.count == 3 * expected.area)
  }

  @Test func turningExchangesTheSidesOfAPixel() throws {
    let file = try clip(Self.orientations[1], size: "64x48", aspect: "4/3")
    #expect(try VideoReader(file.path).videoFormat().sampleAspectRatio == Rational(3, 4))
  }

  @Test func theOutputIsNotTurnedAgain() throws {
    let file = try clip(Self.orientations[1], size: "64x48")
    let output = folder.file("out.mp4")
    let reader = try VideoReader(file.path)
    let writer = try VideoWriter(output.path, source: reader)
    let maker = CanvasMaker(format: writer.canvasFormat)
    while let frame = try reader.nextFrame() { try writer.append(maker.canvas(for: frame)) }
    try writer.finish()
    #expect(try FFmpegTools.probe(output, "stream=width,height:stream_side_data=rotation") == [["48", "64"]])
  }

  @Test(.enabled(if: TestData.has("video/sample_rotate_and_reflect.mp4"), "needs the test data"))
  func aClipThatIsTurnedAndMirrored() throws {
    let file = try TestData.url("video/sample_rotate_and_reflect.mp4")
    let reader = try VideoReader(file.path, options: VideoReader.Options(range: MediaRange(frameCount: 1)))
    let frame = try #require(try reader.nextFrame())
    #expect(try frame.buffer.bytes == FFmpegTools.ffmpeg(["-i", file.path, "-frames:v", "1", "-f", "rawvideo", "-"]))
  }
}
