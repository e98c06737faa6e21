// Packets to a file.

import CFFmpeg
import Foundation
import Imaging
import Synchronization

/// Writes a container. Packets may come from two threads (encoded ones and copied ones): a lock orders them.
///
/// SAFETY (unchecked Sendable): `context` is touched in `init`, `deinit` and under `lock` only.
final class Muxer: @unchecked Sendable {
  let path: String
  let context: UnsafeMutablePointer<AVFormatContext>
  /// The file, and what writes to it; nil for a pattern of image files, which FFmpeg opens one by one.
  private let file: OutputFile?
  private let output: MuxerOutput?
  /// The files of a pattern.
  private let images: ImageFiles?
  private let lock = Mutex(())
  private var copied: [Int: CopiedStream] = [:]
  private var state = State.open
  private var shift: MediaTime?
  /// A Boolean value that tells whether the output is a single image, and the number of images that were written.
  private let takesOneImage: Bool
  private var imageCount = 0

  private struct CopiedStream {
    var outputIndex: Int32
    var timeBase: AVRational
    var nextTime: Int64?
    /// A Boolean value that tells whether two packets may begin at the same time.
    var sharesTimes: Bool
    /// The number of frames by which a frame is decoded before it shows, at most.
    var delay: Int64

    /// Returns the decoding time of a packet without one, as those have with which a Matroska file begins: frames that
    /// are shown in another order are decoded earlier than they show.
    func decodingTime(of packet: AVPacket) -> Int64 {
      guard delay > 0 else { return packet.pts }
      let step = max(1, packet.duration)
      guard let nextTime else {
        // A duration that no frame has says nothing about the frames before.
        let (lead, overflows) = delay.multipliedReportingOverflow(by: step)
        return packet.pts.subtractingSaturated(overflows ? delay : lead)
      }
      return min(packet.pts, nextTime.addingSaturated(step - 1))
    }
  }

  private enum State { case open, finished, abandoned }

  /// The container for a name, or for an explicit format.
  static func outputFormat(path: String, format: String?) throws -> UnsafePointer<AVOutputFormat> {
    _ = FFmpegLog.install
    let displayName = path == "-" ? "standard output" : path
    if let format {
      guard let found = av_guess_format(format, nil, nil) else {
        throw MediaError(.invalidOption, "FFmpeg knows no output format named \(format)", file: displayName)
      }
      return found
    }
    if path == "-" {
      throw MediaError(
        .invalidOption, "needs --format, such as --format matroska or --format yuv4mpegpipe", file: displayName)
    }
    guard let found = av_guess_format(nil, path, nil) else {
      throw MediaError(
        .invalidOption, "no container goes by this ending; use .mp4, .mkv, .mov, .webm, … or --format",
        file: displayName)
    }
    return found
  }

  /// - Parameters:
  ///   - path: A file, a pattern of image files (`frame_%03d.png`), or `-` for standard output.
  ///   - overwrite: A Boolean value that tells whether existing files may be replaced.
  ///   - inputs: The files that are read meanwhile; none of them is replaced.
  init(path: String, format: UnsafePointer<AVOutputFormat>, overwrite: Bool, inputs: [String] = []) throws {
    self.path = path == "-" ? "standard output" : path
    let opensFiles = format.pointee.flags & AVFMT_NOFILE != 0
    let pattern = opensFiles && path != "-" ? NumberedFileName(path) : nil
    if let pattern { try pattern.requireUnused(overwrite: overwrite, inputs: inputs) }
    file = pattern == nil ? try OutputFile(path: path, overwrite: overwrite, inputs: inputs) : nil
    output = opensFiles ? nil : try file.map(MuxerOutput.init)
    images = pattern.map { ImageFiles($0, overwrites: overwrite) }
    takesOneImage = pattern == nil && String(cString: format.pointee.name).contains("image2")
    var pointer: UnsafeMutablePointer<AVFormatContext>?
    try check(
      avformat_alloc_output_context2(&pointer, format, nil, file.map { "file:" + $0.workingPath } ?? path),
      .outOfMemory, "setting up the output")
    context = try allocated(pointer, "the output")
    context.pointee.flags |= AVFMT_FLAG_BITEXACT
    context.pointee.pb = output?.context
    images?.install(in: context)
  }

  deinit { avformat_free_context(context) }

