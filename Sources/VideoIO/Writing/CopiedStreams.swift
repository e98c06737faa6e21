// The facts that clips need about the streams that they are copied from.

import CFFmpeg
import Imaging

/// The video and the sound of an input, described once, so that clips can be written while another thread reads on.
///
/// SAFETY (unchecked Sendable): `context` and what it owns are written in `init` only.
package final class CopiedStreams: @unchecked Sendable {
  /// Streams that belong to no file: they carry descriptions.
  private let context: UnsafeMutablePointer<AVFormatContext>
  /// The number in the input of each of them.
  let inputIndices: [Int]
  /// The index of the video among them.
  private let videoIndex: Int
  let video: VideoFormat
  let tags: ColorTags
  let frameRate: Rational?
  let metadata: [(key: String, value: String)]
  /// The input, as messages call it.
  package let path: String

  /// - Parameters:
  ///   - reader: Whose first frame has been decoded, and which no other thread uses meanwhile.
  ///   - includesAudio: A Boolean value that tells whether there is to be sound.
  /// - Throws: ``MediaError``.
  package init(_ reader: VideoReader, includesAudio: Bool = true) throws {
    video = try reader.videoFormat()
    tags = reader.firstTags
    frameRate = reader.streamRate
    path = reader.path
    metadata = StreamMetadata.container(reader.demuxer.context.pointee.metadata)
    context = try allocated(avformat_alloc_context(), "stream descriptions")
    let streams = reader.demuxer.streams.filter { stream in
      if stream == reader.stream { return true }
      let isAudio = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
      return includesAudio && isAudio && reader.isDecodable(stream)
    }
    inputIndices = streams.map { Int($0.pointee.index) }
    videoIndex = streams.firstIndex(of: reader.stream) ?? 0
    for stream in streams {
      let copy = try allocated(avformat_new_stream(context, nil), "a stream")
      try check(
        avcodec_parameters_copy(copy.pointee.codecpar, stream.pointee.codecpar), .outOfMemory, "describing a stream")
      try check(rheo_copy_stream_side_data(copy, stream), .outOfMemory, "describing a stream")
      copy.pointee.time_base = stream.pointee.time_base
      copy.pointee.disposition = stream.pointee.disposition
      copy.pointee.avg_frame_rate = stream.pointee.avg_frame_rate
      copy.pointee.sample_aspect_ratio = av_guess_sample_aspect_ratio(nil, stream, nil)
      for (key, value) in readDictionary(stream.pointee.metadata) {
        try check(av_dict_set(&copy.pointee.metadata, key, value, 0), .outOfMemory, "describing a stream")
      }
    }
  }

  deinit { avformat_free_context(context) }

  /// Descriptions in the order of the input, with the numbers that they have there.
  var streams: [(inputIndex: Int, stream: UnsafeMutablePointer<AVStream>)] {
    inputIndices.enumerated().compactMap { position, index in context.pointee.streams[position].map { (index, $0) } }
  }

  var videoStream: UnsafeMutablePointer<AVStream> { context.pointee.streams[videoIndex]! }

  /// The numbers of the sounds in the input.
  package var audioIndices: Set<Int> {
    Set(inputIndices.enumerated().filter { $0.offset != videoIndex }.map(\.element))
  }

  // MARK: Containers

  /// The ending of the file names of clips that are copied: mp4 if that holds all streams, else mkv.
  package var copyEnding: String { Self.ending { fits(into: $0) } }

  /// Returns the ending of the file names of clips that are encoded: that of the options' format, else mp4 if that
  /// holds all streams, else mkv.
  /// - Throws: ``MediaError`` `invalidOption` for formats that FFmpeg does not know.
  package func ending(encoding options: EncoderOptions) throws -> String {
    if let format = options.format {
      let container = try Muxer.outputFormat(path: "clip", format: format)
      let endings = container.pointee.extensions.map { String(cString: $0) } ?? format
      return endings.split(separator: ",").first.map(String.init) ?? format
    }
    let codec = options.codec.flatMap { avcodec_find_encoder_by_name($0) }?.pointee.id
    return Self.ending { container in
      fits(into: container, video: codec ?? AV_CODEC_ID_H264)
    }
  }

  private static func ending(_ fits: (UnsafePointer<AVOutputFormat>) -> Bool) -> String {
    av_guess_format("mp4", nil, nil).map(fits) == true ? "mp4" : "mkv"
  }

  private func fits(into container: UnsafePointer<AVOutputFormat>, video: AVCodecID? = nil) -> Bool {
    streams.allSatisfy { _, stream in
      let id = stream == videoStream ? video : nil
      return avformat_query_codec(
        container, id ?? stream.pointee.codecpar.pointee.codec_id, FF_COMPLIANCE_NORMAL) == 1
    }
  }
}
