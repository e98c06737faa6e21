// Parts of one or more inputs in one file, one after the other.

import CFFmpeg
import Imaging

/// Writes parts into a file in the order in which they were begun, with times that go on from zero. Used by one thread.
package final class JoinedWriter {
  private enum Target {
    case copy(Muxer)
    case encode(VideoWriter, CanvasMaker)
  }

  /// The memory that packets may take which wait for the parts ahead of theirs, in bytes; chosen by hand.
  package var waitingByteLimit = PacketRing.standardByteLimit

  private let path: String
  private let target: Target
  /// The notes on what could not be carried over, and why: one line each.
  package let notes: [String]
  private let streams: CopiedStreams
  private var timeline: JoinedTimeline
  /// The streams that the latest part came from.
  private var input: CopiedStreams
  /// The parts that are not complete; the first one is written.
  private var parts: [JoinedPart] = []

  /// - Parameters:
  ///   - path: A file, or `-` for standard output; its ending says which container, unless the options do.
  ///   - streams: The streams of the first input.
  ///   - encodes: A Boolean value that tells whether parts are encoded anew, not copied.
  ///   - inputs: The files that are read meanwhile; none of them is replaced.
  /// - Throws: ``MediaError``.
  package init(
    _ path: String, streams: CopiedStreams, encodes: Bool, options: EncoderOptions, inputs: [String]
  ) throws {
    self.path = path
    self.streams = streams
    input = streams
    guard encodes else {
      let (muxer, notes) = try Muxer.copying(
        streams, to: path, format: options.format, overwrite: options.overwrites, inputs: inputs, shift: nil)
      target = .copy(muxer)
      timeline = JoinedTimeline(timeBase: streams.videoStream.pointee.time_base.rational)
      self.notes = notes
      return
    }
    let zero = MediaTime(value: 0, timeBase: streams.video.timeBase)
    let writer = try VideoWriter(path, options: options, streams: streams, start: zero, inputs: inputs)
    target = .encode(writer, CanvasMaker(format: writer.canvasFormat))
    timeline = JoinedTimeline(timeBase: streams.video.timeBase)
    notes = writer.notes
  }

  /// Returns a new part, which is written after all that were begun before.
  /// - Parameters:
  ///   - input: The streams that its packets come from.
  ///   - start: The time of its first frame.
  ///   - reading: The options with which the input is read.
  ///   - draw: Changes each image that is encoded.
  /// - Throws: ``MediaError``.
  package func part(
    of input: CopiedStreams, from start: MediaTime, reading: VideoReader.Options,
    draw: @escaping (MutableImageView) -> Void
  ) throws -> any ClipSink {
    let part = JoinedPart(self, input: input, start: start)
    if case .encode(let writer, let maker) = target {
      part.decoder = try ClipDecoder(input, start: start, reading: reading) { [unowned self] frame in
        // Filters that change times leave durations as they were.
        let seconds =
          reading.filter == nil ? Double(frame.duration) * frame.presentationTime.timeBase.doubleValue : 0
        try encode(frame, seconds, by: writer, maker, draw)
      }
    }
    parts.append(part)
    return part
  }

  /// Completes the file and gives it its final name.
  package func finish() throws {
    switch target {
    case .copy(let muxer):
      do { try muxer.finish() } catch let error as MediaError { throw error.naming(muxer.path) }
    case .encode(let writer, _): try writer.finish()
    }
  }

  /// Gives the file up: nothing of it stays.
  package func abandon() {
    switch target {
    case .copy(let muxer): muxer.discard()
    case .encode(let writer, _): writer.abandon()
    }
  }

  // MARK: Steps of parts

  /// Returns whether it is a part's turn.
  func isFirst(_ part: JoinedPart) -> Bool { parts.first === part }

  /// Ends a part, and lets the next one write what it has got.
  func end(_ part: JoinedPart) throws {
    remove(part)
    try parts.first?.writeWaiting()
  }

  /// Gives up what was not written of a part.
  func remove(_ part: JoinedPart) { parts.removeAll { $0 === part } }

  /// - Throws: ``MediaError`` `cannotWrite` when a packet is one too many to wait for the parts ahead of its own.
  func requireRoom(for packet: SourcePacket) throws {
    guard parts.reduce(packet.byteCount, { $0 + $1.waitingByteCount }) <= waitingByteLimit else {
      throw MediaError(
        .cannotWrite, "events of several inputs wait for one that does not end; read one input after the other",
        file: path)
    }
  }

  /// Begins to write a part whose times follow those before.
  /// - Parameter packet: The packet that it begins with.
  func begin(_ part: JoinedPart, with packet: SourcePacket) {
    if part.input !== input { timeline.beginInput() }
    input = part.input
    let raw = packet.pointer.pointee
    var delay: Int64 = 0
    if part.decoder == nil, raw.pts != RHEO_NO_TIME, raw.dts != RHEO_NO_TIME {
      let base = input.videoStream.pointee.time_base.rational
      let ticks = MediaTime(value: max(0, raw.pts.subtractingSaturated(raw.dts)), timeBase: base)
      delay = ticks.rescaled(to: timeline.timeBase).value
    }
    timeline.beginPart(at: part.start, delay: delay)
  }

  /// Writes a packet of the present part's video, or of its sound.
  func copy(_ packet: SourcePacket) throws {
    guard let time = packet.time, let index = input.inputIndices.firstIndex(of: packet.streamIndex),
      streams.streams.indices.contains(index)
    else { return }
    let (number, stream) = streams.streams[index]
    if packet.isVideo {
      try input.requireTimes(of: packet)
      guard timeline.takes(frameAt: time) else { return }
    } else {
      guard timeline.takes(soundAt: time, duration: packet.duration, stream: number) else { return }
    }
    // There is no such number as −Int64.min, which stands for all times that these ticks cannot count.
    let back = MediaTime(value: Int64(0).subtractingSaturated(timeline.shift.value), timeBase: timeline.timeBase)
    let moved = try packet.moved(from: input.streams[index].stream, to: stream, shift: back)
    moved.pointer.pointee.stream_index = Int32(number)
    if packet.isVideo {
      let decodingTime = moved.pointer.pointee.dts
      _ = timeline.note(
        frameAt: time, duration: duration(packet.duration),
        decodingTime: decodingTime == RHEO_NO_TIME ? nil : decodingTime)
    }
    let media = try MediaPacket(sharing: moved.pointer)
    switch target {
    case .copy(let muxer):
      do { try muxer.write(media) } catch let error as MediaError { throw error.naming(muxer.path) }
    case .encode(let writer, _): try writer.write(media)
    }
  }

  private func encode(
    _ frame: VideoFrame, _ seconds: Double, by writer: VideoWriter, _ maker: CanvasMaker,
    _ draw: (MutableImageView) -> Void
  ) throws {
    let time = frame.presentationTime
    guard timeline.takes(frameAt: time) else { return }
    let shown = timeline.note(frameAt: time, duration: duration(seconds))
    let canvas = try maker.canvas(for: VideoFrame(buffer: frame.buffer, number: 0, presentationTime: shown))
    try canvas.withMutableImage(draw)
    try maker.pad(canvas)
    try writer.append(canvas)
  }

  /// Returns the seconds for which a frame shows, those of the frame rate where it does not say.
  private func duration(_ seconds: Double) -> Double {
    seconds > 0 ? seconds : input.video.frameRate.map { 1 / $0.doubleValue } ?? 0
  }
}
