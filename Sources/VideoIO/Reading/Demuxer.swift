// Opens inputs and hands out packets.

import CFFmpeg
import Foundation
import Imaging

/// Reads the packets of an input. Used by one thread at a time.
final class Demuxer {
  /// The moment at which the connection was open, before the streams were looked at.
  let opening: ContinuousClock.Instant
  let input: OwnedInput
  let path: String
  /// A Boolean value that tells whether the input is one file on its own, which can be read in any order.
  let isFile: Bool
  /// Outlives the context, which asks it.
  private let inputGuard: InputGuard

  /// - Parameters:
  ///   - path: A file, `-` for standard input, or whatever FFmpeg opens (`rtsp://…`).
  ///   - format: FFmpeg's name of the container, when it must not be guessed.
  ///   - options: The options of FFmpeg's protocol and container.
  ///   - allowedProtocols: The protocols that may be used; nil: those of ``InputAccess``.
  ///   - inputGuard: Ends what waits for too long.
  init(
    path: String, format: String?, options: [InputOption] = [], allowedProtocols: [String]? = nil,
    inputGuard: InputGuard = InputGuard(patience: nil, isInterrupted: { false })
  ) throws {
    _ = FFmpegLog.install
    _ = FFmpegLog.takeLastError()
    let displayName = path == "-" ? "standard input" : MediaAddress(path).description
    self.path = displayName
    let url = try Self.url(for: path)
    isFile = path != "-" && Self.isRegularFile(path)
    let inputFormat = try Self.inputFormat(named: format, path: path)
    self.inputGuard = inputGuard
    inputGuard.begin()
    var pointer: UnsafeMutablePointer<AVFormatContext>? = try allocated(avformat_alloc_context(), "an input")
    pointer?.pointee.interrupt_callback = inputGuard.callback
    // Who gives FFmpeg's option decides for all that is opened.
    if !options.contains(where: { $0.key == "tls_verify" }) {
      CertificateCheck.install(in: pointer)
    }
    let forcedFormat = inputFormat.map { String(cString: $0.pointee.name) }
    let access = InputAccess(url: url, format: forcedFormat, allowed: allowedProtocols)
    var dictionary = try OwnedDictionary([
      ("format_whitelist", access.formats), ("protocol_whitelist", access.protocols),
    ])
    FFmpegLog.hide(options.map(\.value))
    for option in options { try dictionary.set(option.key, option.value) }
    // A firewall that lets a camera's packets through is rarer than one that lets its connections through.
    if path.hasPrefix("rtsp"), !options.contains(where: { $0.key.hasPrefix("rtsp_") }) {
      try dictionary.set("rtsp_flags", "prefer_tcp")
    }
    // A context that cannot be opened is freed by FFmpeg.
    let status = avformat_open_input(&pointer, url, inputFormat, &dictionary.pointer)
    guard status >= 0, let pointer else {
      let error = failure(status, .cannotOpen, "cannot be opened as a video").naming(displayName)
      guard let advice = InputAccess.advice(error.detail) else { throw error }
      throw MediaError(.cannotOpen, advice, file: displayName, status: status, detail: error.detail)
    }
    input = OwnedInput(opened: pointer)
    opening = .now
    if let unknown = dictionary.keys.first {
      throw MediaError(
        .invalidOption, "neither the protocol nor the format has an option \(unknown)", file: displayName)
    }
    // FFmpeg draws any text file as the screen of an old terminal, which no one means.
    if format == nil, pointer.pointee.iformat == av_find_input_format("tty") {
      throw MediaError(.cannotOpen, "is text, not a video", file: displayName)
    }
    do {
      try check(avformat_find_stream_info(pointer, nil), .cannotOpen, "its streams cannot be read")
    } catch let error as MediaError { throw error.naming(displayName) }
  }

  deinit { _ = isCutOff }

  var context: UnsafeMutablePointer<AVFormatContext> { input.pointer }

  /// A Boolean value that tells whether the file turned out to end too early, since the last look.
  var isCutOff: Bool { FFmpegLog.takeCutOff(context) }

