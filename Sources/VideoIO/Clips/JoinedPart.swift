import Imaging

/// A part of an input that goes into a file with others. What it gets before the parts ahead of it are complete waits:
/// of one input, no more than what is read while their last sound is waited for; of several that are read at the same
/// time, no more than ``JoinedWriter/waitingByteLimit``. Used by one thread.
final class JoinedPart: ClipSink {
  private enum Step {
    case packet(SourcePacket)
    case advance(MediaTime)
    case finishVideo
    case end
  }

  private let writer: JoinedWriter
  let input: CopiedStreams
  /// The time of its first frame.
  let start: MediaTime
  /// The decoder of its frames; nil where packets are copied.
  var decoder: ClipDecoder?
  private var waiting: [Step] = []
  /// The memory that the packets in `waiting` take, in bytes.
  private(set) var waitingByteCount = 0
  private var isBegun = false

  init(_ writer: JoinedWriter, input: CopiedStreams, start: MediaTime) {
    (self.writer, self.input, self.start) = (writer, input, start)
  }

  var notes: [String] { writer.notes }
  var keepsWholeGroups: Bool { decoder == nil }

  func append(_ packet: SourcePacket) throws { try take(.packet(packet)) }
  func advance(to end: MediaTime) throws { try take(.advance(end)) }
  func finishVideo() throws { try take(.finishVideo) }
  func finish() throws { try take(.end) }

  /// Ends the part with what was written of it; the file goes on.
  func abandon() {
    (waiting, waitingByteCount) = ([], 0)
    writer.remove(self)
  }

  /// Writes what has waited, once it is the part's turn.
  func writeWaiting() throws {
    let steps = waiting
    (waiting, waitingByteCount) = ([], 0)
    for step in steps { try write(step) }
  }

  private func take(_ step: Step) throws {
    if writer.isFirst(self) { return try write(step) }
    if case .packet(let packet) = step {
      try writer.requireRoom(for: packet)
      waitingByteCount += packet.byteCount
    }
    waiting.append(step)
  }

  private func write(_ step: Step) throws {
    switch step {
    case .packet(let packet):
      if !isBegun { writer.begin(self, with: packet) }
      isBegun = true
      if packet.isVideo, let decoder { try decoder.append(packet) } else { try writer.copy(packet) }
    case .advance(let end): try decoder?.advance(to: end)
    case .finishVideo: try decoder?.finish()
    case .end: try writer.end(self)
    }
  }
}
