import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct FilterTimeTests {
  /// yadif halves the time base, and FFmpeg's numbers for it end at 2³¹ − 1. It is told so, up to FFmpeg 6; later ones
  /// filter all the same.
  @Test func ticksTooShortForAFilterAreAnErrorOrNoMatter() throws {
    let folder = try TemporaryFolder()
    let (plain, clip) = (folder.file("plain.mov"), folder.file("clip.mov"))
    try Clips.moving(plain, encoding: ["-c:v", "mjpeg"])
    try FFmpegTools.ffmpeg(["-i", plain.path, "-c", "copy", "-video_track_timescale", "2147483647", clip.path])
    let filtered = try Program.run(["annotate", clip.path, "null:", "--filter", "yadif"])
    #expect([0, 1, 64].contains(filtered.status), "\(filtered.status)")
    let words = filtered.status == 0 ? "null:: 10 frames" : "1/2147483647"
    #expect(filtered.errors.contains(words), "\(filtered.errors)")
    #expect(try Program.run(["annotate", clip.path, "null:"]).status == 0)
  }
}
