// The middle of an export: frames in, the flow of their pairs out, without those that an earlier run has written.

import FlowAnalysis
import Imaging
import Registration
import VideoIO

/// Used by one thread.
final class PairAnalysis: @unchecked Sendable {
  // SAFETY (unchecked Sendable): `count` is touched by the analysing thread alone.
  private let request: OpticalFlowRequest
  private let compensation: TransformModel
  private let quantities: [ExportedQuantity]
  /// Of frames, every n-th is read.
  private let step: Int
  /// The times of the pairs that are written already.
  private let done: [ExportRecord.Times]
  private let parallelism: Parallelism
  private let output: String
  /// Pairs seen so far.
  private var count = 0

  init(
    _ export: FlowExport, quantities: [ExportedQuantity], done: [ExportRecord.Times]
  ) {
    var request = export.flow
    if export.includesConfidence { request.direction = .both }
    self.request = request
    self.quantities = quantities
    self.done = done
    compensation = export.compensation
    step = export.reading.range.every
    parallelism = export.parallelism
    output = export.output
  }

  func run(
    from decoded: BoundedQueue<VideoFrame>, to analysed: BoundedQueue<ExportedPair>, clock: StageClock
  ) throws {
    let handler = SequenceRequestHandler(parallelism: parallelism)
    let luma = LumaExtractor(parallelism: parallelism)
    var camera = CameraCompensation(model: compensation, parallelism: parallelism)
    var last: VideoFrame?
    while let frame = decoded.pop() {
      if let last {
        if frame.followsGap(after: last, step: step) { handler.forgetMotion() }
        count += 1
        if count <= done.count { try check(last, frame) }
      }
      // Flow depends on the two frames alone, so what is written need not be computed again, but for a warm start.
      let isNeeded = count >= done.count || request.startsFromLastFlow
      let seen =
        isNeeded
        ? try clock.time {
          let image = try luma.luma(of: frame)
          return (observation: try handler.perform(request, on: image), camera: camera?.append(image))
        } : nil
      if let last, let observation = seen?.observation, count > done.count {
        let pair = ExportedPair(
          number: count, previous: PairRecord.Frame(last), current: PairRecord.Frame(frame), observation: observation,
          cameraMotion: seen?.camera, quantities: quantities, parallelism: parallelism)
        guard analysed.push(pair) else { return }
      }
      last = frame
    }
  }

  /// At the end of the input: whether it had all the pairs that are written.
  func checkEnd() throws {
    if count < done.count { throw mismatch("the input ends after \(count) pairs; \(done.count) are there") }
  }

  private func check(_ previous: VideoFrame, _ current: VideoFrame) throws {
    let times = ExportRecord.Times(PairRecord.Frame(previous), PairRecord.Frame(current))
    guard times != done[count - 1] else { return }
    throw mismatch("pair \(count) of the input lies at other times than the one that is there")
  }

  private func mismatch(_ text: String) -> MediaError {
    MediaError(.outputExists, "\(text): it was made from another input; --overwrite begins anew", file: output)
  }
}
