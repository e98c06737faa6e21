import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct TrackCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func tracks(_ data: Data) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return try #require(json?["tracks"] as? [[String: Any]])
  }

  @Test func tracksArePrintedOrWritten() throws {
    let (input, report) = (folder.file("in.mkv"), folder.file("tracks.json"))
    try Clips.moving(input, size: "128x96", frames: 6, encoding: ["-c:v", "ffv1"])
    let options = ["track", input.path, "--boxes", "20,20,30,30;60,40,20,20", "--points", "40,40;64.5,48"]
    let printed = try Program.run(options)
    #expect(printed.status == 0, "\(printed.errors)")
    #expect(try tracks(printed.output).map { $0["kind"] as? String } == ["box", "box", "point", "point"])
    let written = try Program.run(options + ["--report", report.path, "--threads", "1"])
    #expect(written.status == 0 && written.output.isEmpty)
    #expect(try Data(contentsOf: report) == printed.output)
    #expect(try Program.run(options + ["--report", report.path]).status == 1)
    #expect(try Program.run(options + ["--report", report.path, "-y", "-q"]).errors.isEmpty)
  }

  @Test func theVideoKeepsTimesAndSound() throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25:duration=0.6,setpts=N*40+7*mod(N*N\\,3),settb=1/1000",
      "-f", "lavfi", "-i", "sine=duration=0.6", "-fps_mode", "passthrough", "-c:v", "ffv1", "-c:a", "aac", input.path,
    ])
    let result = try Program.run(["track", input.path, output.path, "--auto", "--textured-points", "9"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
    #expect(try FFmpegTools.packetSizes(output, streams: "a") == FFmpegTools.packetSizes(input, streams: "a"))
    let times = try FFmpegTools.frameTimes(input).compactMap { Double($0) }
    let found = try tracks(result.output)
    #expect(!found.isEmpty)
    for track in found {
      for position in try #require(track["positions"] as? [[String: Any]]) {
        let frame = try #require(position["frame"] as? Int)
        #expect(abs(try #require(position["seconds"] as? Double) - times[frame]) < 1e-6)
      }
    }
  }

  @Test(arguments: [
    ([], "--boxes"), (["--boxes", "1,2,3"], "--boxes"), (["--boxes", "1,2,0,5"], "--boxes"),
    (["--points", "1;2"], "--points"), (["--points", "a,b"], "--points"),
    (["--auto", "--threshold", "0"], "--threshold"), (["--auto", "--min-area", "0"], "--min-area"),
    (["--textured-points", "-1"], "--textured-points"), (["--auto", "--report", "tracks.csv"], "--report"),
    (["--auto", "-"], "--report"),
  ])
  func wrongOptionsAreRefused(options: [String], name: String) throws {
    let result = try Program.run(["track", "in.mp4"] + options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(name), "\(result.errors)")
  }

  @Test func aBoxOutsideTheImageIsRefused() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, size: "64x48", frames: 2, encoding: ["-c:v", "ffv1"])
    let result = try Program.run(["track", input.path, "--boxes", "70,0,10,10"])
    #expect(result.status == 64 && result.errors.contains("64×48"), "\(result.errors)")
  }
}
