import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Jobs that read a video together make what each makes alone.
@Suite struct VideoRunTests {
  private let folder: TemporaryFolder
  private let input: URL
  private static let frameCount = 24

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    let scene = try Scene(
      SceneParameters(name: .pan, size: PixelSize(width: 96, height: 64), frameCount: Self.frameCount))
    _ = try SceneRecorder(
      scene: scene, output: input.path, truthFolder: nil,
      encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p")
    ).run()
  }

  /// All four jobs, with outputs whose names begin with `name`.
  private func jobs(_ name: String, style: RenderingStyle = .overlay, threads: Int = 2) -> VideoRun {
    let request = OpticalFlowRequest(computationAccuracy: .low)
    let parallelism = Parallelism(threadCount: threads)
    func path(_ ending: String) -> String { folder.file(name + ending).path }
    var run = VideoRun(input: input.path)
    run.annotation = Annotation(
      input: input.path, output: path(".mkv"), flow: request, rendering: RenderingOptions(style: style),
      encoding: EncoderOptions(preset: "ultrafast"), parallelism: parallelism)
    run.export = FlowExport(
      input: input.path, output: path(".npy"), layout: .stack, format: .npy, flow: request, parallelism: parallelism)
    run.table = FlowTable(input: input.path, output: path(".csv"), flow: request, parallelism: parallelism)
    run.detection = Detection(input: input.path, parallelism: parallelism)
    return run
  }

  /// The manifest of an export, which names its files, as that of one named `any`.
  private func manifest(_ name: String) throws -> String {
    try String(contentsOf: folder.file(name + ".manifest.json"), encoding: .utf8)
      .replacing("\"\(name).npy\"", with: "\"any.npy\"")
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

  // Styles with and without the confidence, which the others do not ask for.
  @Test(arguments: [RenderingStyle.overlay, .wheel], [1, 3])
  func eachOutputIsThatOfItsJob(style: RenderingStyle, threads: Int) throws {
    let together = try jobs("run", style: style, threads: threads).run()
    let alone = jobs("alone", style: style)
    #expect(try alone.annotation?.run().frames == together.annotation?.frames)
    #expect(try alone.export?.run().pairs == together.export?.pairs)
    #expect(try alone.table?.run().lines == together.table?.lines)
    let detected = try alone.detection?.run()
    #expect(detected?.events == together.detection?.events && detected?.suppressed == together.detection?.suppressed)
    #expect(together.detection?.frames == Self.frameCount)
    #expect(try manifest("run") == manifest("alone"))
    for ending in [".mkv", ".npy", ".csv"] {
      #expect(try bytes("run" + ending) == bytes("alone" + ending), "\(ending)")
    }
  }

  @Test func jobsThatWantOtherFlowMakeTheirOwn() throws {
    var run = jobs("run")
    run.export?.includesConfidence = true
    run.export?.flow.algorithm = .farneback(FarnebackParameters(.low))
    run.table?.compensation = .translation
    run.annotation?.compensation = .homography
    _ = try run.run()
    var alone = jobs("alone")
    alone.export?.includesConfidence = true
    alone.export?.flow.algorithm = .farneback(FarnebackParameters(.low))
    alone.table?.compensation = .translation
    alone.annotation?.compensation = .homography
    _ = try (alone.annotation?.run(), alone.export?.run(), alone.table?.run())
    for ending in [".mkv", ".npy", ".csv"] {
      #expect(try bytes("run" + ending) == bytes("alone" + ending), "\(ending)")
    }
  }

  @Test func flowIsComputedOnce() throws {
    let request = OpticalFlowRequest(computationAccuracy: .low)
    let shared = SharedFlow(request: request, compensation: .identity, jobCount: 2)
    let computed = SharedValue(0)
    let tasks = (0..<40).map {
      PairTask(number: $0, previous: nil, current: nil, analysedFrame: nil, followsGap: false, before: nil)
    }
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      for task in tasks {
        _ = try? shared.result(of: task) { task in
          computed.value += 1
          return nil
        }
      }
    }
    #expect(computed.value == tasks.count)
  }

  @Test func aTaskGetsWhatAThreadGets() async throws {
    let frames = SharedValue<[Int]>([])
    let report = try await jobs("task").run(progress: { frames.value.append($0.frames) })
    let blocked = try blocking(jobs("thread"))
    #expect(report.annotation?.frames == Self.frameCount && report.detection?.frames == Self.frameCount)
    #expect(report.detection?.events == blocked.detection?.events)
    #expect(frames.value == Array(1...Self.frameCount))
    for ending in [".mkv", ".npy", ".csv"] {
      #expect(try bytes("task" + ending) == bytes("thread" + ending), "\(ending)")
    }
  }

  private func blocking(_ run: VideoRun) throws -> VideoRun.Report { try run.run() }

  @Test func aJobThatFailsEndsAll() throws {
    try Data().write(to: folder.file("run.npy"))
    let error = thrown(MediaError.self) { try jobs("run").run() }
    #expect(error?.code == .outputExists)
    #expect(!FileManager.default.fileExists(atPath: folder.file("run.mkv").path))
    #expect(!FileManager.default.fileExists(atPath: folder.file("run.csv").path))
  }

  @Test func anInterruptionLeavesWhatIsThere() throws {
    let interruption = Interruption()
    let report = try jobs("run").run(interruption: interruption) { progress in
      if progress.frames == 2 { interruption.set() }
    }
    let frames = try #require(report.annotation?.frames)
    #expect(frames < Self.frameCount && report.annotation?.wasInterrupted == true)
    #expect(report.export?.wasInterrupted == true && report.table?.wasInterrupted == true)
    let (reader, lines) = (
      try VideoReader(folder.file("run.mkv").path), try String(contentsOf: folder.file("run.csv"), encoding: .utf8)
    )
    var count = 0
    while try reader.nextFrame() != nil { count += 1 }
    #expect(count == frames)
    #expect(lines.split(separator: "\n").count == (report.table?.lines ?? 0) + 1)
  }

  @Test func whatCannotGoTogetherIsRefused() throws {
    var run = jobs("run")
    run.export?.existing = .resume
    #expect(throws: MediaError.self) { try run.run() }
    #expect(throws: MediaError.self) { try VideoRun(input: input.path).run() }
  }
}

