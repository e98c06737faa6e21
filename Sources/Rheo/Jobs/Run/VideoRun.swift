// Several jobs on one video, which is decoded once.

import FlowAnalysis
import Foundation
import Registration
import VideoIO

/// Annotates, exports, measures and watches a video at the same time. It is decoded once, and flow that several of the
/// jobs ask for is computed once; each output has the bytes that its job alone gives.
///
/// When one of the jobs fails, all end, and leave behind what a failure of their own would leave.
public struct VideoRun: Sendable {
  /// The input of all jobs: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The stream and part of the input to read, and the filters ahead of everything else, for all jobs.
  public var reading: VideoReader.Options
  /// The job that draws the motion; its own input and reading do not count, here and below.
  public var annotation: Annotation?
  /// The job that writes the flow.
  public var export: FlowExport?
  /// The job that measures the motion.
  public var table: FlowTable?
  /// The job that looks for events; of its outputs those that need images alone.
  public var detection: Detection?

  /// Makes a run without jobs.
  public init(input: String, reading: VideoReader.Options = .init()) {
    self.input = input
    self.reading = reading
  }

  /// The results of the jobs.
  public struct Report: Sendable {
    /// The result of ``VideoRun/annotation``.
    public var annotation: Annotation.Report?
    /// The result of ``VideoRun/export``.
    public var export: FlowExport.Report?
    /// The result of ``VideoRun/table``.
    public var table: FlowTable.Report?
    /// The result of ``VideoRun/detection``.
    public var detection: Detection.Report?

    /// Makes the report of jobs of which none is done.
    public init() {}
  }

  /// The flow that a job needs.
  private struct Flow {
    var request: OpticalFlowRequest
    /// The model of the camera's motion.
    var camera: TransformModel
    var findings = PairFindings.flow
  }

  /// A job, and the flow that it needs.
  private struct Part {
    /// The flow that other jobs may need, too; nil for none.
    var flow: Flow?
    var work: (VideoSource, JobMonitor, inout Report) throws -> Void
  }

  /// Does the work.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the outputs are then completed with what is there.
  ///   - progress: Called on this thread, after each frame of one of the jobs.
  ///   - onUpdate: Called on this thread with what the detection finds.
  /// - Throws: The error of the first job that fails; `MediaError` `invalidOption` without a job, and for an export
  ///   that goes on with another one.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil,
    onUpdate: ((Detection.Update) throws -> Void)? = nil
  ) throws -> Report {
    if export?.existing == .resume || export?.shard != nil {
      throw MediaError(.invalidOption, "an export that is resumed, or a shard of one, goes alone", file: input)
    }
    let parts = parts(onUpdate)
    guard !parts.isEmpty else { throw MediaError(.invalidOption, "there is nothing to make", file: input) }
    let reader = try VideoReader(input, options: reading)
    _ = try reader.videoFormat()
    let broadcast = FrameBroadcast(reader, count: parts.count)
    let flows = sharedFlows(of: parts)
    let results = parts.map { _ in SharedValue(Report()) }
    func work(_ index: Int, _ progress: ((JobProgress) -> Void)?) {
      let follower = broadcast.followers[index]
      do {
        var report = Report()
        let source = VideoSource(broadcast, follower, sharedFlow: flows[index])
        try parts[index].work(source, JobMonitor(interruption, progress), &report)
        results[index].value = report
        follower.leave()
      } catch {
        broadcast.fail(error)
      }
    }
    let group = DispatchGroup()
    func start(_ name: String, _ body: @escaping () -> Void) {
      let body = Handover(body)
      group.enter()
      do {
        try WorkThread.start(name) {
          body.take()()
          group.leave()
        }
      } catch {
        broadcast.fail(error)
        group.leave()
      }
    }
    start("decode") { broadcast.decode(until: interruption) }
    for index in parts.indices.dropFirst() { start("job") { work(index, nil) } }
    // The first one works on this thread: the one that calls `onUpdate`.
    work(0, progress)
    group.wait()
    if let error = broadcast.error { throw error }
    return results.reduce(into: Report()) { $0.merge($1.value) }
  }

  /// Does the work on a thread of its own.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the outputs are then completed with what is there.
  ///   - progress: Called after each frame of one of the jobs, on that thread.
  ///   - onUpdate: Called with what the detection finds, on that thread.
  /// - Throws: The error of the first job that fails; `MediaError` `invalidOption` without a job, and for an export
  ///   that goes on with another one; `CancellationError` when the task is cancelled, which leaves what a failure
  ///   leaves.
  public func run(
    interruption: Interruption = Interruption(), progress: (@Sendable (JobProgress) -> Void)? = nil,
    onUpdate: (@Sendable (Detection.Update) throws -> Void)? = nil
  ) async throws -> Report {
    try await WorkThread.run("job", interruption) { try run(interruption: $0, progress: progress, onUpdate: onUpdate) }
  }

  private func parts(_ onUpdate: ((Detection.Update) throws -> Void)?) -> [Part] {
    var parts: [Part] = []
    if var detection {
      (detection.input, detection.reading) = (input, reading)
      parts.append(Part { try $2.detection = detection.run(on: $0, $1, onUpdate: onUpdate) })
    }
    if var annotation {
      (annotation.input, annotation.reading) = (input, reading)
      let flow = Flow(
        request: annotation.drawnFlow, camera: annotation.compensation, findings: annotation.findings)
      // Of filtered frames nobody else wants the flow.
      let isShared = annotation.analysisFilter == nil && annotation.findings.servesPairs
      parts.append(Part(flow: isShared ? flow : nil) { try $2.annotation = annotation.run(on: $0, $1) })
    }
    if var export {
      (export.input, export.reading) = (input, reading)
      parts.append(
        Part(flow: Flow(request: export.writtenFlow, camera: export.compensation)) {
          try $2.export = export.run(on: $0, nil, $1)
        })
    }
    if var table {
      (table.input, table.reading) = (input, reading)
      parts.append(
        Part(flow: Flow(request: table.measuredFlow, camera: table.measuredCamera)) {
          try $2.table = table.run(on: $0, $1)
        })
    }
    return parts
  }

  /// Returns for each part the flow that it shares with others; nil for none.
  private func sharedFlows(of parts: [Part]) -> [SharedFlow?] {
    let kinds = parts.map { $0.flow.flatMap { SharedFlow.kind(of: $0.request) } }
    // Where the camera's motion is not wanted it does no harm; two models do not go together.
    let cameras = Set(parts.compactMap { $0.flow?.camera }).subtracting([.identity])
    guard cameras.count < 2 else { return parts.map { _ in nil } }
    var shared: [OpticalFlowRequest: SharedFlow] = [:]
    for kind in Set(kinds.compactMap(\.self)) {
      let sharing = zip(parts, kinds).filter { $1 == kind }.compactMap(\.0.flow)
      guard sharing.count > 1 else { continue }
      var request = kind
      request.measuresConfidence = sharing.contains(where: \.request.measuresConfidence)
      shared[kind] = SharedFlow(
        request: request, compensation: sharing.map(\.camera).max() ?? .identity,
        findings: sharing.contains { $0.findings == .cuts } ? .cuts : .flow, jobCount: sharing.count)
    }
    return kinds.map { $0.flatMap { shared[$0] } }
  }
}

extension VideoRun.Report {
  /// Adds the results of another part.
  fileprivate mutating func merge(_ other: VideoRun.Report) {
    annotation = annotation ?? other.annotation
    export = export ?? other.export
    table = table ?? other.table
    detection = detection ?? other.detection
  }
}
