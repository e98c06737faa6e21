import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct FilterTimeTests {
  /// yadif halves the time base, and FFmpeg's numbers for it end at 2³¹ − 1.
  @Test func ticksTooShortForAFilterAreAnError() throws {
    let folder = try TemporaryFolder()
    let (plain, clip) = (folder.file("plain.mov"), folder.file("clip.mov"))
    try Clips.moving(plain, encoding: ["-c:v", "mjpeg"])
    try FFmpegTools.ffmpeg(["-i", plain.path, "-c", "copy", "-video_track_timescale", "2147483647", clip.path])
    let filtered = try Program.run(["annotate", clip.path, "null:", "--filter", "yadif"])
    #expect(filtered.status == 1 || filtered.status == 64, "\(filtered.status)")
    #expect(filtered.errors.contains("1/2147483647"), "\(filtered.errors)")
    #expect(try Program.run(["annotate", clip.path, "null:"]).status == 0)
  }
}
