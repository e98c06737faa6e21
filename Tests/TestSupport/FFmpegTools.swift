// FFmpeg's own programs: they make exotic inputs, and they judge outputs.

import Foundation

public enum FFmpegTools {
  /// A Boolean value that tells whether the programs can be run at all. Suites that need them are skipped otherwise.
  public static let areInstalled: Bool = ["ffmpeg", "ffprobe"].allSatisfy {
    ChildProcess.isInstalled($0, "-version")
  }

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  /// A still, textured image for `-f lavfi`, the same in every run (which `gradients` is not), 180 rows high, 25 frames
  /// a second.
  public static func texture(width: Int = 320, seconds: Int) -> String {
    """
    color=gray:s=\(width)x180:r=25:d=0.04,format=yuv444p,geq=lum='128+50*sin(X/23+Y/31)+40*cos(X/41-Y/17)'\
    :cb='128+30*sin(X/50)':cr='128+30*sin(Y/40)',noise=alls=30:all_seed=7:allf=p,loop=-1:1,trim=end=\(seconds)
    """
  }

  /// Runs `ffmpeg`; its standard output is returned.
  @discardableResult
  public static func ffmpeg(_ arguments: [String]) throws -> Data {
    let result = try ChildProcess.run(
      "ffmpeg", ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"] + arguments)
    guard result.status == 0 else {
      throw Failure(description: "ffmpeg \(arguments.joined(separator: " ")): \(result.errors)")
    }
    return result.output
  }

  /// The rows that `ffprobe -show_entries` prints, one array of values a row.
  public static func probe(_ file: URL, _ entries: String, _ more: [String] = []) throws -> [[String]] {
    let result = try ChildProcess.run(
      "ffprobe", ["-loglevel", "quiet", "-of", "csv=p=0:s=|", "-show_entries", entries] + more + [file.path])
    guard result.status == 0 else { throw Failure(description: "ffprobe \(file.path): \(result.errors)") }
    return result.text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The presentation times of the first video stream's frames, as text: what is compared must be the same.
  public static func frameTimes(_ file: URL) throws -> [String] {
    try probe(file, "frame=pts_time", ["-select_streams", "v:0"]).compactMap(\.first)
  }

  /// The presentation times as FFmpeg guesses them for containers that store decoding times only.
  public static func guessedFrameTimes(_ file: URL) throws -> [Double] {
    try probe(file, "frame=best_effort_timestamp_time", ["-select_streams", "v:0"]).compactMap { row in
      row.first.flatMap { Double($0) }
    }
  }

  /// One value of the first video stream.
  public static func videoValue(_ file: URL, _ name: String) throws -> String? {
    try probe(file, "stream=\(name)", ["-select_streams", "v:0"]).first?.first
  }

  /// The sizes in bytes of the packets of streams such as `a` or `s:0`.
  public static func packetSizes(_ file: URL, streams: String) throws -> [Int] {
    try probe(file, "packet=size", ["-select_streams", streams]).compactMap { $0.first.flatMap { Int($0) } }
  }

  /// The samples of the frames, as they lie in memory, in a pixel format.
  public static func samples(_ file: URL, as format: String, _ filters: [String] = []) throws -> Data {
    let filter = (filters + ["format=\(format)"]).joined(separator: ",")
    return try ffmpeg([
      "-i", file.path, "-an", "-vf", filter, "-fps_mode", "passthrough", "-sws_flags", "accurate_rnd+bitexact",
      "-f", "rawvideo", "-",
    ])
  }
}
