import Foundation

/// The kind of an input, as its name tells it: whether the input waits for its reader or goes on without one.
enum InputKind: Sendable, Hashable {
  /// A file, or a pipe: it waits for its reader.
  case stored
  /// A camera at this computer: it does not wait, and does not come back.
  case device
  /// A stream from elsewhere: it does not wait, and may break off and come back.
  case stream
  /// An address of something that may be stored or live; only its headers tell.
  case address

  /// Addresses of streams that have no end.
  private static let streamSchemes: Set<String> = [
    "rtsp", "rtsps", "rtp", "srtp", "udp", "udplite", "srt", "rtmp", "rtmps", "rtmpt", "tcp", "tls", "mms", "mmsh",
    "mmst", "sctp", "rist",
  ]
  /// Formats of FFmpeg that are cameras and screens.
  private static let deviceFormats: Set<String> = [
    "v4l2", "video4linux2", "x11grab", "kmsgrab", "avfoundation", "decklink", "dshow", "fbdev", "gdigrab", "iec61883",
  ]

  /// - Parameters:
  ///   - path: The path, as it is given to ``VideoReader``.
  ///   - format: FFmpeg's name of the format, when it was given.
  init(path: String, format: String? = nil) {
    if let format, Self.deviceFormats.contains(format) {
      self = .device
    } else if Self.isCharacterDevice(path) {
      self = .device
    } else {
      let scheme = path.range(of: "://").map { path[..<$0.lowerBound].lowercased() }
      self =
        switch scheme {
        case "http", "https", "hls+http", "hls+https": .address
        case let scheme? where Self.streamSchemes.contains(scheme): .stream
        default: .stored
        }
    }
  }

  /// Returns whether `path` is a device such as `/dev/video0`.
  static func isCharacterDevice(_ path: String) -> Bool {
    var status = stat()
    return path.hasPrefix("/dev/video") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
  }
}
