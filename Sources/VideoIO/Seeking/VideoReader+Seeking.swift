// Going to the key frame before a range.

import CFFmpeg
import Foundation
import Imaging

/// The way in which a reader reached the first frame of its range.
package enum SeekApproach: Sendable, Hashable {
  /// Decoding from the beginning. The reason is nil where there was nothing to gain.
  case beginning(reason: String?)
  /// Decoding from the key frame with this number.
  case keyFrame(number: Int)
}

extension VideoReader {
  /// Formats whose packets come from several files.
  private static let composedFormats: Set<String> = ["hls", "dash", "concat", "sdp", "imf"]

  /// Goes to the key frame before `start`.
  /// - Parameter path: The input, as it was given.
  /// - Returns: The packets and frames that have to come until the range begins, and the number of packets of the video
  ///   before the next one; nil when decoding from the beginning is no more work.
  /// - Throws: ``SeekRefusal``, ``MediaError``; then the input has to be opened again.
  func approach(_ start: MediaRange.Position, in path: String) throws -> (WarmUp, Int)? {
    guard options.seeks, !options.followsRestarts else { return nil }
    switch start {
    case .seconds(let seconds) where seconds <= 0: return nil
    case .frame(let number) where number <= 0: return nil
    default: break
    }
    try requireCountableFrames()
    let search = try FrameSearch(start, in: demuxer, stream) { try packetIndex(of: path, upTo: start, $0) }
    guard try search.isWorthwhile else { return nil }
    let beginning = try decodeBeginning(search.scan)
    guard let (index, plan) = try search.plan(after: beginning) else {
      try startAnew(path)
      return nil
    }
    let packetsBefore = try search.jump(along: plan, in: index)
    avcodec_flush_buffers(source.decoder.context.pointer)
    let origin = MediaTime(value: beginning.frames[0], timeBase: stream.pointee.time_base.rational)
    return (WarmUp(plan, in: index, origin: origin), packetsBefore)
  }

  /// - Throws: ``SeekRefusal`` when the packets of the input do not tell how many frames it has.
  func requireCountableFrames() throws(SeekRefusal) {
    guard demuxer.isFile, !Self.composedFormats.contains(demuxer.formatName) else {
      throw SeekRefusal("only a file is searched")
    }
    guard options.filter == nil else { throw SeekRefusal("filters may remember frames") }
  }

  /// Ends what comes before the first frame from the key frame on, as decoding from the beginning does.
  func resume(behind warmUp: WarmUp) throws {
    let time = clock.time(
      of: warmUp.plan.previousTime, timeBase: source.preparation.timeBase, frameRate: source.preparation.frameRate)
    decodedCount = warmUp.plan.number
    selection.resume(at: decodedCount - 1, origin: warmUp.origin)
    guard selection.decide(time) == .skip else { throw SeekRefusal("the range begins before the key frame") }
    try router.skip(time)
  }

  // MARK: Steps

  /// Returns the index beside the video where that is wanted and there is one; otherwise one of the packets up to
  /// `start`, or of all where there is no `start` or they are to be kept.
  func packetIndex(
    of path: String, upTo start: MediaRange.Position?, _ scan: PacketScan
  ) throws -> PacketIndex {
    let file = options.keepsPacketIndex ? PacketIndexFile(of: path, stream: stream) : nil
    if let kept = file?.read() { return kept }
    let other = try Demuxer(path, options)
    let index = try FrameSearch.packets(
      of: other, other.streams[Int(stream.pointee.index)], upTo: file == nil ? start : nil, scan)
    do {
      try file?.write(index)
    } catch {
      FFmpegLog.note("\(self.path): the packet index cannot be kept: \(error.localizedDescription)")
    }
    return index
  }

  /// Decodes the first frames, and learns from the first one what the reader keeps of it.
  private func decodeBeginning(_ scan: PacketScan) throws -> FrameSearch.Beginning {
    var beginning = FrameSearch.Beginning()
    let packet = try OwnedPacket()
    while beginning.frames.count < FrameSearch.Beginning.frameCount {
      switch try source.decoder.receive() {
      case .frame(let frame):
        guard !frame.isDamaged else { throw SeekRefusal("the first frames are damaged") }
        beginning.frames.append(frame.pointer.pointee.best_effort_timestamp)
        if beginning.frames.count == 1 {
          try source.preparation.accept(frame)
          source.preparation.discard()
        }
      case .needsPacket:
        guard try demuxer.read(packet.pointer, of: stream) else { throw SeekRefusal("the video is short") }
        beginning.packets.append(try scan.entry(of: packet.pointer))
        beginning.decodingTimes.append(packet.pointer.pointee.dts)
        try source.decoder.send(packet.pointer)
      case .finished: throw SeekRefusal("the video is short")
      }
    }
    try beginning.countUndecodable()
    return beginning
  }
}

extension FrameSearch.Beginning {
  /// Counts the frames ahead of the first one that was decoded, and checks that all after it were.
  mutating func countUndecodable() throws(SeekRefusal) {
    let times = packets.filter { !$0.isDiscarded }.map(\.time).sorted()
    guard let first = times.firstIndex(of: frames[0]), times[first...].starts(with: frames) else {
      throw SeekRefusal("the first packets are not frames one by one")
    }
    undecodableCount = first
  }
}

extension FrameBuffer {
  /// A Boolean value that tells whether the decoder says that the data were damaged.
  var isDamaged: Bool {
    pointer.pointee.decode_error_flags != 0 || pointer.pointee.flags & Int32(AV_FRAME_FLAG_CORRUPT) != 0
  }
}
