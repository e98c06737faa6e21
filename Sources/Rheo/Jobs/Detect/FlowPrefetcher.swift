// Frames made ready for the analysis, several at a time.
//
// What a frame needs by itself, its reduction, is done on the threads of this stage, and so are the differences and the
// flow of a pair, which need nothing but the two. Each thread works alone: it has its data in the cache of its core and
// waits for nobody. What only the analysis knows, whether the flow is needed at all, is guessed: as with the last
// frames.

import Foundation
import Imaging
import MotionDetection
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
  /// The slot for the image that is analysed.
  let image = PendingValue<NumberedImage>()
  /// The slot for the image of the frame before; nil for the first frame.
  var before: PendingValue<NumberedImage>?
  /// The slot for the image of the frame before that; nil where there is none.
  var secondBefore: PendingValue<NumberedImage>?

  /// Hands what must not be lost of a frame that is dropped on to the one after it.
  static func inherit(_ dropped: DecodedFrame, _ next: inout DecodedFrame) {
    next.packets = dropped.packets + next.packets
    next.followsBreak = next.followsBreak || dropped.followsBreak
    (next.before, next.secondBefore) = (dropped.before, dropped.secondBefore)
  }
}

/// An image that is analysed, and the number of its frame.
struct NumberedImage: Sendable {
  var number: Int
  var image: Plane<Float>
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
  private let estimator = PairFlowEstimator(parallelism: .serial)
  private let prediction: FlowPrediction
  private let keepsFrames: Bool

  /// - Parameters:
  ///   - size: The size of the frames, in full.
  ///   - prediction: Guesses whether flow is needed, for all threads.
  ///   - keepsFrames: A Boolean value that tells whether the frames themselves are needed afterwards.
  init(size: PixelSize, prediction: FlowPrediction, keepsFrames: Bool) {
    reduction = FrameReduction(size: size)
    self.prediction = prediction
    self.keepsFrames = keepsFrames
  }

  /// Takes a frame that was read. The one before may still be in the hands of another thread.
  func prepare(_ decoded: DecodedFrame) throws -> Attached<AnalyzedFrame> {
    let begin = ContinuousClock.now
    // Whatever becomes of this frame, nobody waits for it forever.
    defer { decoded.image.settle(nil) }
    let frame = decoded.frame
    let image = try reduction.reduce(frame, longestSide: decoded.longestSide)
    decoded.image.settle(NumberedImage(number: frame.number, image: image))
    var ready = AnalyzedFrame(
      number: frame.number, time: frame.presentationTime, image: image,
      colors: try reduction.reduceColors(frame, size: image.size), followsBreak: decoded.followsBreak)
    if let before = earlier(decoded)?.value(), before.image.size == image.size {
      estimator.prepare(&ready, after: before.image, expecting: prediction.expected)
      ready.comparedNumber = before.number
    }
    ready.seconds = (ContinuousClock.now - begin) / .seconds(1)
    return Attached(
      value: ready,
      attachments: FrameAttachments(
        frame: keepsFrames ? frame : nil, packets: decoded.packets, arrival: decoded.arrival))
  }

  /// Returns the slot for the image that a frame will most likely be compared with; nil: with none.
  private func earlier(_ decoded: DecodedFrame) -> PendingValue<NumberedImage>? {
    guard !decoded.followsBreak else { return nil }
    guard prediction.isThinning else { return decoded.before }
    return decoded.frame.number % 2 != 0 ? nil : decoded.secondBefore
  }
}