  var isSeekable: Bool { (context.pointee.pb?.pointee.seekable ?? 0) != 0 }

  /// Adds the encoded video stream.
  func addVideo(
    _ encoder: UnsafeMutablePointer<AVCodecContext>, frameRate: Rational?, metadata: [(key: String, value: String)]
  ) throws -> Int32 {
    let stream = try allocated(avformat_new_stream(context, nil), "a stream")
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder), .outOfMemory, "describing the video")
    stream.pointee.time_base = encoder.pointee.time_base
    stream.pointee.sample_aspect_ratio = encoder.pointee.sample_aspect_ratio
    if let frameRate { stream.pointee.avg_frame_rate = AVRational(frameRate) }
    try setMetadata(&stream.pointee.metadata, metadata)
    return stream.pointee.index
  }

  /// Adds a stream that is copied from an input.
  /// - Parameter index: The stream's number in the input; nil: that of `source`.
  func addCopy(of source: UnsafeMutablePointer<AVStream>, as index: Int? = nil) throws {
    let stream = try allocated(avformat_new_stream(context, nil), "a stream")
    try check(
      avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar), .outOfMemory, "describing a stream")
    stream.pointee.codecpar.pointee.codec_tag = 0
    stream.pointee.time_base = source.pointee.time_base
    stream.pointee.disposition = source.pointee.disposition
    try setMetadata(&stream.pointee.metadata, readDictionary(source.pointee.metadata))
    let kind = source.pointee.codecpar.pointee.codec_type
    if kind == AVMEDIA_TYPE_VIDEO {
      try check(rheo_copy_stream_side_data(stream, source), .outOfMemory, "describing a stream")
      stream.pointee.avg_frame_rate = source.pointee.avg_frame_rate
      stream.pointee.sample_aspect_ratio = source.pointee.sample_aspect_ratio
      stream.pointee.codecpar.pointee.sample_aspect_ratio = source.pointee.sample_aspect_ratio
    }
    copied[index ?? Int(source.pointee.index)] = CopiedStream(
      outputIndex: stream.pointee.index, timeBase: source.pointee.time_base, nextTime: nil,
      sharesTimes: kind != AVMEDIA_TYPE_AUDIO && kind != AVMEDIA_TYPE_VIDEO,
      delay: kind == AVMEDIA_TYPE_VIDEO ? Int64(max(0, source.pointee.codecpar.pointee.video_delay)) : 0)
  }

  /// Adds a sound that is encoded anew.
  /// - Parameter source: The stream of the input, whose number stands for the sound in ``write(_:)``.
  func addSound(
    _ encoder: UnsafeMutablePointer<AVCodecContext>, of source: UnsafeMutablePointer<AVStream>, as index: Int
  ) throws {
    let stream = try allocated(avformat_new_stream(context, nil), "a stream")
    try check(avcodec_parameters_from_context(stream.pointee.codecpar, encoder), .outOfMemory, "describing the sound")
    stream.pointee.time_base = encoder.pointee.time_base
    stream.pointee.disposition = source.pointee.disposition
    try setMetadata(&stream.pointee.metadata, readDictionary(source.pointee.metadata))
    copied[index] = CopiedStream(
      outputIndex: stream.pointee.index, timeBase: encoder.pointee.time_base, nextTime: nil, sharesTimes: false,
      delay: 0)
    // What an encoder puts before the sound begins earlier than the images. Matroska says in its header how long that
    // is: nothing need be moved for it.
    if ["matroska", "webm"].contains(String(cString: context.pointee.oformat.pointee.name)) {
      context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
    }
  }

  /// Returns the options that the container needs for where it is written.
  /// - Parameter timeBase: The time base of the video.
  func settings(path: String, container: String, timeBase: Rational) throws -> OwnedDictionary {
    var settings = OwnedDictionary()
    if container == "mpegts" { try settings.set("mpegts_copyts", "1") }
    if takesOneImage { try settings.set("update", "1") }
    if ["mp4", "mov"].contains(container) {
      // A delayed start is stored in ticks of the movie, which are milliseconds unless told otherwise.
      var timescale = Int(timeBase.denominator)
      while timescale < 1000 { timescale *= 2 }
      try settings.set("movie_timescale", String(timescale))
      if !isSeekable { try settings.set("movflags", "frag_keyframe+empty_moov+default_base_moof") }
    }
    return settings
  }

  func setMetadata(_ dictionary: inout OpaquePointer?, _ values: [(key: String, value: String)]) throws {
    for (key, value) in values {
      try check(av_dict_set(&dictionary, key, value, 0), .outOfMemory, "writing metadata")
    }
  }

  /// Writes the header. `shift` is taken off the times of copied packets.
  func start(options: consuming OwnedDictionary, shift: MediaTime?) throws {
    self.shift = shift
    var options = options
    try check(
      avformat_write_header(context, &options.pointer), .cannotWrite, "the header cannot be written")
  }

  /// The time base that the container chose.
  func timeBase(of stream: Int32) -> Rational { context.pointee.streams[Int(stream)]!.pointee.time_base.rational }

  /// Writes an encoded packet with times in `timeBase`. The packet is left empty.
  func write(_ packet: UnsafeMutablePointer<AVPacket>, stream: Int32, timeBase: AVRational) throws {
    try lock.withLock { _ in
      try checkIsOpen()
      packet.pointee.stream_index = stream
      av_packet_rescale_ts(packet, timeBase, context.pointee.streams[Int(stream)]!.pointee.time_base)
      packet.pointee.pos = -1
      guard !takesOneImage || imageCount == 0 else {
        throw MediaError(.invalidOption, "holds one image; name a pattern for more, such as image_%03d.png", file: path)
      }
      imageCount += 1
      let status = av_interleaved_write_frame(context, packet)
      try images?.requireSuccess()
      try check(status, .cannotWrite, "writing")
    }
  }

  /// Writes a copied packet; those of unknown streams and those before the range are dropped.
  func write(_ media: MediaPacket) throws {
    try lock.withLock { _ in
      try checkIsOpen()
      guard var stream = copied[media.streamIndex] else { return }
      let packet = media.packet.pointer
      if packet.pointee.pts == RHEO_NO_TIME {
        packet.pointee.pts = packet.pointee.dts != RHEO_NO_TIME ? packet.pointee.dts : stream.nextTime ?? 0
      }
      if let shift {
        let ticks = av_rescale_q(shift.value, AVRational(shift.timeBase), stream.timeBase)
        if packet.pointee.dts != RHEO_NO_TIME { packet.pointee.dts = packet.pointee.dts.subtractingSaturated(ticks) }
        packet.pointee.pts = packet.pointee.pts.subtractingSaturated(ticks)
        guard packet.pointee.pts >= 0 else { return }
      }
      if packet.pointee.dts == RHEO_NO_TIME { packet.pointee.dts = stream.decodingTime(of: packet.pointee) }
      // A container takes times that rise; an input with a jump backwards is bent, not refused.
      if let next = stream.nextTime, packet.pointee.dts < next {
        packet.pointee.pts = max(packet.pointee.pts, next)
        packet.pointee.dts = next
      }
      stream.nextTime = packet.pointee.dts.addingSaturated(stream.sharesTimes ? 0 : 1)
      copied[media.streamIndex] = stream
      packet.pointee.stream_index = stream.outputIndex
      av_packet_rescale_ts(
        packet, stream.timeBase, context.pointee.streams[Int(stream.outputIndex)]!.pointee.time_base)
      packet.pointee.pos = -1
      try check(av_interleaved_write_frame(context, packet), .cannotWrite, "writing a copied stream")
    }
  }

  /// Deletes what was written so far.
  func discard() {
    lock.withLock { _ in
      state = .abandoned
      file?.discard()
      images?.discard()
    }
  }

  /// - Throws: ``MediaError`` `cannotWrite` after ``finish()`` or ``discard()``.
  func requireOpen() throws { try lock.withLock { _ in try checkIsOpen() } }

  private func checkIsOpen() throws {
    guard state != .open else { return }
    let reason = state == .finished ? "is finished: nothing can be added" : "was given up, and is no more"
    throw MediaError(.cannotWrite, reason, file: path)
  }

  /// Completes the file and gives it its final name.
  func finish() throws {
    try lock.withLock { _ in
      try checkIsOpen()
      // From here on the container is closed, whatever comes of it.
      state = .finished
      let status = av_write_trailer(context)
      try images?.requireSuccess()
      try check(status, .cannotWrite, "completing the file")
      try output?.finish()
      try file?.commit()
      try images?.finish()
    }
  }
}
