// How `rheo detect` searches its inputs, and how it ends.

import ArgumentParser
import Foundation
import Rheo

extension DetectCommand {
  /// A closure that takes the updates of an input, for lines and reactions.
  private typealias Listener = @Sendable (Detection.Update, _ input: MediaAddress, _ zoneNames: [String]) throws -> Void

  /// Searches the inputs, and returns the results of those that were begun, in their order.
  /// - Parameters:
  ///   - reports: The reports that will be written: what they hold is kept.
  ///   - statistics: The table for the statistics of the only input.
  /// - Throws: The error of the only input.
  func search(
    _ inputs: [String], _ zones: ZoneSet, for reports: ReportFiles, _ statistics: StatisticsTable?,
    _ reactions: Reactions, _ console: Console, _ interruption: Interruption
  ) throws -> [SearchedInput] {
    let lines = jsonLines ? EventLines(printsFrames: framesToo, includesBoxes: boxes) : nil
    let table = printsTable ? EventTable(tableColumns(inputs, zones)) : nil
    let listener: Listener = { update, input, zoneNames in
      try lines?.print(update, input: input, zoneNames: zoneNames)
      switch update {
      case .started(let event): reactions.begin(event, input: input)
      case .event(let event, let files):
        try table?.print(event, files: files, input: input)
        reactions.end(event, input: input, files: files)
      case .frame, .peak, .heatMap: break
      }
    }
    let notes = ReportNotes(store: ReportStore(), keepsEvents: reports.needBoxes)
    let retention = reports.isEmpty ? EventRetention.figures : .summaries
    if let fromStatistics { return [try search(self.statistics(fromStatistics, zones), retention, notes, listener)] }
    let joined = try outputs.joined.map {
      try JoinedVideo($0, overwrites: common.overwrite, inputs: inputs)
    }
    // The joined video takes one input after the other.
    let jobs = joined == nil ? many.jobs : 1
    let parallel = ParallelInputs(count: inputs.count, jobs: jobs, threads: common.parallelism)
    let stems = EventOutputs.stems(of: inputs)
    try outputs.outputs(stem: "", encode, common).requireUnprotected(stems: stems)
    let tasks = zip(inputs, stems).map { input, stem in
      var task = detection(input, zones, parallel.parallelism)
      task.outputs = outputs.outputs(stem: stem, encode, common)
      task.outputs.tellsPeaks = reports.needImages
      task.outputs.tellsHeatMap = reports.needImages
      task.outputs.joined = joined
      task.retention = retention
      task.evidence = parts.fromEvidence
      return task
    }
    return try complete(joined, of: tasks, console) {
      guard tasks.count == 1 else { return searchAll(tasks, parallel, notes, console, interruption, listener) }
      let line = ProgressLine(common)
      var last: JobProgress?
      defer { line.finish(last) }
      return [
        try search(tasks[0], notes, statistics, interruption, listener) { progress in
          last = progress
          line.show(progress)
        }
      ]
    }
  }

  /// A Boolean value that tells whether events are printed as a table: nothing else wants standard output, and the
  /// events are not asked for elsewhere.
  private var printsTable: Bool {
    !common.quiet && !jsonLines && report.isEmpty && outputs.standardOutputs.isEmpty && statistics != "-"
  }

  private func tableColumns(_ inputs: [String], _ zones: ZoneSet) -> EventTable.Columns {
    EventTable.Columns(input: inputs.count > 1, zones: zones != .everywhere, clip: outputs.clips != nil)
  }

  /// Does the work, and completes the video that its events are joined in.
  private func complete<Result>(
    _ joined: JoinedVideo?, of tasks: [Detection], _ console: Console, _ work: () throws -> Result
  ) throws -> Result {
    do {
      try joined?.requireOneFormat(tasks)
      let result = try work()
      if let joined, try !joined.finish() { console.note("there is no event: \(joined.path) is not written") }
      return result
    } catch {
      joined?.abandon()
      throw error
    }
  }

