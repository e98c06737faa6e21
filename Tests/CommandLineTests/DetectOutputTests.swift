import Foundation
import TestSupport
import Testing

/// Images and videos that `rheo detect` writes of a textured box that slides through a still image.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DetectOutputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private struct Report: Decodable {
    struct Moment: Decodable { var frame: Int }
    struct Event: Decodable {
      struct Box: Decodable {
        var frame: Int
        var x: Int
        var y: Int
        var width: Int
        var height: Int

        /// Pixels to the outermost pixels of the box; negative inside.
        func distance(_ px: Int, _ py: Int) -> Int {
          let across = max(x - px, px - (x + width - 1))
          let down = max(y - py, py - (y + height - 1))
          return max(across, down)
        }
      }
      var start: Moment
      var end: Moment
      var peak: Moment
      var boxes: [Box]
      var snapshot: String?
      var clip: String?
    }
    var events: [Event]
  }

  /// Chroma between its samples as the program computes it.
  private static let exactRGB = "scale=flags=bicubic+accurate_rnd+bitexact+full_chroma_int+full_chroma_inp"
  private static let size = (width: 320, height: 180)
  private static let frameBytes = size.width * size.height

  /// 6 s at 25 fps with a tone; the box is in view from frame 40 to 85, a key frame comes every 15 frames.
  private func passage(_ name: String = "passage.mp4", encoding: [String] = []) throws -> URL {
    let file = folder.file(name)
    let ground = FFmpegTools.texture(seconds: 6)
    let box = "testsrc2=s=40x40:r=25:d=6,select=1,loop=150:1"
    try FFmpegTools.ffmpeg(
      [
        "-f", "lavfi", "-i", ground, "-f", "lavfi", "-i", box, "-f", "lavfi", "-i", "sine=440:d=6", "-filter_complex",
        "[0:v][1:v]overlay=x='if(lt(n,40),-60,8*(n-40)-40)':y=80:shortest=1,format=yuv420p", "-t", "6", "-r", "25",
        "-c:v", "libx264", "-preset", "ultrafast", "-crf", "16", "-bf", "2", "-g", "15", "-sc_threshold", "0", "-c:a",
        "aac", "-shortest",
      ] + encoding + [file.path])
    return file
  }

  private func detect(_ input: URL, _ options: [String]) throws -> [Report.Event] {
    let result = try Program.run(["detect", input.path, "--report", "-", "-q"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Report.self, from: Data(result.text.utf8)).events
  }

  private func clip(of input: URL, _ options: [String]) throws -> (event: Report.Event, file: URL) {
    let events = try detect(input, ["--clips", folder.file("clips").path] + options)
    #expect(events.count == 1)
    let event = try #require(events.first)
    return (event, URL(fileURLWithPath: try #require(event.clip)))
  }

  private func images(_ file: URL) throws -> [Data] {
    let samples = try FFmpegTools.samples(file, as: "gray")
    return stride(from: 0, to: samples.count, by: Self.frameBytes).map {
      samples.subdata(in: samples.startIndex + $0..<samples.startIndex + $0 + Self.frameBytes)
    }
  }

  private func times(_ file: URL, _ stream: String) throws -> [Double] {
    try FFmpegTools.probe(file, "packet=pts_time", ["-select_streams", stream]).compactMap { row in
      row.first.flatMap { Double($0) }
    }.sorted()
  }

  @Test(arguments: ["mp4", "ts", "mkv"])
  func copiedClipsBeginWithTheKeyFrameBeforeAndHaveTheirSound(ending: String) throws {
    let input = try passage("passage.\(ending)")
    let (event, file) = try clip(of: input, [])
    #expect(file.lastPathComponent == "passage-event-0001.mp4")
    let (source, copied) = (try images(input), try images(file))
    let first = event.start.frame / 15 * 15
    #expect(copied.count >= event.end.frame - first + 1 && copied.count <= event.end.frame - first + 3)
    #expect(copied == Array(source[first..<first + copied.count]), "\(copied.count) from \(first)")
    let flags = try FFmpegTools.probe(file, "packet=flags", ["-select_streams", "v"])
    #expect(flags.first?.first?.hasPrefix("K") == true)
    // In step: what sounds with the first frame in the source does so here.
    let (sourceAudio, audio) = (try times(input, "a"), try times(file, "a"))
    let shift = try times(input, "v")[first]
    let length = Double(copied.count) / 25
    let expected: [Double] = sourceAudio.map { $0 - shift }.filter { (0..<length).contains($0) }
    #expect(abs(audio.count - expected.count) <= 1)
    #expect(zip(audio, expected).allSatisfy { abs($0 - $1) < 0.002 }, "\(audio.prefix(3)) \(expected.prefix(3))")
  }

  @Test func videosThatMP4DoesNotTakeAreCopiedIntoMatroska() throws {
    let input = try passage("passage.avi", encoding: ["-c:v", "msmpeg4v2", "-bf", "0", "-c:a", "pcm_s16le"])
    let (event, file) = try clip(of: input, [])
    #expect(file.pathExtension == "mkv")
    let (source, copied) = (try images(input), try images(file))
    let first = event.start.frame / 15 * 15
    #expect(copied == Array(source[first...event.end.frame]))
    #expect(try times(file, "a").count > 10)
  }

  @Test func encodedClipsHaveTheFirstAndTheLastFrameOfTheEvent() throws {
    let input = try passage()
    let (event, file) = try clip(of: input, ["--clip-mode", "encode", "--crf", "0", "--preset", "ultrafast"])
    #expect(try images(file) == Array(images(input)[event.start.frame...event.end.frame]))
    let seconds = Double(event.end.frame - event.start.frame + 1) / 25
    let audio = try times(file, "a")
    #expect(abs((audio.last ?? 0) - seconds) < 0.05 && (audio.first ?? 1) < 0.03, "\(audio)")
    let silent = try clip(of: input, ["--clip-mode", "encode", "--preset", "ultrafast", "--no-audio", "-y"])
    #expect(try times(silent.file, "a").isEmpty)
  }

  @Test func clipsInWebMHaveTheirSoundInOpus() throws {
    let input = try passage()
    let (event, file) = try clip(of: input, ["--clip-mode", "encode", "--format", "webm", "--crf", "50"])
    #expect(file.lastPathComponent == "passage-event-0001.webm")
    #expect(try FFmpegTools.probe(file, "stream=codec_name", ["-select_streams", "a"]) == [["opus"]])
    #expect(try times(file, "v").count == event.end.frame - event.start.frame + 1)
    let audio = try times(file, "a")
    let seconds = Double(event.end.frame - event.start.frame + 1) / 25
    #expect(abs((audio.last ?? 0) - seconds) < 0.06 && abs(audio.first ?? 1) < 0.03, "\(audio)")
  }

  @Test func snapshotsShowThePeakWithBoxes() throws {
    let input = try passage()
    let events = try detect(input, ["--snapshots", folder.file("s").path])
    let event = try #require(events.first)
    let file = URL(fileURLWithPath: try #require(event.snapshot))
    #expect(file.lastPathComponent == "passage-event-0001.png")
    let snapshot = [UInt8](try FFmpegTools.samples(file, as: "gray"))
    let source = [UInt8](
      try FFmpegTools.samples(input, as: "gray", ["select=eq(n\\,\(event.peak.frame))", Self.exactRGB, "format=rgb24"]))
    try #require(snapshot.count == source.count)
    let boxes = event.boxes.filter { $0.frame == event.peak.frame }
    #expect(!boxes.isEmpty)
    var (far, changed) = (0, 0)
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        let distance = boxes.map { $0.distance(x, y) }.min() ?? 0
        let difference = abs(Int(snapshot[y * Self.size.width + x]) - Int(source[y * Self.size.width + x]))
        if abs(distance) > 3 { far = max(far, difference) } else if difference > 12 { changed += 1 }
      }
    }
    #expect(far <= 8, "\(far)")
    #expect(changed > 40, "\(changed)")
  }

  @Test func annotatedVideosHaveAllFramesWithTheirTimesAndTheSound() throws {
    let input = try passage()
    let output = folder.file("out.mp4")
    let events = try detect(input, ["--annotated", output.path, "--crf", "0", "--preset", "ultrafast"])
    #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
    #expect(try FFmpegTools.packetSizes(output, streams: "a") == FFmpegTools.packetSizes(input, streams: "a"))
    let (source, drawn) = (try images(input), try images(output))
    let event = try #require(events.first)
    // Below the caption.
    let rows = 30 * Self.size.width..<Self.frameBytes
    #expect(drawn[2].subdata(in: rows) == source[2].subdata(in: rows))
    #expect(drawn[event.peak.frame].subdata(in: rows) != source[event.peak.frame].subdata(in: rows))
    #expect(drawn[2].prefix(rows.lowerBound) != source[2].prefix(rows.lowerBound))
  }

  /// The box is 40×40 at 8 (t − 40) − 40 and 80.
  @Test func maskVideosAreWhiteWhereTheBoxIs() throws {
    let input = try passage()
    let output = folder.file("mask.mkv")
    _ = try detect(input, ["--mask-video", output.path, "--codec", "ffv1"])
    #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
    #expect(try FFmpegTools.packetSizes(output, streams: "a").isEmpty)
    let masks = try images(output)
    #expect(Set(masks.joined()).count == 2, "\(Set(masks.joined()))")
    for (t, mask) in masks.enumerated() {
      let white = mask.enumerated().filter { $0.element > 128 }.map { ($0.offset % 320, $0.offset / 320) }
      guard (55...75).contains(t) else {
        #expect(white.isEmpty || (41...95).contains(t), "\(t)")
        continue
      }
      let left = 8 * (t - 40) - 40
      let inside = white.count { (left..<left + 40).contains($0.0) && (80..<120).contains($0.1) }
      #expect(
        Double(inside) > 0.6 * 1600 && Double(inside) > 0.5 * Double(white.count), "\(t): \(inside) of \(white.count)")
    }
  }

  @Test func heatMapsAreColouredWhereTheBoxWas() throws {
    let input = try passage()
    let (output, page) = (folder.file("heat.png"), folder.file("page.html"))
    let events = try detect(input, ["--heat-map", output.path, "--report", page.path])
    #expect(events.count == 1)
    #expect(try String(contentsOf: page, encoding: .utf8).contains("Where it moved"))
    let pixels = [UInt8](try FFmpegTools.samples(output, as: "rgb24"))
    try #require(pixels.count == 3 * Self.frameBytes)
    func isColoured(_ x: Int, _ y: Int) -> Bool {
      let at = 3 * (y * Self.size.width + x)
      return abs(Int(pixels[at]) - Int(pixels[at + 2])) > 8 || abs(Int(pixels[at]) - Int(pixels[at + 1])) > 8
    }
    #expect((100..<220).count { isColoured($0, 100) } > 110)
    #expect(!(0..<Self.size.width).contains { x in (0..<60).contains { isColoured(x, $0) } })
    let refused = try Program.run(["detect", input.path, "--heat-map", output.path])
    #expect(refused.status == 1 && refused.errors.contains("--overwrite"), "\(refused.errors)")
    let several = try Program.run(["detect", input.path, page.path, "--heat-map", folder.file("b.png").path])
    #expect(several.status == 64 && several.errors.contains("--heat-map is for one video"), "\(several.errors)")
  }

  // MARK: Privacy

  /// The left quarter of the lower half is not to be seen.
  private func privacyZone() throws -> String {
    let zones = folder.file("zones.json")
    let polygon = "[[0, 0.5], [0.25, 0.5], [0.25, 1], [0, 1]]"
    try Data(#"{"zones": [{"name": "window", "mode": "privacy", "polygon": \#(polygon)}]}"#.utf8).write(to: zones)
    return zones.path
  }

  @Test func privacyZonesAreBlackInEveryOutput() throws {
    let input = try passage()
    let (clips, output) = (folder.file("clips").path, folder.file("out.mp4"))
    let events = try detect(
      input,
      [
        "--zones", try privacyZone(), "--snapshots", clips, "--clips", clips, "--clip-mode", "encode", "--annotated",
        output.path, "--joined", folder.file("joined.mp4").path, "--heat-map", folder.file("heat.png").path, "--preset",
        "ultrafast", "--crf", "0",
      ])
    let event = try #require(events.first)
    let more = ["joined.mp4", "heat.png"].map { folder.file($0).path }
    let files = ([try #require(event.snapshot), try #require(event.clip), output.path] + more).map {
      URL(fileURLWithPath: $0)
    }
    for file in files {
      for image in try images(file) {
        let hidden = image.enumerated().filter { index, _ in
          index % Self.size.width < 80 && index / Self.size.width >= 90
        }
        #expect(hidden.allSatisfy { $0.element == 0 }, "\(file.lastPathComponent)")
      }
    }
  }

  @Test func copiesOfWhatMustNotBeSeenAreRefused() throws {
    let options = ["--zones", try privacyZone(), "--clips", folder.file("clips").path]
    let result = try Program.run(["detect", try passage().path] + options)
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("window") && result.errors.contains("encode"), "\(result.errors)")
    #expect(!folder.names.contains("clips"))
  }

  // MARK: Contracts

  @Test func filesThatAreThereAreReplacedOnlyWhenAsked() throws {
    let input = try passage()
    let options = ["--snapshots", folder.file("a").path, "--clips", folder.file("b").path]
    #expect(try detect(input, options).count == 1)
    let refused = try Program.run(["detect", input.path] + options)
    #expect(refused.status == 1 && refused.errorLines.count == 1 && refused.errors.contains("--overwrite"))
    #expect(try detect(input, options + ["-y"]).count == 1)
    #expect(folder.names == ["a", "b", "passage.mp4"])
    for (name, file) in [("a", "passage-event-0001.png"), ("b", "passage-event-0001.mp4")] {
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file(name).path) == [file])
    }
  }

  @Test(arguments: ["--snapshots", "--clips"])
  func aFolderThatCannotBeMadeIsOneLine(option: String) throws {
    let input = try passage()
    let file = folder.file("taken")
    try Data().write(to: file)
    let result = try Program.run(["detect", input.path, option, file.path])
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors.contains("taken: the folder cannot be made: there is a file of this name"), "\(result.errors)")
  }

  @Test(arguments: ["--clips", "--annotated", "--joined"])
  func aDiskThatIsFullIsOneLineAndLeavesNothing(option: String) throws {
    let input = try passage()
    let output = folder.file(option == "--clips" ? "clips" : "out.mp4")
    let result = try Program.shell(
      "trap '' XFSZ; ulimit -f 40; exec \"$rheo\" detect \"$1\" \"$2\" \"$3\" -q", [input.path, option, output.path])
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(output.lastPathComponent), "\(result.errors)")
    #expect(!folder.names.contains { $0.contains("partial") } && !folder.names.contains("out.mp4"))
    if option == "--clips" {
      #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).isEmpty)
    }
  }

  @Test(arguments: [
    ["--annotated", "a.mp4", "other.mp4"], ["--clip-mode", "cut"], ["--annotated", "-", "--report", "-"],
  ])
  func wrongOutputsAreRefused(options: [String]) throws {
    #expect(try Program.run(["detect", "in.mp4"] + options).status == 64)
  }

  @Test func statisticsHaveNoImages() throws {
    let result = try Program.run(["detect", "--from-statistics", "s.csv", "--clips", folder.file("c").path])
    #expect(result.status == 64 && result.errors.contains("--clips"), "\(result.errors)")
  }

  @Test func copiesAreTheSameForAnyNumberOfThreads() throws {
    let input = try passage()
    let clips = try ["1", "3"].map { try Data(contentsOf: try clip(of: input, ["--threads", $0, "-y"]).file) }
    #expect(clips[0] == clips[1])
  }

  @Test func anInterruptionLeavesWholeFiles() throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, size: "320x240", frames: 600, encoding: ["-c:v", "mpeg4", "-g", "10"])
    let output = folder.file("out.mp4")
    let program = try ChildProcess(
      Program.path,
      [
        "detect", input.path, "--annotated", output.path, "--clips", folder.file("clips").path, "--progress", "json",
        "--preset", "placebo", "--threshold", "0.01",
      ])
    let deadline = ContinuousClock.now + .seconds(60)
    while !program.errorsSoFar.contains("\"frames\""), ContinuousClock.now < deadline { usleep(5000) }
    program.send(SIGINT)
    let result = try program.wait()
    #expect(result.status == 130, "\(result.errors)")
    let count = try FFmpegTools.frameTimes(output).count
    #expect(count > 0 && count < 600)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("clips").path) {
      #expect(name.hasPrefix("in-event-"), "\(name)")
      #expect(try FFmpegTools.frameTimes(folder.file("clips/\(name)")).count > 0)
    }
    #expect(folder.names == ["clips", "in.mp4", "out.mp4"])
  }
}