  var formatName: String { String(cString: context.pointee.iformat.pointee.name) }

  var streams: [UnsafeMutablePointer<AVStream>] {
    (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
  }

  /// The stream to analyse: `requested`, or the one that FFmpeg thinks best.
  func videoStreamIndex(requested: Int?) throws -> Int {
    let kinds = streams.map { $0.pointee.codecpar.pointee.codec_type }
    let videos = kinds.indices.filter { kinds[$0] == AVMEDIA_TYPE_VIDEO }
    if let requested {
      guard videos.contains(requested) else {
        let allowed =
          videos.isEmpty ? "it has no video" : "its video streams: \(videos.map(String.init).joined(separator: ", "))"
        throw MediaError(.invalidOption, "stream \(requested) is no video; \(allowed)", file: path)
      }
      return requested
    }
    let best = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
    if best >= 0 { return Int(best) }
    guard let first = videos.first else {
      let others = Set(kinds.compactMap { av_get_media_type_string($0).map { String(cString: $0) } })
      let what = others.isEmpty ? "no stream at all" : "only " + others.sorted().joined(separator: " and ")
      throw MediaError(.noVideo, "holds no video, \(what)", file: path)
    }
    return first
  }

  /// Reads the next packet; false at the end of the input.
  func read(_ packet: UnsafeMutablePointer<AVPacket>) throws -> Bool {
    inputGuard.begin()
    let status = av_read_frame(context, packet)
    if status == RHEO_ERROR_EOF { return false }
    try check(status, .damaged, "reading")
    leaveOutDuration(of: packet)
    return true
  }

  /// The longest time for which anything is believed to show or sound, in seconds: a day.
  private static let maximumDuration = 86_400.0

  /// Makes the duration of a packet unknown when it is one that nothing has. Others go by it: decoding times, the ends
  /// of clips, the beginnings of what follows.
  private func leaveOutDuration(of packet: UnsafeMutablePointer<AVPacket>) {
    guard packet.pointee.duration > 0, let stream = context.pointee.streams[Int(packet.pointee.stream_index)],
      Double(packet.pointee.duration) * stream.pointee.time_base.rational.doubleValue > Self.maximumDuration
    else { return }
    packet.pointee.duration = 0
  }

  private static func inputFormat(named name: String?, path: String) throws -> UnsafePointer<AVInputFormat>? {
    let isDevice = InputKind(path: path, format: name) == .device
    if isDevice { try CaptureDevices.register(for: path) }
    guard let name = name ?? (isDevice ? "v4l2" : nil) else { return nil }
    if let format = av_find_input_format(name) { return format }
    // It may be that of a device, which FFmpeg knows only with its devices.
    let failure = CaptureDevices.failure
    guard let format = av_find_input_format(name) else {
      let hint = failure.map { ", nor are there those of cameras: \($0)" } ?? ""
      throw MediaError(.invalidOption, "FFmpeg knows no input format named \(name)\(hint)", file: path)
    }
    return format
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Checks what the file system can tell better than FFmpeg, and keeps FFmpeg from reading a `:` in a file's name
  /// as a protocol.
  private static func url(for path: String) throws -> String {
    var status = stat()
    if path == "-" {
      // A file behind standard input can be searched, a pipe cannot.
      return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? "file:/dev/stdin" : "pipe:0"
    }
    guard stat(path, &status) == 0 else {
      if path.contains("://") || path.contains("%") || path.hasPrefix("pipe:") { return path }
      // FFmpeg's name for a file, which may be relative.
      if path.hasPrefix("file:"), stat(String(path.dropFirst("file:".count)), &status) == 0 {
        return try url(for: String(path.dropFirst("file:".count)))
      }
      throw MediaError(.cannotOpen, String(cString: strerror(errno)), file: path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw MediaError(.cannotOpen, "is a folder, not a video", file: path)
    case S_IFREG where status.st_size == 0: throw MediaError(.cannotOpen, "is empty", file: path)
    // What a device is called is no address of FFmpeg's protocols.
    case S_IFCHR where InputKind.isCharacterDevice(path): return path
    default: return "file:" + path
    }
  }
}