  private func search(
    _ kept: DetectionStatistics, _ retention: EventRetention, _ notes: ReportNotes, _ listener: @escaping Listener
  ) throws -> SearchedInput {
    var notes = notes
    let names = kept.zones.measuredNames
    let report = try kept.detect(events.parameters, retention: retention) { update in
      try notes.note(update)
      try listener(update, MediaAddress(kept.source.file), names)
    }
    return SearchedInput(outcome: DetectionOutcome(report), notes: notes)
  }

  private func search(
    _ task: Detection, _ notes: ReportNotes, _ table: StatisticsTable?, _ interruption: Interruption,
    _ listener: @escaping Listener, progress: @escaping (JobProgress) -> Void
  ) throws -> SearchedInput {
    var notes = notes
    let names = task.zones.measuredNames
    func take(_ update: Detection.Update) throws {
      try notes.note(update)
      try listener(update, MediaAddress(task.input), names)
    }
    guard let count = parts.shards else {
      let report = try task.run(interruption: interruption, table: table, progress: progress, onUpdate: take)
      return SearchedInput(outcome: DetectionOutcome(report), notes: notes)
    }
    var sharded = ShardedDetection(task, count: count)
    sharded.groupDuration = parts.groupDuration
    let report = try sharded.run(interruption: interruption, table: table, progress: progress, onUpdate: take)
    return SearchedInput(outcome: DetectionOutcome(report), notes: notes)
  }

  /// Searches several inputs; one that fails does not stop the others.
  private func searchAll(
    _ tasks: [Detection], _ parallel: ParallelInputs, _ notes: ReportNotes, _ console: Console,
    _ interruption: Interruption, _ listener: @escaping Listener
  ) -> [SearchedInput] {
    let progress = ParallelProgress(common, count: tasks.count)
    let found = SharedResults<SearchedInput>(count: tasks.count)
    parallel.forEach(count: tasks.count) { index in
      guard !interruption.isSet else { return }
      do {
        found.set(
          index, try search(tasks[index], notes, nil, interruption, listener) { progress.show(index, $0) })
      } catch {
        console.error("\(error)")
        let outcome = DetectionOutcome(input: tasks[index].input, failure: "\(error)")
        found.set(index, SearchedInput(outcome: outcome, notes: notes))
      }
      progress.end(index)
    }
    progress.finish()
    return found.values
  }

  /// Tells users which inputs cannot be named, and returns that as their results.
  func refuse(_ inputs: [String], _ console: Console) -> [SearchedInput] {
    let notes = ReportNotes(store: ReportStore(), keepsEvents: false)
    return inputs.map { input in
      let error = MediaError(.cannotOpen, FileNames.refusal, file: input)
      console.error("\(error)")
      return SearchedInput(outcome: DetectionOutcome(input: input, failure: "\(error)"), notes: notes)
    }
  }

  /// Tells users the results of the inputs, and ends with the status for them.
  func conclude(_ outcomes: [DetectionOutcome], _ console: Console) throws {
    let reports = outcomes.compactMap(\.report)
    for report in reports { console.note(report) }
    if outcomes.count > 1 {
      let count = reports.reduce(0) { $0 + $1.eventCount }
      let failed = outcomes.count - reports.count
      console.note(
        "\(count) \(count == 1 ? "event" : "events") in \(reports.count) \(reports.count == 1 ? "file" : "files")"
          + (failed > 0 ? "; \(failed) could not be read" : ""))
    }
    if reports.contains(where: \.wasInterrupted) { throw ExitCode.interrupted }
    if reports.isEmpty, !outcomes.isEmpty { throw ExitCode.failure }
    if reports.count < outcomes.count || reports.contains(where: { !$0.gaps.isEmpty }) { throw ExitCode.damagedInput }
    if failWithoutMotion, reports.allSatisfy({ $0.eventCount == 0 }) { throw ExitCode.noMotion }
  }
}
