import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct StabilizeCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func timesAndSoundAreKept() throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25:duration=0.8,setpts=N*40+7*mod(N*N\\,3),settb=1/1000",
      "-f", "lavfi", "-i", "sine=duration=0.8", "-fps_mode", "passthrough", "-c:v", "ffv1", "-c:a", "aac", input.path,
    ])
    for options in [[], ["--border", "black"], ["--model", "affine", "--smoothing", "0.5", "--zoom", "1.2"]] {
      let result = try Program.run(["stabilize", input.path, output.path, "-y"] + options)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.errors.contains("20 frames"), "\(result.errors)")
      #expect(result.output.isEmpty)
      #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
      #expect(try FFmpegTools.packetSizes(output, streams: "a") == FFmpegTools.packetSizes(input, streams: "a"))
    }
    #expect(try Program.run(["stabilize", input.path, output.path, "-y", "--no-audio", "--quiet"]).errors.isEmpty)
    #expect(try FFmpegTools.packetSizes(output, streams: "a").isEmpty)
  }

  @Test func aPipeIsReadOnce() throws {
    let (input, output) = (folder.file("in.y4m"), folder.file("out.mkv"))
    try Clips.moving(input, size: "128x96", frames: 12, encoding: ["-pix_fmt", "yuv420p"])
    let result = try Program.shell("cat \"$1\" | \"$rheo\" stabilize - \"$2\"", [input.path, output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("a pipe cannot be read twice") && result.errors.contains("zoom 1.1000"))
    #expect(try FFmpegTools.frameTimes(output).count == 12)
  }

  @Test(arguments: [
    ["--zoom", "0.9"], ["--zoom", "5"], ["--zoom", "wide"], ["--smoothing", "21"], ["--smoothing", "-1"],
    ["--border", "white"], ["--model", "identity"], ["--transforms", "path.txt"],
  ])
  func wrongOptionsAreRefused(options: [String]) throws {
    let result = try Program.run(["stabilize", "in.mp4", "out.mp4"] + options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(options[0]), "\(result.errors)")
  }

  @Test func transformsOfAnotherVideoAreRefused() throws {
    let (input, longer, output) = (folder.file("in.mkv"), folder.file("longer.mkv"), folder.file("out.mkv"))
    try Clips.moving(input, size: "128x96", frames: 5, encoding: ["-c:v", "ffv1"])
    try Clips.moving(longer, size: "128x96", frames: 8, encoding: ["-c:v", "ffv1"])
    let path = folder.file("path.json").path
    #expect(try Program.run(["stabilize", input.path, output.path, "--transforms", path]).status == 0)
    let result = try Program.run(["stabilize", longer.path, output.path, "-y", "--transforms", path])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("path.json") && result.errors.contains("fewer frames"), "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 5)
    // The same size and times, other images.
    let other = folder.file("other.mkv")
    try FFmpegTools.ffmpeg(["-i", input.path, "-vf", "negate", "-c:v", "ffv1", other.path])
    let before = try Data(contentsOf: output)
    let refused = try Program.run(["stabilize", other.path, output.path, "-y", "--transforms", path])
    #expect(refused.status == 1 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("path.json") && refused.errors.contains("another image"), "\(refused.errors)")
    #expect(try Data(contentsOf: output) == before)
    // A part of the video is the same video; a file without digests is used, with a note.
    let part = ["stabilize", input.path, output.path, "-y", "--transforms", path, "--frames", "3"]
    #expect(try Program.run(part).status == 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let older = text.replacing(#/"frameDigests": \[[^\]]*\], /#, with: "")
    try #require(older.count < text.count)
    try older.write(toFile: path, atomically: true, encoding: .utf8)
    let noted = try Program.run(["stabilize", other.path, output.path, "-y", "--transforms", path])
    #expect(noted.status == 0 && noted.errors.contains("may be another one"), "\(noted.errors)")
    let missing = try Program.run(["stabilize", folder.file("absent.mp4").path, folder.file("o.mp4").path])
    #expect(missing.status == 1)
    #expect(missing.errors.contains("absent.mp4") && missing.errorLines.count == 1)
  }

  @Test func theHelpNamesTheContract() throws {
    let result = try Program.run(["stabilize", "--help"])
    #expect(result.status == 0)
    #expect(result.text.contains("Example: rheo stabilize"))
    for name in ["--smoothing", "--border", "--zoom", "--transforms", "--model", "--crf", "--start", "--filter"] {
      #expect(result.text.contains(name), "\(name)")
    }
  }
}
