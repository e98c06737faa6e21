// Whether parts of several inputs can share a file.

import CFFmpeg
import Imaging

extension CopiedStreams {
  /// Checks that parts of this input can follow those of another one in a file.
  /// - Parameter encodes: A Boolean value that tells whether images are encoded anew, so that only their size counts.
  /// - Throws: ``MediaError`` `invalidOption`.
  package func requireSameFormat(as first: CopiedStreams, encodes: Bool) throws {
    let (own, other) = (videoStream, first.videoStream)
    let isSameVideo =
      video.size == first.video.size
      && (encodes
        || own.isSameKind(as: other) && own.pointee.codecpar.pointee.format == other.pointee.codecpar.pointee.format)
    guard isSameVideo else {
      let advice = encodes || video.size != first.video.size ? "" : "; let the parts be encoded (--clip-mode encode)"
      throw MediaError(
        .invalidOption,
        "is \(formatName), and \(first.path) is \(first.formatName): one joined video cannot hold both" + advice,
        file: path)
    }
    let sounds = zip(streams, first.streams).filter { audioIndices.contains($0.0.inputIndex) }
    guard streams.count == first.streams.count, sounds.allSatisfy({ $0.0.stream.isSameKind(as: $0.1.stream) }) else {
      throw MediaError(
        .invalidOption,
        "has other sound than \(first.path): one joined video cannot hold both; --no-audio leaves it out",
        file: path)
    }
  }

  /// Checks that a container takes the video as it is.
  /// - Throws: ``MediaError`` `invalidOption`.
  package func requireFit(into path: String, format: String?) throws {
    let container = try Muxer.outputFormat(path: path, format: format)
    let codec = videoStream.pointee.codecpar.pointee.codec_id
    let name = String(cString: container.pointee.name)
    // Matroska also takes codecs that it has no name of its own for, which FFmpeg does not tell.
    guard name != "matroska", avformat_query_codec(container, codec, FF_COMPLIANCE_NORMAL) == 0 else { return }
    throw MediaError(
      .invalidOption,
      "\(name) takes no \(String(cString: avcodec_get_name(codec))); "
        + "choose another ending, such as .mkv, or let it be encoded (--clip-mode encode)", file: path)
  }

  private var formatName: String {
    let codec = String(cString: avcodec_get_name(videoStream.pointee.codecpar.pointee.codec_id))
    return "\(video.size) \(codec) \(video.pixelFormat)"
  }
}
