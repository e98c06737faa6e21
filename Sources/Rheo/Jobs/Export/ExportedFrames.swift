// The input of an export as tasks for its threads, with those left out that an earlier run has written.

import FlowAnalysis
import Imaging
import VideoIO

/// Makes tasks of the input's frames. Used by the thread that reads them.
struct ExportedFrames: FrameTransform {
  private var pairs: PairSequence
  /// The times of the pairs that are written already.
  private let done: [ExportRecord.Times]
  /// A Boolean value that tells whether the flow of a pair needs the pairs before it.
  private let needsAll: Bool
  private let output: String
  /// A value that tells whether the last frame has been read: an interruption after that changes nothing.
  private let isAtEnd: SharedValue<Bool>

  init(_ export: FlowExport, done: [ExportRecord.Times], isAtEnd: SharedValue<Bool>) {
    pairs = PairSequence(step: export.reading.range.every)
    self.done = done
    needsAll = !FlowPairHandler.serves(export.flow)
    output = export.output
    self.isAtEnd = isAtEnd
  }

  /// Returns the task of the next frame.
  /// - Throws: `MediaError`; `outputExists` when the pair that is written lies at other times.
  mutating func append(_ frame: VideoFrame) throws -> PairTask {
    var task = try pairs.append(frame)
    task.wantsFlow = task.number > done.count
    task.isAnalysed = task.number >= done.count || needsAll
    if let previous = task.previous, !task.wantsFlow { try check(task.number, previous, frame) }
    return task
  }

  /// Checks at the end of the input that it had all the pairs that are written.
  func finish(isComplete: Bool) throws -> PairTask? {
    guard isComplete else { return nil }
    isAtEnd.value = true
    let count = pairs.pairCount
    if count < done.count { throw mismatch("the input ends after \(count) pairs; \(done.count) are there") }
    return nil
  }

  private func check(_ number: Int, _ previous: VideoFrame, _ current: VideoFrame) throws {
    let times = ExportRecord.Times(PairRecord.Frame(previous), PairRecord.Frame(current))
    guard times != done[number - 1] else { return }
    throw mismatch("pair \(number) of the input lies at other times than the one that is there")
  }

  private func mismatch(_ text: String) -> MediaError {
    MediaError(.outputExists, "\(text): it was made from another input; --overwrite begins anew", file: output)
  }
}
