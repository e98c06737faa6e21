import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Jobs that are run by tasks, and what is left of them when those are cancelled.
@Suite struct CancellationTests {
  private static let frameCount = 24
  private static let encoding = EncoderOptions(preset: "ultrafast")
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func scene() throws -> Scene {
    try Scene(
      SceneParameters(name: .pan, size: PixelSize(width: 64, height: 48), frameCount: Self.frameCount))
  }

  private func clip() throws -> String {
    let file = folder.file("in.mkv").path
    _ = try SceneRecorder(scene: scene(), output: file, truthFolder: nil, encoding: Self.encoding).run()
    return file
  }

  /// Cancels a task while the work tells of a frame.
  private func cancelled<Report: Sendable>(
    at frame: Int, _ work: @escaping @Sendable (@escaping @Sendable (JobProgress) -> Void) async throws -> Report
  ) async -> Result<Report, any Error> {
    let (reached, reaching) = AsyncStream<Void>.makeStream()
    let goOn = DispatchSemaphore(value: 0)
    let task = Task {
      defer { reaching.finish() }
      return try await work { progress in
        guard progress.frames == frame else { return }
        reaching.yield()
        goOn.wait()
      }
    }
    for await _ in reached { break }
    task.cancel()
    goOn.signal()
    return await task.result
  }

  /// Expects that a cancelled job fails and leaves only these files.
  private func expectNothingLeft(
    of job: some VideoJob, at frame: Int, but files: [String] = ["in.mkv"],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let result = await cancelled(at: frame) { try await job.run(progress: $0) }
    #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try result.get() }
    #expect(folder.names == files, sourceLocation: sourceLocation)
  }

  @Test func aCancelledJobLeavesNoOutput() async throws {
    let input = try clip()
    let (video, image) = (folder.file("out.mkv").path, folder.file("out.png").path)
    await expectNothingLeft(of: Annotation(input: input, output: video, encoding: Self.encoding), at: 5)
    await expectNothingLeft(
      of: MotionTracking(input: input, output: video, texturedPointCount: 5, encoding: Self.encoding), at: 5)
    await expectNothingLeft(of: MotionTracking(input: input, texturedPointCount: 5), at: 5)
    await expectNothingLeft(of: Stacking(inputs: [input], output: image), at: 5)
    await expectNothingLeft(of: Stitching(inputs: [input], output: image), at: 5)
    let recorder = SceneRecorder(scene: try scene(), output: video, truthFolder: nil, encoding: Self.encoding)
    await expectNothingLeft(of: recorder, at: 5)
  }

  /// Cancels in the pass that measures, in the one that writes, and with its last frame.
  @Test(arguments: [5, frameCount + 5, 2 * frameCount])
  func cancellingEndsEitherPass(frame: Int) async throws {
    let job = Stabilization(input: try clip(), output: folder.file("out.mkv").path, encoding: Self.encoding)
    await expectNothingLeft(of: job, at: frame)
  }

  @Test func aCancelledDetectionLeavesNoVideo() async throws {
    var detection = Detection(input: try clip())
    detection.outputs.annotated = folder.file("out.mkv").path
    let job = detection
    let result = await cancelled(at: 5) { try await job.run(progress: $0) }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(folder.names == ["in.mkv"])
  }

  @Test func aCancelledRunLeavesNoOutput() async throws {
    var run = VideoRun(input: try clip())
    run.annotation = Annotation(input: run.input, output: folder.file("out.mkv").path, encoding: Self.encoding)
    run.table = FlowTable(input: run.input, output: folder.file("out.csv").path)
    let job = run
    let result = await cancelled(at: 5) { try await job.run(progress: $0) }
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(folder.names == ["in.mkv"])
  }

  @Test func aCancelledExportCanBeResumed() async throws {
    let input = try clip()
    var export = FlowExport(input: input, output: folder.file("whole").path)
    _ = try await export.run()
    export.output = folder.file("out").path
    let job = export
    let result = await cancelled(at: 6) { try await job.run(progress: $0) }
    #expect(throws: CancellationError.self) { try result.get() }
    export.existing = .resume
    let report = try await export.run()
    #expect(report.resumedPairs == 5 && report.pairs == Self.frameCount - 1 && !report.wasInterrupted)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("whole").path) {
      let parts = ["whole", "out"].map { folder.file($0).appendingPathComponent(name) }
      #expect(try Data(contentsOf: parts[0]) == Data(contentsOf: parts[1]), "\(name)")
    }
  }

  @Test func aTaskGetsWhatAThreadGets() async throws {
    let input = try clip()
    let outputs = ["a.mkv", "b.mkv"].map { folder.file($0) }
    let jobs = outputs.map { Annotation(input: input, output: $0.path, encoding: Self.encoding) }
    let frames = SharedValue<[Int]>([])
    let report = try await jobs[0].run(progress: { frames.value.append($0.frames) })
    #expect(report.frames == Self.frameCount && !report.wasInterrupted)
    #expect(frames.value == Array(1...Self.frameCount))
    #expect(try blocking(jobs[1]).frames == Self.frameCount)
    #expect(try Data(contentsOf: outputs[0]) == Data(contentsOf: outputs[1]))
  }

  @Test func anInterruptionCompletesTheOutputOfATask() async throws {
    let output = folder.file("out.mkv").path
    let interruption = Interruption()
    let report = try await Annotation(input: try clip(), output: output, encoding: Self.encoding)
      .run(interruption: interruption, progress: { if $0.frames == 3 { interruption.set() } })
    #expect(report.wasInterrupted && (3..<Self.frameCount).contains(report.frames))
    #expect(folder.names == ["in.mkv", "out.mkv"])
  }

  @Test func aCancelledTaskBeginsNothing() async throws {
    let job = Annotation(input: folder.file("missing.mkv").path, output: folder.file("out.mkv").path)
    let result = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await job.run()
    }.result
    #expect(throws: CancellationError.self) { try result.get() }
  }

  /// Work without `await` stays on the task's own thread, and ends with the task.
  @Test func workThatBlocksATaskEndsWithIt() async throws {
    let job = Annotation(input: try clip(), output: folder.file("out.mkv").path, encoding: Self.encoding)
    let result = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try blocking(job)
    }.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(folder.names == ["in.mkv"])
  }

  private func blocking<Job: VideoJob>(_ job: Job) throws -> Job.Report {
    try job.run(interruption: Interruption(), progress: nil)
  }
}
