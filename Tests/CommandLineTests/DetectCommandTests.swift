import Foundation
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DetectCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Report: Decodable {
    struct Moment: Decodable {
      var frame: Int
      var seconds: Double
      var timecode: String
    }
    struct Event: Decodable {
      struct Peak: Decodable { var score: Double }
      struct Box: Decodable {
        var frame: Int
        var x: Int
        var y: Int
        var width: Int
        var height: Int
      }
      struct Motion: Decodable {
        var u: Double
        var v: Double
      }
      var number: Int
      var start: Moment
      var end: Moment
      var duration: Double
      var peak: Peak
      var zones: [String]
      var boxes: [Box]
      var meanMotion: Motion
    }
    struct Period: Decodable {
      var start: Moment
      var end: Moment
      var reason: String
    }
    var version: Int
    var events: [Event]
    var suppressed: [Period]
    var frames: Int
  }

  private func detect(_ input: URL, _ options: [String] = []) throws -> Report {
    let result = try Program.run(["detect", input.path, "--report", "-", "-q"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(result.text.utf8))
  }

  /// 3 s at 25 fps: a textured box slides through the second half of a still, textured image.
  private func passage() throws -> URL {
    let file = folder.file("passage.mkv")
    let ground = FFmpegTools.texture(seconds: 3)
    let box = "testsrc2=s=40x40:r=25:d=3,select=1,loop=75:1"
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", ground, "-f", "lavfi", "-i", box, "-filter_complex",
      "[0:v][1:v]overlay=x='if(lt(n,30),-60,4*(n-30)-40)':y=80:shortest=1", "-t", "3", "-r", "25", "-c:v", "ffv1",
      file.path,
    ])
    return file
  }

  @Test func aPassageIsReported() throws {
    let report = try detect(try passage())
    #expect(report.version == 1 && report.frames == 75)
    #expect(report.events.count == 1)
    let event = try #require(report.events.first)
    #expect((29...36).contains(event.start.frame), "\(event.start.frame)")
    #expect(event.end.frame == 74 && event.number == 1)
    #expect(event.meanMotion.u > 2 && abs(event.meanMotion.v) < 1, "\(event.meanMotion)")
    let truth = BoundingBox(x: 80, y: 80, width: 40, height: 40)
    let boxes = event.boxes.filter { $0.frame == 60 }.map {
      BoundingBox(x: Double($0.x), y: Double($0.y), width: Double($0.width), height: Double($0.height))
    }
    #expect(boxes.contains { $0.intersectionOverUnion(truth) > 0.45 }, "\(boxes)")
  }

  @Test func reportsHaveTheBoxesOfEachFrame() throws {
    let (file, clip) = (folder.file("a.json"), try passage())
    let result = try Program.run(["detect", clip.path, "--json-lines", "--boxes", "--report", file.path, "-q"])
    let line = try #require(try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [String: Any])
    let told = try #require((line["event"] as? [String: Any])?["boxes"] as? [[String: Int]])
    let kept = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file)).events.flatMap(\.boxes)
    #expect(kept.count > 30 && kept.map(\.x) == told.map { $0["x"] })
    // Lines for other programs are short, unless they ask for the boxes.
    let short = try Program.run(["detect", clip.path, "--json-lines", "-q"])
    #expect(short.output.count < 500 && !short.text.contains("boxes") && short.text.contains("meanMotion"))
  }

  @Test func aFullTemporaryFolderIsAnErrorOfOneLine() throws {
    let clip = try passage()
    let result = try Program.run(
      ["detect", clip.path, "--report", folder.file("a.json").path, "-q"], environment: ["TMPDIR": "/nowhere"])
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("TMPDIR") && !FileManager.default.fileExists(atPath: folder.file("a.json").path))
  }

  @Test func zonesSayWhereMotionCounts() throws {
    let clip = try passage()
    let zones = folder.file("zones.json")
    try Data(
      #"{"zones": [{"name": "low", "units": "pixels", "polygon": [[0, 60], [320, 60], [320, 140], [0, 140]]}]}"#.utf8
    ).write(to: zones)
    #expect(try detect(clip, ["--zones", zones.path]).events.map(\.zones) == [["low"]])
    try Data(
      #"{"zones": [{"name": "low", "mode": "exclude", "polygon": [[0, 0.3], [1, 0.3], [1, 0.8], [0, 0.8]]}]}"#.utf8
    ).write(to: zones)
    #expect(try detect(clip, ["--zones", zones.path]).events.isEmpty)
    try Data(#"{"zones": [{"name": "low"}]}"#.utf8).write(to: zones)
    let result = try Program.run(["detect", clip.path, "--zones", zones.path])
    #expect(result.status == 1)
    #expect(result.errors.contains("zones.json") && result.errors.contains("polygon"), "\(result.errors)")
  }

  @Test func statisticsReplaceTheVideo() throws {
    let clip = try passage()
    let (table, first) = (folder.file("s.csv").path, folder.file("a.json").path)
    #expect(try Program.run(["detect", clip.path, "--statistics", table, "--report", first]).status == 0)
    let second = folder.file("b.json").path
    #expect(try Program.run(["detect", "--from-statistics", table, "--report", second]).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: first)) == Data(contentsOf: URL(fileURLWithPath: second)))
    let strict = try Program.run([
      "detect", "--from-statistics", table, "--threshold", "90", "--fail-without-motion", "--report", "-",
    ])
    #expect(strict.status == 3)
    #expect(strict.text.contains("\"events\": []"), "\(strict.text)")
    let refused = try Program.run(["detect", "--from-statistics", first])
    #expect(refused.status == 1 && refused.errorLines.count == 1, "\(refused.errors)")
  }

  @Test func linesAndTablesSayTheSame() throws {
    let clip = try passage()
    let lines = try Program.run(["detect", clip.path, "--json-lines", "--frames-too", "-q"])
    #expect(lines.status == 0 && lines.errors.isEmpty)
    let rows = lines.text.split(separator: "\n")
    #expect(rows.count == 76)
    #expect(rows.count { $0.contains("\"event\"") } == 1)
    #expect(rows.count { $0.hasPrefix("{\"type\": \"frame\", \"input\": ") } == 75)
    let table = folder.file("events.csv")
    #expect(try Program.run(["detect", clip.path, "--report", table.path, "-q"]).status == 0)
    let text = try String(contentsOf: table, encoding: .utf8).split(separator: "\n")
    #expect(text.count == 2 && text[0].hasPrefix("input,number,start_frame"), "\(text)")
    #expect(try Program.run(["detect", clip.path, "--report", table.path]).status == 1)
  }

  @Test func commandsGetFilesThatAreComplete() throws {
    let clip = try passage()
    let (kept, page) = (folder.file("kept"), folder.file("page.html"))
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    let result = try Program.run([
      "detect", clip.path, "--clips", folder.file("my clips").path, "--snapshots", folder.file("shots").path,
      "--on-end", "cp {clip} {snapshot} '\(kept.path)'", "--report", page.path, "-q",
    ])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted()
    try #require(names.count == 2, "\(names)")
    for name in names {
      let size = try FFmpegTools.probe(kept.appendingPathComponent(name), "stream=width,height")
      #expect(size == [["320", "180"]], "\(name)")
    }
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.contains("src=\"my%20clips/passage-event-0001.") && text.contains(">Image</a>"))
    let data = try #require(text.components(separatedBy: "base64,").last?.prefix { $0 != "\"" })
    let image = folder.file("picture.jpg")
    try #require(Data(base64Encoded: String(data))).write(to: image)
    #expect(try FFmpegTools.probe(image, "stream=codec_name,width,height") == [["mjpeg", "320", "180"]])
  }

  @Test func threadsAndProcessorsChangeNothing() throws {
    let clip = try passage()
    let one = try Program.run(["detect", clip.path, "--report", "-", "-q", "--threads", "1"])
    let two = try Program.run(["detect", clip.path, "--report", "-", "-q", "--threads", "3"])
    let old = try Program.run(["detect", clip.path, "--report", "-", "-q"], environment: ["RHEO_CPU": "baseline"])
    #expect(one.text == two.text && one.text == old.text && !one.text.isEmpty)
  }

  @Test func nothingMovesInAStillImage() throws {
    let clip = folder.file("still.nut")
    try Clips.still(clip, format: "yuv420p", size: "320x180", frames: 25)
    #expect(try detect(clip).events.isEmpty)
    #expect(try Program.run(["detect", clip.path, "--fail-without-motion"]).status == 3)
  }

  @Test(arguments: [
    ["--threshold", "0"], ["--threshold", "101"], ["--min-duration", "-1"], ["--max-duration", "0.1"],
    ["--compensate", "affine"], ["--frames-too"],
  ])
  func wrongOptionsAreRefused(options: [String]) throws {
    let result = try Program.run(["detect", "in.mp4"] + options)
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test func aVideoOrStatisticsMustBeNamed() throws {
    #expect(try Program.run(["detect"]).status == 64)
    #expect(try Program.run(["detect", "a.mp4", "--from-statistics", "b.csv"]).status == 64)
    #expect(try Program.run(["detect", folder.file("absent.mp4").path]).status == 1)
  }

  // MARK: Real clips

  private static func overlap(_ event: Report.Event, _ truth: ClosedRange<Double>) -> Double {
    let (start, end) = (event.start.seconds, event.end.seconds)
    let shared = max(0, min(end, truth.upperBound) - max(start, truth.lowerBound))
    return shared / (max(end, truth.upperBound) - min(start, truth.lowerBound))
  }

  @Test(.enabled(if: TestData.has("security/issue53_brightness_change.avi"), "needs the test data"))
  func aBrightnessJumpIsNoMotion() throws {
    let clip = try TestData.url("security/issue53_brightness_change.avi")
    let report = try detect(clip)
    #expect(report.events.isEmpty)
    #expect(report.suppressed.contains { $0.reason == "lighting" && $0.start.seconds < 3.4 && $0.end.seconds > 3.2 })
  }

  @Test(.enabled(if: TestData.has("security/traffic_camera.mp4"), "needs the test data"))
  func carsInAZoneAreThreeEvents() throws {
    let clip = try TestData.url("security/traffic_camera.mp4")
    let zones = folder.file("zones.json")
    try Data(
      #"{"zones": [{"name": "lane", "units": "pixels", "polygon": [[631,532],[841,532],[841,659],[631,659]]}]}"#.utf8
    ).write(to: zones)
    let events = try detect(clip, ["--zones", zones.path]).events
    try #require(events.count == 3)
    for (event, frames) in zip(events, [9.0...149, 358...491, 542...576]) {
      #expect(Self.overlap(event, frames.lowerBound / 25...frames.upperBound / 25) >= 0.8)
    }
  }

  @Test(.enabled(if: TestData.has("security/car-detection.mp4"), "needs the test data"))
  func passagesUnderAutomaticExposureAreFound() throws {
    let clip = try TestData.url("security/car-detection.mp4")
    let events = try detect(clip).events
    try #require(events.count == 3)
    for (event, truth) in zip(events, [4.5...8.5, 14.5...19, 25...29]) {
      #expect(Self.overlap(event, truth) >= 0.6)
    }
  }

  @Test(
    .enabled(if: TestData.has("security"), "needs the test data"),
    arguments: [
      // Three passages, 0.3 s and 0.9 s after one another.
      ("overhead_road.avi", [1.8...11.8]),
      (
        "bottle-detection.mp4",
        [5...6.6, 10.5...12.9, 15...17.3, 21.6...23.9, 26.6...28.5, 30.5...31.9, 33.9...36.2]
      ),
    ])
  func everythingThatHappensIsAnEventAndNothingElse(name: String, truths: [ClosedRange<Double>]) throws {
    let clip = try TestData.url("security/\(name)")
    let events = try detect(clip).events
    try #require(events.count == truths.count)
    // An event goes on for 1.2 s behind its motion; motion that follows sooner belongs to it.
    for (event, truth) in zip(events, truths) {
      #expect(Self.overlap(event, truth.lowerBound...truth.upperBound + 1.2) >= 0.6, "\(truth)")
    }
  }

  @Test(.enabled(if: TestData.has("video/tree.avi"), "needs the test data"))
  func aHandIsSeenBeforeATreeThatWavesAllTheTime() throws {
    let clip = try TestData.url("video/tree.avi")
    // The hand comes into view at 22.5 s; the frames are 0.4 s apart.
    let events = try detect(clip).events
    #expect(events.count == 1)
    #expect(try #require(events.first).start.seconds > 21.5)
  }
}
