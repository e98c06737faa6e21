// Files of streams that are copied.

import CFFmpeg
import Imaging

extension Muxer {
  /// Begins a file of copied streams.
  /// - Parameters:
  ///   - streams: The streams; packets go by their numbers in the input.
  ///   - path: A file, or `-` for standard output; its ending says which container, unless `format` does.
  ///   - shift: The time that is taken off the times of the packets; what begins before it is dropped.
  /// - Returns: The muxer, and a line for each sound that the container does not take.
  /// - Throws: ``MediaError``.
  static func copying(
    _ streams: CopiedStreams, to path: String, format: String? = nil, overwrite: Bool, inputs: [String] = [],
    shift: MediaTime?
  ) throws -> (Muxer, notes: [String]) {
    let container = try outputFormat(path: path, format: format)
    var notes: [String] = []
    do {
      let muxer = try Muxer(path: path, format: container, overwrite: overwrite, inputs: inputs)
      try muxer.setMetadata(&muxer.context.pointee.metadata, streams.metadata)
      let name = String(cString: container.pointee.name)
      for (index, stream) in streams.streams {
        let codec = stream.pointee.codecpar.pointee.codec_id
        if avformat_query_codec(container, codec, FF_COMPLIANCE_NORMAL) == 0, streams.audioIndices.contains(index) {
          notes.append(VideoWriter.leftOut("audio", index, codec, name))
        } else {
          try muxer.addCopy(of: stream, as: index)
        }
      }
      let base = streams.videoStream.pointee.time_base.rational
      try muxer.start(options: muxer.settings(path: path, container: name, timeBase: base), shift: shift)
      return (muxer, notes)
    } catch let error as MediaError { throw error.naming(path == "-" ? "standard output" : path) }
  }
}

extension CopiedStreams {
  /// Throws where the container does not say when frames show. Where frames are stored in another order than they are
  /// shown in, the decoding time is no guess at when they show.
  /// - Throws: ``MediaError`` `cannotWrite`.
  func requireTimes(of packet: SourcePacket) throws {
    let delay = videoStream.pointee.codecpar.pointee.video_delay
    guard packet.pointer.pointee.pts == RHEO_NO_TIME, delay > 0 || packet.time == nil else { return }
    throw MediaError(
      .cannotWrite, "the container does not say when frames show, so clips cannot be copied; encode them", file: path)
  }
}