/// The table of a video's motion tells what moves.
@Suite struct FlowTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Ten frames in which a texture moves by (3, 0), at 25 frames a second.
  private func pan() throws -> URL {
    let video = folder.file("pan.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", FFmpegTools.texture(seconds: 1) + ",crop=200:160:90-3*n:10", "-frames:v", "10", "-c:v",
      "ffv1", video.path,
    ])
    return video
  }

  private func lines(_ change: (inout FlowTable) -> Void = { _ in }) throws -> [[String: String]] {
    let output = folder.file("t.csv")
    var table = FlowTable(input: try pan().path, output: output.path, overwrites: true)
    change(&table)
    _ = try table.run()
    let rows = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(rows[0], $0)) }
  }

  /// The number in a column; NaN, which no limit holds, where there is none.
  private func value(_ line: [String: String], _ name: String) -> Double { line[name].flatMap { Double($0) } ?? .nan }

  @Test func aPanIsMotionToOneSide() throws {
    let lines = try lines()
    #expect(lines.count == 9)
    for (index, line) in lines.enumerated() {
      #expect(line["frame"] == "\(index)" && line["pairs"] == "1" && line["known"] == "1")
      #expect(abs(value(line, "seconds") - Double(index) / 25) < 1e-6)
      #expect(abs(value(line, "meanU") - 3) < 0.1 && abs(value(line, "meanV")) < 0.1)
      #expect(abs(value(line, "length50") - 3) < 0.1)
      #expect(value(line, "length50") <= value(line, "length90"))
      #expect(value(line, "length90") <= value(line, "longest"))
      #expect(value(line, "right") > 0.98 && value(line, "moving") > 0.98 && value(line, "left") < 0.01)
      #expect(abs(value(line, "cameraX") - 3) < 0.1 && abs(value(line, "cameraZoom") - 1) < 0.005)
      #expect(line["confidence"] == "")
    }
  }

  @Test func aCameraThatIsTakenOutStands() throws {
    let lines = try lines {
      $0.compensation = .translation
      $0.includesConfidence = true
    }
    let line = try #require(lines.first)
    #expect(abs(value(line, "meanU")) < 0.1 && value(line, "moving") < 0.02)
    #expect(abs(value(line, "cameraX") - 3) < 0.1 && value(line, "confidence") > 0.7)
  }

  @Test func anIntervalIsTheMeanOfItsPairs() throws {
    let single = try lines()
    let joined = try lines { $0.interval = 0.15 }
    #expect(joined.map { $0["pairs"] } == ["4", "4", "1"] && joined.map { $0["frame"] } == ["0", "4", "8"])
    let mean = single[0..<4].reduce(0) { $0 + value($1, "meanU") } / 4
    #expect(abs(value(joined[0], "meanU") - mean) < 0.002)
    let longest = single[0..<4].map { value($0, "longest") }.max()
    #expect(value(joined[0], "longest") == longest)
  }

  @Test(arguments: [-1, 1e6, .nan]) func wrongIntervalsAreRefused(interval: Double) throws {
    #expect(throws: MediaError.self) { try lines { $0.interval = interval } }
  }
}
