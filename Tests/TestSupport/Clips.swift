import Foundation

/// Small videos drawn by the ffmpeg program.
public enum Clips {
  /// A moving test image.
  /// - Parameters:
  ///   - filters: Between the image and the encoder.
  ///   - encoding: What stands before the output file.
  public static func moving(
    _ file: URL, size: String = "64x48", frames: Int = 10, rate: String = "25", filters: [String] = [],
    encoding: [String] = []
  ) throws {
    let source = (try image(size, rate: rate) + filters).joined(separator: ",")
    try FFmpegTools.ffmpeg(
      ["-f", "lavfi", "-i", source, "-frames:v", "\(frames)", "-fps_mode", "passthrough", "-bitexact"] + encoding
        + [file.path])
  }

  /// An image that does not move, without loss, in a pixel format (in the container nut, which takes them all).
  public static func still(_ file: URL, format: String, size: String = "64x48", frames: Int = 3) throws {
    // The source ends: FFmpeg 7.1 would wait for a frame more than it writes.
    let source =
      try image(size, rate: "25") + ["trim=start_frame=7:end_frame=8", "loop=\(frames - 1):1", "setpts=N/25/TB"]
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", source.joined(separator: ","), "-frames:v", "\(frames)", "-c:v", "rawvideo", "-pix_fmt",
      format, "-f", "nut", file.path,
    ])
  }

  /// ffmpeg's test image has even sides, of at least 32 pixels to be of use: the rest is cut off.
  private static func image(_ size: String, rate: String) throws -> [String] {
    let sides = size.split(separator: "x").compactMap { Int($0) }
    guard sides.count == 2 else { throw FFmpegTools.Failure(description: "\(size) is no size") }
    let drawn = sides.map { max(32, $0 + $0 % 2) }
    let image = ["testsrc2=size=\(drawn[0])x\(drawn[1]):rate=\(rate)"]
    return drawn == sides ? image : image + ["format=rgb24", "crop=\(sides[0]):\(sides[1]):0:0"]
  }
}
