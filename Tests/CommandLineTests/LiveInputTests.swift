import Foundation
import TestSupport
import Testing

/// FFmpeg as a server of a live stream, at the speed at which it would be recorded.
private struct StreamServer {
  let port: Int
  private let input: URL

  init(_ input: URL) throws {
    self.input = input
    // A port that was free a moment ago.
    let server = try LocalServer([.status(200)])
    port = server.port
    server.stop()
  }

  var address: String { "http://127.0.0.1:\(port)/live.ts" }

  /// Waits until someone may connect.
  /// - Parameter loops: Whether the stream has no end.
  func start(loops: Bool = false) throws -> ChildProcess {
    let server = try ChildProcess(
      "ffmpeg",
      ["-hide_banner", "-loglevel", "error", "-nostdin", "-re"] + (loops ? ["-stream_loop", "-1"] : [])
        + ["-i", input.path, "-c", "copy", "-f", "mpegts", "-flush_packets", "1", "-listen", "1", address])
    let deadline = ContinuousClock.now + .seconds(20)
    while !isListening, ContinuousClock.now < deadline { usleep(20_000) }
    return server
  }

  /// A connection would be the one that the server waits for, so the system is asked.
  private var isListening: Bool {
    let position = "0100007F:" + String(format: "%04X", port)
    let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
    return table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[1] == position && fields[3] == "0A"
    }
  }
}

