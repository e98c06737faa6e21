import Foundation

/// Small videos drawn by the ffmpeg program.
public enum Clips {
  /// A moving test picture.
  /// - Parameters:
  ///   - filters: Between the picture and the encoder.
  ///   - encoding: What stands before the output file.
  public static func moving(
    _ file: URL, size: String = "64x48", frames: Int = 10, rate: String = "25", filters: [String] = [],
    encoding: [String] = []
  ) throws {
    let source = (["testsrc2=size=\(size):rate=\(rate)"] + filters).joined(separator: ",")
    try FFmpegTools.ffmpeg(
      ["-f", "lavfi", "-i", source, "-frames:v", "\(frames)", "-fps_mode", "passthrough", "-bitexact"] + encoding
        + [file.path])
  }

  /// A picture that does not move, without loss, in a pixel format (in the container nut, which takes them all).
  public static func still(_ file: URL, format: String, size: String = "64x48", frames: Int = 3) throws {
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25,select=eq(n\\,7),loop=\(frames - 1):1,setpts=N/25/TB",
      "-frames:v", "\(frames)", "-c:v", "rawvideo", "-pix_fmt", format, "-f", "nut", file.path,
    ])
  }
}
