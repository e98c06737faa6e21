import CFFmpeg
import Imaging

/// The streams of an input that go on in another connection to it: the video, and sounds of the same kind in their
/// order.
struct ContinuedStreams {
  private let connection: Demuxer
  /// Streams of the first connection by the numbers of those that go on with them.
  private let targets: [Int: UnsafeMutablePointer<AVStream>]

  /// - Parameters:
  ///   - first: The first connection, which describes the streams and outlives this value.
  ///   - next: Another connection.
  init(of first: VideoReader, in next: VideoReader) {
    connection = next.demuxer
    var targets = [Int(next.stream.pointee.index): first.stream]
    for (own, other) in zip(next.demuxer.sounds, first.demuxer.sounds) where own.isSameKind(as: other) {
      targets[Int(own.pointee.index)] = other
    }
    self.targets = targets
  }

  /// Returns those of the connection's packets that go on, as packets of the first connection.
  /// - Throws: ``MediaError`` `outOfMemory`.
  func moved(_ packets: [SourcePacket], by offset: MediaTime) throws -> [SourcePacket] {
    try packets.compactMap { packet in
      guard let target = targets[packet.streamIndex] else { return nil }
      return try packet.moved(from: connection.streams[packet.streamIndex], to: target, shift: offset)
    }
  }
}

extension Demuxer {
  fileprivate var sounds: [UnsafeMutablePointer<AVStream>] {
    streams.filter { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// Returns whether packets of the two streams can be decoded one after the other.
  func isSameKind(as other: Self) -> Bool {
    let (a, b) = (pointee.codecpar.pointee, other.pointee.codecpar.pointee)
    return a.codec_id == b.codec_id && a.sample_rate == b.sample_rate
      && a.ch_layout.nb_channels == b.ch_layout.nb_channels
      && UnsafeRawBufferPointer(start: a.extradata, count: Int(a.extradata_size))
        .elementsEqual(UnsafeRawBufferPointer(start: b.extradata, count: Int(b.extradata_size)))
  }
}
