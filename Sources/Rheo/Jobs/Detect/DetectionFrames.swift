import Imaging
import MotionDetection
import VideoIO

/// Makes of the frames of an input what the analysis begins with. Used by the thread that reads them.
struct DetectionFrames: FrameTransform {
  /// The reader that the frames come from.
  let reader: StreamReader
  let watch: LiveWatch
  let scale: AnalysisScale
  /// A Boolean value that tells whether an output needs the packets.
  let keepsPackets: Bool
  /// The store for the packets that were read after the last frame.
  let lastPackets: SharedValue<[SourcePacket]>
  private var knownBreaks = 0
  private var (before, secondBefore): (PendingValue<NumberedImage>?, PendingValue<NumberedImage>?)

  init(
    reader: StreamReader, watch: LiveWatch, scale: AnalysisScale, keepsPackets: Bool,
    lastPackets: SharedValue<[SourcePacket]>
  ) {
    self.reader = reader
    self.watch = watch
    self.scale = scale
    self.keepsPackets = keepsPackets
    self.lastPackets = lastPackets
  }

  /// The maximum number of frames that wait.
  private static let capacity = 4

  /// Returns a queue for the frames. Those of a live input do not wait: the oldest one goes.
  static func queue(isLive: Bool, _ watch: LiveWatch) -> BoundedQueue<DecodedFrame> {
    guard isLive else { return BoundedQueue(capacity: capacity) }
    return BoundedQueue(capacity: capacity) { dropped, next in
      DecodedFrame.inherit(dropped, &next)
      watch.noteDropped()
    }
  }

  mutating func append(_ frame: VideoFrame) throws -> DecodedFrame {
    var next = DecodedFrame(
      frame: frame, longestSide: scale.longestSide, followsBreak: reader.reconnectionCount > knownBreaks,
      before: before, secondBefore: secondBefore)
    knownBreaks = reader.reconnectionCount
    (before, secondBefore) = (next.image, next.followsBreak ? nil : before)
    if keepsPackets { next.packets = try reader.takePackets() }
    if reader.isLive { watch.noteReceived() }
    return next
  }

  func finish(isComplete: Bool) throws -> DecodedFrame? {
    lastPackets.value = try reader.takePackets()
    return nil
  }
}
