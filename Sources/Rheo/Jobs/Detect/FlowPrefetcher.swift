// Frames made ready for the analysis, several at a time.
//
// What a frame needs by itself, its reduction and the pyramid for its flow, is done on the threads of this stage, and
// so is the flow of a pair, which needs nothing but the two. Each thread works alone: it has its data in the cache of
// its core and waits for nobody. What only the analysis knows, whether the flow is needed at all, is guessed: as with
// the last frames.

import Foundation
import Imaging
import MotionDetection
import OpticalFlow
import VideoIO

/// A frame as it was read.
struct DecodedFrame: Sendable {
  var frame: VideoFrame
  /// The longest side of the image that is analysed, in pixels.
  var longestSide: Int
  /// The packets that were read for the frame, when an output needs them.
  var packets: [SourcePacket] = []
  /// The time at which the frame was decoded.
  var arrival = ContinuousClock.now
  /// A Boolean value that tells whether the stream broke off before the frame.
  var followsBreak = false
  /// The slot for the frame's pyramid.
  let pyramid = PendingValue<InverseSearchEngine.Prepared>()
  /// The slot for the pyramid of the frame before; nil for the first frame.
  var before: PendingValue<InverseSearchEngine.Prepared>?

  /// Hands what must not be lost of a frame that is dropped on to the one after it.
  static func inherit(_ dropped: DecodedFrame, _ next: inout DecodedFrame) {
    next.packets = dropped.packets + next.packets
    next.followsBreak = next.followsBreak || dropped.followsBreak
    next.before = dropped.before
  }
}

/// The result of a stage for a frame, with the parts of the frame that outputs need.
struct Attached<Value: Sendable>: Sendable {
  var value: Value
  /// The parts of the frame that go along beside the analysis.
  var attachments = FrameAttachments()

  /// Returns the value of the next stage with the same attachments.
  func map<Next>(_ transform: (Value) throws -> Next) rethrows -> Attached<Next> {
    try Attached<Next>(value: transform(value), attachments: attachments)
  }
}

/// The parts of a frame that outputs need, on their way beside the analysis.
struct FrameAttachments: Sendable {
  /// The frame itself, when an output needs it.
  var frame: VideoFrame?
  /// The packets that were read for the frame, when an output needs them.
  var packets: [SourcePacket] = []
  /// The time at which the frame was decoded.
  var arrival = ContinuousClock.now
}

/// Makes frames ready. Used by one thread; the results do not depend on how many there are.
final class FlowPrefetcher {
  private let reduction: FrameReduction
  /// The engines of the two kinds of flow; their pyramids are the same.
  private let (atRest, inMotion): (InverseSearchEngine, InverseSearchEngine)
  private var workspace: InverseSearchEngine.Workspace
  private let prediction: FlowPrediction
  private let keepsFrames: Bool
  /// The pyramids of frames that are done with, to make new ones in.
  private var spare: [InverseSearchEngine.Prepared] = []

  /// The maximum number of pyramids that are kept for later frames.
  private static let spareLimit = 2

  /// - Parameters:
  ///   - size: The size of the frames, in full.
  ///   - prediction: Guesses whether flow is needed, for all threads.
  ///   - keepsFrames: A Boolean value that tells whether the frames themselves are needed afterwards.
  init(size: PixelSize, prediction: FlowPrediction, keepsFrames: Bool) throws {
    reduction = FrameReduction(size: size)
    func engine(_ kind: PairFlow.Kind) throws -> InverseSearchEngine {
      try InverseSearchEngine(parameters: FramePairAnalyzer.flowParameters(kind), parallelism: .serial)
    }
    (atRest, inMotion) = (try engine(.cameraAtRest), try engine(.cameraInMotion))
    workspace = atRest.makeWorkspace()
    self.prediction = prediction
    self.keepsFrames = keepsFrames
  }

  /// Takes a frame that was read. The one before may still be in the hands of another thread.
  func prepare(_ decoded: DecodedFrame) throws -> Attached<AnalyzedFrame> {
    let begin = ContinuousClock.now
    // Whatever becomes of this frame, nobody waits for it forever.
    defer { decoded.pyramid.settle(nil) }
    let frame = decoded.frame
    let image = try reduction.reduce(frame, longestSide: decoded.longestSide)
    var ready = AnalyzedFrame(
      number: frame.number, time: frame.presentationTime, image: image,
      colors: try reduction.reduceColors(frame, size: image.size), followsBreak: decoded.followsBreak)
    if let kind = prediction.expected { ready.flow = flow(kind, of: decoded, image: ready.image) }
    ready.seconds = (ContinuousClock.now - begin) / .seconds(1)
    return Attached(
      value: ready,
      attachments: FrameAttachments(
        frame: keepsFrames ? frame : nil, packets: decoded.packets, arrival: decoded.arrival))
  }

  /// Returns the flow from the frame before; nil when that frame is not at hand.
  private func flow(_ kind: PairFlow.Kind, of decoded: DecodedFrame, image: Plane<Float>) -> PairFlow? {
    let engine = kind == .cameraAtRest ? atRest : inMotion
    var pyramid = spare.popLast() ?? engine.makePrepared()
    engine.prepare(image, into: &pyramid)
    decoded.pyramid.settle(pyramid)
    guard !decoded.followsBreak, let before = decoded.before?.take() else { return nil }
    defer { if spare.count < Self.spareLimit { spare.append(before) } }
    guard before.size == pyramid.size else { return nil }
    return PairFlow(
      kind: kind, field: engine.flow(previous: before, current: pyramid, startingFrom: nil, workspace: &workspace))
  }
}