@Suite(.enabled(if: FFmpegTools.areInstalled), .serialized) struct LiveInputTests {
  private let folder: TemporaryFolder
  private let input: URL

  private struct Report: Decodable {
    struct Moment: Decodable { var seconds: Double }
    struct Event: Decodable {
      var start: Moment
      var end: Moment
    }
    struct Gap: Decodable {
      var seconds: Double?
      var reason: String
    }
    struct Live: Decodable {
      struct Latency: Decodable {
        var mean: Double
        var longest: Double
      }
      var received: Int
      var dropped: Int
      var reconnections: Int
      var latency: Latency
    }
    var events: [Event]
    var gaps: [Gap]
    var frames: Int
    var live: Live?
  }

  /// 5 s at 25 fps, with a tone: a textured box slides through a still, textured image from 2 s on, for 2 s.
  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("passage.ts")
    let ground = FFmpegTools.texture(seconds: 5)
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", ground, "-f", "lavfi", "-i", "testsrc2=s=40x40:r=25:d=5,select=1,loop=125:1",
      "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=5",
      "-filter_complex", "[0:v][1:v]overlay=x='if(lt(n,50),-60,7*(n-50)-40)':y=80:shortest=1[v]", "-map", "[v]", "-map",
      "2:a", "-c:a", "aac", "-t", "5", "-r", "25",
      "-c:v", "mpeg4", "-q:v", "2", "-g", "12", input.path,
    ])
  }

  private func report() throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(contentsOf: folder.file("report.json")))
  }

  private func wait(_ seconds: Double = 40, until isTrue: () -> Bool) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !isTrue(), ContinuousClock.now < deadline { usleep(20_000) }
  }

  @Test func aStreamThatBreaksOffIsConnectedToAgain() throws {
    let server = try StreamServer(input)
    let first = try server.start()
    let lines = folder.file("lines").path
    let program = try ChildProcess(
      Program.path,
      ["detect", server.address, "--report", folder.file("report.json").path, "--json-lines", "-v"]
        + ["--clips", folder.file("clips").path],
      output: lines)
    func endedEvents() -> Int {
      ((try? String(contentsOfFile: lines, encoding: .utf8)) ?? "").split(separator: "\n").count {
        $0.contains("\"end\"")
      }
    }
    // The passage is over after 4 s, its event 1.2 s later: the break ends it.
    usleep(4_600_000)
    first.send(SIGKILL)
    _ = try first.wait()
    wait { program.errorsSoFar.contains("broke off") }
    usleep(1_000_000)
    let second = try server.start(loops: true)
    wait { endedEvents() >= 2 }
    program.send(SIGINT)
    let result = try program.wait()
    second.send(SIGKILL)
    _ = try second.wait()
    #expect(result.status == 130, "\(result.errors)")
    #expect(result.errors.contains("connected again"))
    let report = try report()
    #expect(report.gaps.count == 1, "\(report.gaps)")
    let gap = try #require(report.gaps.first)
    let breakTime = try #require(gap.seconds)
    #expect(gap.reason.contains("broke off") && gap.reason.contains("are missing"), "\(gap.reason)")
    #expect(report.events.count >= 2)
    let (before, after) = (try #require(report.events.first), try #require(report.events.dropFirst().first))
    #expect(before.end.seconds <= breakTime + 0.001 && after.start.seconds > breakTime + 1)
    let clips = try FileManager.default.contentsOfDirectory(atPath: folder.file("clips").path).sorted()
    #expect(clips.count >= 2)
    // A stream has the sound some time after the image: what the break cuts off is missing.
    for (clip, missing) in zip(clips, [0.6, 0.1]) {
      try expectSoundAsLongAsTheImage(folder.file("clips/" + clip), missing: missing)
    }
    let live = try #require(report.live)
    #expect(live.reconnections == 1 && live.received - live.dropped >= report.frames - 1)
    #expect(live.latency.mean > 0 && live.latency.longest >= live.latency.mean)
  }

  private func expectSoundAsLongAsTheImage(_ clip: URL, missing: Double) throws {
    func span(_ stream: String) throws -> ClosedRange<Double> {
      let packets = try FFmpegTools.probe(clip, "packet=pts_time,duration_time", ["-select_streams", stream])
      let times = packets.compactMap { row in row.first.flatMap { Double($0) } }
      let durations = packets.compactMap { row in row.dropFirst().first.flatMap { Double($0) } }
      let ends = zip(times, durations).map(+)
      return try #require(times.min())...(try #require(ends.max()))
    }
    let (image, sound) = (try span("v:0"), try span("a:0"))
    #expect(
      abs(image.lowerBound - sound.lowerBound) < 0.1
        && (-0.1..<missing).contains(image.upperBound - sound.upperBound),
      "\(clip.lastPathComponent): \(image), \(sound)")
    // Nothing is encoded: an encoder would round times to its own ticks, and find two alike.
    for arguments in [
      ["ffmpeg", "-i", clip.path, "-c", "copy", "-f", "null", "-"], ["ffprobe", "-count_frames", clip.path],
    ] {
      let errors = try ChildProcess.run(arguments[0], ["-v", "error"] + arguments.dropFirst()).errors
      #expect(errors.isEmpty, "\(errors)")
    }
  }

  @Test func aCameraThatSpeaksRTSPIsWatched() throws {
    let relay = try RTSPRelay()
    defer { relay.stop() }
    func publish() throws -> ChildProcess {
      let camera = try ChildProcess(
        "ffmpeg",
        ["-hide_banner", "-loglevel", "error", "-nostdin", "-re", "-stream_loop", "-1", "-i", input.path, "-c", "copy"]
          + ["-an", "-f", "rtsp", "-rtsp_transport", "tcp", relay.address])
      wait { relay.hasStream }
      return camera
    }
    let first = try publish()
    let program = try ChildProcess(
      Program.path, ["detect", relay.address, "--report", folder.file("report.json").path, "-v"])
    wait { relay.playerCount == 1 }
    usleep(3_000_000)
    first.send(SIGKILL)
    _ = try first.wait()
    wait { program.errorsSoFar.contains("broke off") }
    let second = try publish()
    wait { program.errorsSoFar.contains("connected again") }
    usleep(6_000_000)
    program.send(SIGINT)
    let result = try program.wait()
    second.send(SIGKILL)
    _ = try second.wait()
    #expect(result.status == 130, "\(result.errors)")
    let report = try report()
    #expect(report.gaps.count == 1 && report.live?.reconnections == 1, "\(report.gaps)")
    #expect(report.events.contains { $0.start.seconds > report.gaps.first?.seconds ?? .infinity }, "\(report.events)")
  }

  @Test func aStreamThatDoesNotComeBackEndsTheWork() throws {
    let server = try StreamServer(input)
    let process = try server.start()
    let result = try Program.run([
      "detect", server.address, "--report", folder.file("report.json").path, "--reconnect", "1",
    ])
    _ = try process.wait()
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("did not come back"))
    let report = try report()
    #expect(report.events.count == 1 && report.gaps.count == 1)
    #expect(report.live?.reconnections == 0)
  }

  @Test func neverMeansThatTheEndOfTheStreamIsTheEnd() throws {
    let server = try StreamServer(input)
    let process = try server.start()
    let result = try Program.run([
      "detect", server.address, "--report", folder.file("report.json").path, "--reconnect", "never",
    ])
    _ = try process.wait()
    #expect(result.status == 0, "\(result.errors)")
    let report = try report()
    #expect(report.events.count == 1 && report.gaps.isEmpty)
    // At most what the start of a busy machine costs.
    #expect(report.frames >= 100, "\(report.frames)")
  }

  @Test func aStreamThatIsNotThereIsAnError() throws {
    let server = try StreamServer(input)
    let result = try Program.run(["detect", server.address])
    #expect(result.status == 1 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(server.address))
  }

  @Test func filesAndPipesLoseNoFrame() throws {
    let result = try Program.shell(
      "cat \"$1\" | \"$rheo\" detect - --report \"$2\" --threads 1", [input.path, folder.file("report.json").path])
    #expect(result.status == 0, "\(result.errors)")
    let report = try report()
    #expect(report.frames == 125 && report.live == nil && report.events.count == 1)
  }

  @Test func aLivePipeDropsWhatThereIsNoTimeFor() throws {
    let result = try Program.run(["detect", input.path, "--live", "--report", folder.file("report.json").path, "-q"])
    #expect(result.status == 0, "\(result.errors)")
    let report = try report()
    let live = try #require(report.live)
    #expect(live.received == 125 && live.dropped == 125 - report.frames)
  }

  @Test func aDeadlineThatCannotBeMetLowersTheSize() throws {
    let result = try Program.run(["detect", input.path, "--deadline", "0.0001"])
    #expect(result.status == 0, "\(result.errors)")
    for side in [240, 180, 135, 120] { #expect(result.errors.contains("analysing \(side) pixels"), "\(result.errors)") }
    #expect(result.errors.contains("1 event"))
  }

  @Test(arguments: [
    ["--reconnect", "soon"], ["--reconnect", "-1"], ["--patience", "0"], ["--deadline", "0"],
    ["--input-options", "no_such_option=1"], ["--input-format", "no_such_format"],
  ])
  func wrongOptionsAreRefused(options: [String]) throws {
    let result = try Program.run(["detect", input.path] + options)
    #expect(result.status == 64, "\(result.errors)")
  }
}
