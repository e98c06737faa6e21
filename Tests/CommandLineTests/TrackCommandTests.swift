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
    (["--auto", "-"], "--report"), (["--auto", "--report-format", "flo"], "--report-format"),
    (["--auto", "--report-format", "mot", "--report", "tracks.json"], "--report"),
    (["--auto", "--detections", "boxes.txt"], "--detections"),
    (["--auto", "--sure-confidence", "1"], "--sure-confidence"),
    (["--detections", "boxes.txt", "--sure-confidence", "nan"], "--sure-confidence"),
    (["--auto", "--trajectory-length", "4"], "--trajectory-length"),
    (["--auto", "--minimum-size", "9", "--maximum-size", "8"], "--maximum-size"),
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

  @Test func tracksComeInOtherFormats() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, size: "128x96", frames: 4, encoding: ["-c:v", "ffv1"])
    let beginnings = [
      ("json", "json", "{\n  \"version\": 1"), ("csv", "csv", "track,kind,frame"),
      ("mot", "txt", "1,1,21,21,30,30,1,-1"),
      ("coco", "json", "{\n  \"info\""), ("cvat", "xml", "<?xml"),
    ]
    for (format, ending, beginning) in beginnings {
      let report = folder.file("\(format).\(ending)")
      let result = try Program.run([
        "track", input.path, "--boxes", "20,20,30,30", "--points", "5,5", "--report-format", format, "--report",
        report.path,
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try String(contentsOf: report, encoding: .utf8).hasPrefix(beginning), "\(format)")
      #expect(result.errors.contains("1 points are left out") == ["mot", "coco"].contains(format), "\(result.errors)")
    }
  }

  /// Cameras tell a duration of each frame that their frames do not have: no frame is missing all the same.
  @Test func unevenTimesInterruptNoTrack() throws {
    let (input, boxes) = (folder.file("in.mkv"), folder.file("boxes.txt"))
    try Clips.moving(
      input, size: "128x96", frames: 24, filters: ["setpts=(N+2*floor(N/2))/25/TB"],
      encoding: ["-c:v", "ffv1"])
    let times = try FFmpegTools.frameTimes(input).compactMap { Double($0) }
    // Every other frame comes three durations after the one before.
    #expect(times.count == 24 && abs(times[2] - times[1] - 3 * (times[1] - times[0])) < 0.003, "\(times)")
    try Data((1...24).map { "\($0),-1,41,31,40,40,1\n" }.joined().utf8).write(to: boxes)
    for options in [["--detections", boxes.path], ["--points", "64,48"], ["--boxes", "40,30,40,40"]] {
      let result = try Program.run(["track", input.path] + options)
      #expect(result.status == 0, "\(result.errors)")
      let found = try tracks(result.output)
      #expect(found.count == 1 && found.allSatisfy { $0["lost"] as? String != "interrupted" }, "\(options)")
    }
  }

  @Test func detectionsAndGroundAreReadFromFiles() throws {
    let (input, boxes, ground) = (folder.file("in.mkv"), folder.file("boxes.txt"), folder.file("ground.json"))
    try Clips.moving(input, size: "128x96", frames: 9, encoding: ["-c:v", "ffv1"])
    try Data((1...9).map { "\($0),-1,41,31,40,40,1\n" }.joined().utf8).write(to: boxes)
    try Data(#"{"homography": [0.1, 0, 0, 0, 0.1, 0, 0, 0, 1]}"#.utf8).write(to: ground)
    let options = ["track", input.path, "--detections", boxes.path, "--ground-homography", ground.path]
    let result = try Program.run(options)
    #expect(result.status == 0, "\(result.errors)")
    let found = try tracks(result.output)
    let positions = try #require(found.first?["positions"] as? [[String: Any]])
    #expect(found.count == 1 && positions.count == 9)
    #expect(positions.allSatisfy { ($0["ground"] as? [Double])?.count == 2 && $0["speed"] is Double })
    try Data("1,-1,41,31,40,40\n1,-1,41,31,40\n".utf8).write(to: boxes)
    let refused = try Program.run(options)
    #expect(refused.status == 1 && refused.errors.contains("boxes.txt: line 2: 5 fields"), "\(refused.errors)")
    #expect(try Program.run(options + ["--report", boxes.path]).status == 64)
  }
}
