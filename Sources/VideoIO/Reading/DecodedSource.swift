// An opened input with what decodes its video.

import CFFmpeg
import Imaging

/// Demuxer, decoder and preparation of one video. Used by one thread at a time.
final class DecodedSource {
  let demuxer: Demuxer
  let stream: UnsafeMutablePointer<AVStream>
  let streamRate: Rational?
  let decoder: StreamDecoder
  let preparation: FramePreparation

  /// Opens an input at its beginning.
  init(_ path: String, _ options: VideoReader.Options) throws {
    demuxer = try Demuxer(path, options)
    stream = demuxer.streams[try demuxer.videoStreamIndex(requested: options.stream)]
    let rate = av_guess_frame_rate(demuxer.context, stream, nil)
    streamRate = rate.isPositive ? rate.rational : nil
    preparation = FramePreparation(stream: stream, streamRate: streamRate, filter: options.filter)
    preparation.firstSize = options.storedSize
    let parameters = stream.pointee.codecpar.pointee
    try PixelSize(width: Int(parameters.width), height: Int(parameters.height)).requireWork(options, demuxer.path)
    do {
      decoder = try StreamDecoder(
        stream: stream, threadCount: options.threadCount, maximumPixelCount: options.maximumPixelCount)
    } catch let error as MediaError { throw error.naming(demuxer.path) }
  }

  /// Looks at the packets of the video, as an index of them is made.
  func scan() throws(SeekRefusal) -> PacketScan { try PacketScan(stream, isInMP4: demuxer.isMP4) }
}

extension Demuxer {
  /// Opens an input as a reader's options say.
  convenience init(_ path: String, _ options: VideoReader.Options) throws {
    try self.init(
      path: path, format: options.format, options: options.inputOptions, allowedProtocols: options.allowedProtocols,
      inputGuard: InputGuard(patience: options.patience, isInterrupted: options.isInterrupted))
  }
}

extension PixelSize {
  /// The minimum number of bytes that any work takes for a pixel: two decoded images, or the luma of one as floats.
  private static let bytesPerPixel = 4

  /// Checks that images of this size are allowed, and that there is memory for the least that is done with them.
  /// - Throws: ``MediaError`` `invalidOption` or `outOfMemory`.
  func requireWork(_ options: VideoReader.Options, _ file: String) throws {
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    guard !overflows, count <= options.maximumPixelCount else {
      throw MediaError(
        .invalidOption,
        "images of \(self) have more than \(options.maximumPixelCount) pixels; --max-pixels allows more", file: file)
    }
    do {
      try FrameMemory.require(byteCount: max(count, 0) * Self.bytesPerPixel)
    } catch {
      throw MediaError(
        .outOfMemory, "there is no memory for images of \(self), \(error.byteCount >> 20) MB at least",
        file: file)
    }
  }
}
