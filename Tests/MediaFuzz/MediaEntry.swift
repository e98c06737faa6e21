import Foundation
import Rheo
import TestSupport

/// The ways into the library that a damaged file takes.
enum MediaEntry {
  /// What came of a file.
  enum Outcome: Int, CaseIterable {
    case read, readInPart, refused, tooLarge
  }

  /// Frames of a file that are looked at.
  private static let frameCount = 8
  /// Larger images are decoded only: with sanitizers, drawing on them takes longer than any file is worth.
  private static let maximumArea = 1 << 19
  private static let parallelism = Parallelism(threadCount: 2)

  static func read(_ file: URL, folder: URL, _ random: inout FixedRandom) throws -> Outcome {
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
      return try work(file.path, options, folder, &random) ? .read : .readInPart
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
    _ path: String, _ options: VideoReader.Options, _ folder: URL, _ random: inout FixedRandom
  ) throws -> Bool {
    let flow = OpticalFlowRequest(computationAccuracy: .low)
    let endings = ["mkv", "mp4", "mov", "ts", "avi", "webm", "nut"]
    let output = folder.appendingPathComponent("out.\(endings.randomElement(using: &random)!)").path
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2:
      let reader = try VideoReader(path, options: options)
      while try reader.nextFrame() != nil {}
      return reader.gaps.isEmpty
    case 3, 4, 5:
      return try Annotation(input: path, output: output, reading: options, flow: flow, parallelism: parallelism)
        .run(interruption: Interruption()).gaps.isEmpty
    case 6, 7: return try detect(path, options, folder, &random)
    case 8:
      return try Stabilization(input: path, output: output, reading: options, parallelism: parallelism).run().gaps
        .isEmpty
    default:
      let export = FlowExport(
        input: path, output: folder.appendingPathComponent("fields").path, reading: options, flow: flow,
        parallelism: parallelism)
      return try export.run(interruption: Interruption()).gaps.isEmpty
    }
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
