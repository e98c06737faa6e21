// The files and addresses that an input may open besides itself.

import CFFmpeg

/// The formats that an input may be, and the protocols that it may use, as lists for FFmpeg.
///
/// A playlist names other files and hosts, and FFmpeg knows one by its first bytes. So a format that does is allowed
/// only when the name of the input or the caller says so; and an input opens nothing but files when it is a file, and
/// everything but files when it comes from elsewhere.
struct InputAccess {
  /// FFmpeg's `format_whitelist`.
  let formats: String
  /// FFmpeg's `protocol_whitelist`.
  let protocols: String

  /// FFmpeg's formats that open what their contents name, by the endings of their files. Those without an ending run
  /// scripts, and are allowed by name only.
  private static let referring = [
    "hls": ["m3u8", "m3u"], "dash": ["mpd"], "concat": ["ffconcat"], "sdp": ["sdp"], "imf": [], "avisynth": [],
    "vapoursynth": [],
  ]
  /// The protocols of a file: itself, encrypted or not, and data within it.
  private static let localProtocols = ["file", "crypto", "data"]
  /// The protocols of an address. None of them reads files or runs programs.
  private static let networkProtocols = [
    "crypto", "data", "ffrtmpcrypt", "ffrtmphttp", "ftp", "gopher", "gophers", "hls", "http", "httpproxy", "https",
    "icecast", "mmsh", "mmst", "prompeg", "rist", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtp", "rtsp",
    "sctp", "sftp", "srt", "srtp", "tcp", "tls", "udp", "udplite",
  ]

  /// - Parameters:
  ///   - url: The input, as FFmpeg gets it.
  ///   - format: FFmpeg's names of the format, with commas, when it is not to be guessed; a camera's never is.
  ///   - allowed: The protocols that may be used instead of the usual ones; nil: the usual ones.
  init(url: String, format: String?, allowed: [String]?) {
    let path = url.contains("://") ? url.prefix { !"?#".contains($0) } : url[...]
    let name = path.split(separator: "/").last ?? ""
    let ending = name.contains(".") ? name.split(separator: ".").last?.lowercased() : nil
    let named = Self.referring.filter { ending.map($0.value.contains) ?? false }.keys
    formats =
      (Self.plainFormats + named.sorted() + (format.map { [$0] } ?? [])).joined(separator: ",")
    // A protocol may be followed by options: `subfile,,start,0,end,9,,:a.ts`.
    let scheme = url.firstIndex(of: ":").map { url[..<$0].prefix { $0 != "," }.lowercased() } ?? "file"
    let usual: [String] =
      switch scheme {
      case "file": Self.localProtocols
      case "pipe": ["pipe", "crypto", "data"]
      default: Self.networkProtocols + scheme.split(separator: "+").map(String.init)
      }
    protocols = (allowed ?? usual).joined(separator: ",")
  }

  /// All formats of this FFmpeg that open nothing but what they are given.
  private static let plainFormats: [String] = {
    var names: [String] = []
    var state: UnsafeMutableRawPointer?
    while let format = av_demuxer_iterate(&state) {
      let aliases = String(cString: format.pointee.name).split(separator: ",").map(String.init)
      if aliases.allSatisfy({ referring[$0] == nil }) { names += aliases }
    }
    return names
  }()

  /// Returns what users can do about a refusal that FFmpeg logged; nil when it logged none.
  static func advice(_ line: String?) -> String? {
    guard let line else { return nil }
    if line.contains("Format " + FFmpegLog.refusal) {
      return "is a playlist or a script, which opens other files and hosts, and its name does not say so: "
        + "name it .m3u8, .mpd, .ffconcat or .sdp"
    }
    guard line.contains(FFmpegLog.refusal) else { return nil }
    return "opens what it may not: --allow-protocols names the protocols for this input"
  }
}
