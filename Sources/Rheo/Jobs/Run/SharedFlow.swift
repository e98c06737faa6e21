// The flow of pairs that several jobs want.

import FlowAnalysis
import Foundation
import Imaging
import Registration

/// Computes the flow of each pair of frames once for jobs that ask for the same one. Whichever job comes to a pair
/// first computes it; the others wait for the result.
///
/// SAFETY (unchecked Sendable): all state is guarded by `condition`.
final class SharedFlow: @unchecked Sendable {
  /// A pair that some job has come to.
  private struct Entry {
    /// The store for what is computed of the pair's second frame alone.
    let analysed = PendingValue<AnalysedFrame>()
    var isClaimed = false
    var result: Result<AnalysedPair?, any Error>?
    /// The number of jobs that have not taken the result.
    var remaining: Int
  }

  /// The request that serves all jobs.
  let request: OpticalFlowRequest
  /// The model of the camera's motion that serves all jobs.
  let compensation: TransformModel
  /// The findings besides the flow that serve all jobs.
  let findings: PairFindings
  private let jobCount: Int
  private let condition = NSCondition()
  private var entries: [Int: Entry] = [:]

  init(
    request: OpticalFlowRequest, compensation: TransformModel, findings: PairFindings = .flow, jobCount: Int
  ) {
    self.request = request
    self.compensation = compensation
    self.findings = findings
    self.jobCount = jobCount
  }

  /// Returns the request that stands for all whose jobs can share their flow; nil when the flow of a pair depends on
  /// the pairs before it.
  static func kind(of request: OpticalFlowRequest) -> OpticalFlowRequest? {
    guard FlowPairHandler.serves(request) else { return nil }
    var request = request
    // Forward flow is the same whether its confidence is measured or not.
    if request.direction == .forward { request.measuresConfidence = false }
    return request
  }

  /// Returns the result for a task, which `compute` makes unless another job does.
  func result(of task: PairTask, _ compute: (PairTask) throws -> AnalysedPair?) throws -> AnalysedPair? {
    if let mine = claim(task) {
      let result = Result { try compute(mine) }
      condition.lock()
      entries[task.number]?.result = result
      condition.broadcast()
      condition.unlock()
    }
    return try take(task.number).get()
  }

  /// Returns the task with the stores that all jobs share; nil when another job has claimed it.
  private func claim(_ task: PairTask) -> PairTask? {
    condition.lock()
    defer { condition.unlock() }
    var entry = entries[task.number] ?? Entry(remaining: jobCount)
    guard !entry.isClaimed else { return nil }
    entry.isClaimed = true
    entries[task.number] = entry
    var task = task
    task.analysed = entry.analysed
    if task.number > 0 {
      // A job takes its tasks in order, so that some thread has come, or is about to come, to the pair before.
      let before = entries[task.number - 1] ?? Entry(remaining: jobCount)
      entries[task.number - 1] = before
      task.before = before.analysed
    }
    return task
  }

  private func take(_ number: Int) -> Result<AnalysedPair?, any Error> {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = entries[number]?.result {
        entries[number]?.remaining -= 1
        removeUnneeded()
        return result
      }
      condition.wait()
    }
  }

  /// Forgets the pairs that all jobs have taken; the frame of each must have gone to the pair behind.
  private func removeUnneeded() {
    entries = entries.filter { number, entry in
      entry.remaining > 0 || entries[number + 1]?.isClaimed != true
    }
  }
}

/// Takes the flow of pairs from what several jobs share, as far as its own job asks for it. Used by one thread.
final class SharedPairAnalyzer: PairAnalyzer {
  private let shared: SharedFlow
  private let analyzer: IndependentPairAnalyzer
  private let own: PairAnalysis

  init(_ own: PairAnalysis, _ shared: SharedFlow) throws {
    self.own = own
    self.shared = shared
    let all = PairAnalysis(
      request: shared.request, compensation: shared.compensation, size: own.size, findings: shared.findings,
      parallelism: own.parallelism)
    analyzer = try IndependentPairAnalyzer(all, parallelism: own.threadParallelism)
  }

  func analyse(_ task: PairTask) throws -> AnalysedPair? {
    guard task.current != nil else { return nil }
    guard var pair = try shared.result(of: task, analyzer.analyse) else { return nil }
    if own.compensation == .identity { pair.cameraMotion = nil }
    if own.request.direction == .forward, !own.request.measuresConfidence {
      pair.observation = pair.observation.withoutConfidence
    }
    return pair
  }
}
