import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Mistakes of callers with encoders and images are typed errors that name the file, and leave no file.
@Suite struct WriterMisuseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let size = PixelSize(width: 48, height: 32)
  private static let noSizes = [
    PixelSize(width: 0, height: 32), PixelSize(width: 48, height: 0), PixelSize(width: -48, height: -32),
    PixelSize(width: .max, height: .max), PixelSize(width: .min, height: 32), PixelSize(width: 1 << 31, height: 32),
    PixelSize(width: Int(Int32.max), height: Int(Int32.max)),
  ]

  private func canvas(_ format: CanvasFormat, number: Int = 0) throws -> Canvas {
    let image = Plane(width: format.imageSize.width, height: format.imageSize.height) { x, y in
      RGBA8(UInt8(x), UInt8(y), UInt8(number))
    }
    let time = MediaTime(value: Int64(number), timeBase: Rational(1, 25))
    return try CanvasMaker(format: format).canvas(
      for: VideoFrame(image: image, number: number, presentationTime: time))
  }

  private func writer(_ path: String) throws -> VideoWriter {
    try VideoWriter(path, size: Self.size, frameRate: Rational(25, 1))
  }

  private func code(_ body: () throws -> Void, _ location: SourceLocation = #_sourceLocation) -> MediaError.Code? {
    thrown(MediaError.self, sourceLocation: location, performing: body)?.code
  }

  @Test(arguments: ["a.mp4", "a.mkv", "a.avi"]) func aFinishedWriterTakesNothingMore(name: String) throws {
    let path = folder.file(name).path
    let writer = try writer(path)
    let canvas = try canvas(writer.canvasFormat)
    try writer.append(canvas)
    try writer.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = thrown(MediaError.self) { try writer.append(canvas) }
    #expect(error?.code == .cannotWrite && error?.description.contains("is finished") == true)
    #expect(error?.file == path)
    #expect(code { try writer.finish() } == .cannotWrite)
    writer.abandon()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes && folder.names == [name])
  }

  @Test func awriterThatWasGivenUpTakesNothingMore() throws {
    let writer = try writer(folder.file("a.mp4").path)
    let canvas = try canvas(writer.canvasFormat)
    try writer.append(canvas)
    writer.abandon()
    #expect(code { try writer.append(canvas) } == .cannotWrite)
    #expect(code { try writer.finish() } == .cannotWrite)
    writer.abandon()
    #expect(folder.names.isEmpty)
  }

  @Test func aCanvasOfAnotherFormatIsRefused() throws {
    let writer = try writer(folder.file("a.mkv").path)
    try writer.append(canvas(writer.canvasFormat))
    for other in [Self.size, PixelSize(width: 46, height: 32), PixelSize(width: 200, height: 200)] {
      #expect(code { try writer.append(canvas(.rgb(other))) } == .invalidOption)
    }
    let larger = try VideoWriter(
      folder.file("b.mkv").path, size: PixelSize(width: 50, height: 32), frameRate: Rational(25, 1))
    #expect(code { try writer.append(canvas(larger.canvasFormat)) } == .invalidOption)
    // The writer is as it was.
    try writer.append(canvas(writer.canvasFormat, number: 1))
    try writer.finish()
    let reader = try VideoReader(folder.file("a.mkv").path)
    #expect(try reader.nextFrame() != nil && reader.nextFrame() != nil && reader.nextFrame() == nil)
    #expect(try reader.nextFrame() == nil)
  }

  @Test(arguments: noSizes) func sizesThatNoImageHasAreRefused(size: PixelSize) throws {
    let path = folder.file("a.mp4").path
    let error = thrown(MediaError.self) {
      try VideoWriter(path, size: size, frameRate: Rational(25, 1))
    }
    #expect(error?.file == path && folder.names.isEmpty)
    _ = code { _ = try PNGCodec.encode(size: size, layout: .gray8) { _, _ in } }
    let canvas = try canvas(.rgb(Self.size))
    _ = code { _ = try canvas.resized(to: size) }
    let frame = try VideoFrame(
      image: Plane(size: Self.size), number: 0, presentationTime: MediaTime(value: 0, timeBase: Rational(1, 1)))
    _ = code { _ = try CanvasMaker(format: .rgb(size)).canvas(for: frame) }
  }

  @Test func imagesWithoutPixelsAreRefused() throws {
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
      let path = folder.file("a.png").path
      #expect(code { try StillImage.writePNG(Plane<UInt8>(width: width, height: height), to: path) } == .cannotWrite)
      #expect(code { try StillImage.writePNG(Plane<RGBA8>(width: width, height: height), to: path) } == .cannotWrite)
      #expect(code { try StillImage.writePNG(Plane<RGB16>(width: width, height: height), to: path) } == .cannotWrite)
      let time = MediaTime(value: 0, timeBase: Rational(1, 1))
      #expect(
        code { _ = try VideoFrame(image: Plane(width: width, height: height), number: 0, presentationTime: time) }
          == .invalidOption)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func ratesThatAreNoneAreRefused() throws {
    for rate in [Rational(0, 1), Rational(25, 0), Rational(-25, 1), Rational(.min, .min)] {
      #expect(
        code { _ = try VideoWriter(folder.file("a.mp4").path, size: Self.size, frameRate: rate) } == .invalidOption)
    }
    #expect(folder.names.isEmpty)
  }

  @Test func theQualityOfAJPEGHasARange() throws {
    let canvas = try canvas(.rgb(Self.size))
    for quality in [Int.min, -1, 0, 1, 32, .max] {
      #expect(code { _ = try canvas.jpeg(quality: quality) } == .invalidOption)
    }
    for quality in [2, 31] { #expect(try canvas.jpeg(quality: quality).starts(with: [0xFF, 0xD8])) }
  }

  /// Frames of another size than the writer's are fitted in, as those of a video whose size changes are.
  @Test func aFrameOfAnotherSizeIsFittedIn() throws {
    let writer = try writer(folder.file("a.mkv").path)
    let frame = try VideoFrame(
      image: Plane(width: 7, height: 90), number: 0, presentationTime: MediaTime(value: 0, timeBase: Rational(1, 25)))
    let canvas = try CanvasMaker(format: writer.canvasFormat).canvas(for: frame)
    try canvas.withMutableImage { #expect($0.size == Self.size) }
    try writer.append(canvas)
    try writer.finish()
  }

  @Test(.enabled(if: FFmpegTools.areInstalled), arguments: [false, true])
  func aFinishedClipTakesNothingMore(isEncoded: Bool) throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, frames: 30, encoding: ["-c:v", "libx264", "-g", "10"])
    var reading = VideoReader.Options(threadCount: 1)
    reading.keepsPackets = true
    let reader = try VideoReader(input.path, options: reading)
    while try reader.nextFrame() != nil {}
    let packets = reader.takePackets()
    let streams = try CopiedStreams(reader)
    let start = MediaTime(value: 0, timeBase: Rational(1, 25))
    func clip(_ name: String) throws -> any ClipSink {
      let path = folder.file(name).path
      return isEncoded
        ? try ClipEncoder(path, streams: streams, start: start, reading: reading, options: EncoderOptions()) { _ in }
        : try ClipWriter(path, streams: streams, start: start, overwrite: false)
    }
    let finished = try clip("a.mp4")
    for packet in packets { try finished.append(packet) }
    try finished.advance(to: MediaTime(value: 29, timeBase: Rational(1, 25)))
    try finished.finishVideo()
    try finished.finish()
    let bytes = try Data(contentsOf: folder.file("a.mp4"))
    #expect(code { try finished.finish() } == .cannotWrite)
    if !isEncoded { #expect(code { try finished.append(packets[0]) } == .cannotWrite) }
    finished.abandon()
    #expect(try Data(contentsOf: folder.file("a.mp4")) == bytes)
    let abandoned = try clip("b.mp4")
    try abandoned.append(packets[0])
    abandoned.abandon()
    #expect(code { try abandoned.finish() } == .cannotWrite)
    #expect(folder.names.sorted() == ["a.mp4", "in.mp4"])
  }
}
