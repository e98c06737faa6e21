import Foundation
import Rheo
import TestSupport

/// The ways into the library that a damaged file takes.
enum MediaEntry {
  /// The outcome of a file.
  enum Outcome: Int, CaseIterable {
    case read, readInPart, refused, tooLarge
  }

  /// Frames of a file that are looked at.
  private static let frameCount = 8
  /// Larger images are decoded only: with sanitizers, drawing on them takes longer than any file is worth.
  private static let maximumArea = 1 << 19
  private static let parallelism = Parallelism(threadCount: 2)
  /// Frames that are looked at of a stream that breaks off and comes back.
  private static let liveFrameCount = 40
  /// The time for which a stream is tried again, in seconds: just longer than the first pause.
  private static let reconnectionTime = 0.6

  /// Reads a file in one of the ways.
  /// - Parameter whole: The file that it was made from, which goes with it where there are two.
  static func read(_ file: URL, whole: URL, folder: URL, _ random: inout FixedRandom) throws -> Outcome {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      _ = try MediaInfo(contentsOf: file.path)
      var options = VideoReader.Options(range: MediaRange(frameCount: frameCount), threadCount: 2)
      if Int.random(in: 0..<8, using: &random) == 0 { options.range.start = .seconds(0.3) }
      if Int.random(in: 0..<8, using: &random) == 0 { options.filter = "yadif,scale=40:30" }
      let video = try Video(file.path, options: options).info()
      guard video.size.width * video.size.height <= maximumArea else {
        let reader = try VideoReader(file.path, options: options)
        while try reader.nextFrame() != nil {}
        return .tooLarge
      }
      return try work(file.path, whole.path, options, folder, &random) ? .read : .readInPart
    } catch let error as MediaError {
      precondition(!error.description.isEmpty)
      return .refused
    } catch is AnalysisError {
      return .refused
    } catch is RenderingError {
      return .refused
    } catch is MotionDetectionError {
      return .refused
    }
  }

  /// Returns whether the file came through without damage.
  private static func work(
    _ path: String, _ whole: String, _ options: VideoReader.Options, _ folder: URL, _ random: inout FixedRandom
  ) throws -> Bool {
    let flow = OpticalFlowRequest(computationAccuracy: .low)
    let endings = ["mkv", "mp4", "mov", "ts", "avi", "webm", "nut"]
    let output = folder.appendingPathComponent("out.\(endings.randomElement(using: &random)!)").path
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<10:
      let reader = try VideoReader(path, options: options)
      while try reader.nextFrame() != nil {}
      return reader.gaps.isEmpty
    case 10..<20:
      return try Annotation(input: path, output: output, reading: options, flow: flow, parallelism: parallelism)
        .run(interruption: Interruption()).gaps.isEmpty
    case 20..<27: return try detect(path, options, folder, &random)
    case 27..<32: return try join([path, whole].shuffled(using: &random), options, folder, &random)
    case 32: return try watch([path, whole].shuffled(using: &random), folder, &random)
    case 33..<36:
      return try Stabilization(input: path, output: output, reading: options, parallelism: parallelism).run().gaps
        .isEmpty
    default:
      let export = FlowExport(
        input: path, output: folder.appendingPathComponent("fields").path, reading: options, flow: flow,
        parallelism: parallelism)
      return try export.run(interruption: Interruption()).gaps.isEmpty
    }
  }

  /// Joins the events of two files.
  /// - Returns: A Boolean value that tells whether both came through without damage.
  private static func join(
    _ paths: [String], _ options: VideoReader.Options, _ folder: URL, _ random: inout FixedRandom
  ) throws -> Bool {
    let ending = ["mkv", "mp4", "ts", "avi"].randomElement(using: &random) ?? "mkv"
    let joined = try JoinedVideo(folder.appendingPathComponent("joined.\(ending)").path, inputs: paths)
    let mode = Bool.random(using: &random) ? EventOutputs.ClipMode.copy : .encode
    let tasks = paths.map { path in
      var job = Detection(input: path, reading: options, parallelism: parallelism)
      job.reading.range.frameCount = 2 * frameCount
      job.events.minimumDuration = 0
      job.outputs.joined = joined
      job.outputs.clipMode = mode
      return job
    }
    do {
      try joined.requireOneFormat(tasks)
      let reports = try tasks.map { try $0.run() }
      try joined.finish()
      return reports.allSatisfy { $0.gaps.isEmpty }
    } catch {
      joined.abandon()
      throw error
    }
  }

  /// Watches a stream that breaks off behind the first file and comes back with the second one.
  /// - Returns: A Boolean value that tells whether there was no damage but the breaks.
  private static func watch(_ paths: [String], _ folder: URL, _ random: inout FixedRandom) throws -> Bool {
    let bodies = try paths.map { LocalServer.Answer.data(try Data(contentsOf: URL(fileURLWithPath: $0))) }
    let server = try LocalServer(bodies + [.status(404)])
    defer { server.stop() }
    var job = Detection(input: server.address + "/live", parallelism: parallelism)
    job.reading.range.frameCount = liveFrameCount
    job.live.isLive = true
    job.live.reconnectionTime = reconnectionTime
    job.events.minimumDuration = 0
    job.outputs.clipFolder = folder.path
    job.outputs.clipMode = Bool.random(using: &random) ? .copy : .encode
    let report = try job.run()
    return report.gaps.count <= (report.live?.reconnections ?? 0) + 1
  }

  private static func detect(
    _ path: String, _ options: VideoReader.Options, _ folder: URL, _ random: inout FixedRandom
  ) throws -> Bool {
    var job = Detection(input: path, reading: options, keepsStatistics: true, parallelism: parallelism)
    job.reading.range.frameCount = 2 * frameCount
    job.events.minimumDuration = 0
    job.zones = try ZoneSet(
      [Zone(name: "zone", polygon: [[0, 0], [1, 0], [1, 1], [0, 1]])],
      tripLines: [TripLine(name: "line", from: [0.5, 1], to: [0.5, 0])])
    job.outputs.clipFolder = folder.path
    job.outputs.clipMode = Bool.random(using: &random) ? .copy : .encode
    job.outputs.tellsPeaks = true
    let store = ReportStore()
    var recorder = PageRecorder(store: store)
    let report = try job.run(onUpdate: { try recorder.note($0) })
    let page = DetectionPage(
      [DetectionPage.Section(outcome: DetectionOutcome(report), curve: recorder.curve, images: recorder.images)],
      options: job.events, folder: folder.path)
    try page.write { _ in }
    let statistics = try DetectionStatistics(text: DetectionStatistics(report, zones: job.zones).text())
    _ = try statistics.detect(job.events)
    return report.gaps.isEmpty
  }
}
