import CFFmpeg
import Imaging

extension VideoFormat {
  /// The format of a video whose frames are like this one.
  /// - Parameters:
  ///   - stream: The stream that the frame came from.
  ///   - frameRate: Frames per second; nil when unknown.
  ///   - isFiltered: A Boolean value that tells whether filters may have changed what the header says of fields.
  ///   - estimatedFrameCount: A guess at the number of frames; nil when nothing is known.
  init(
    of frame: VideoFrame, stream: UnsafeMutablePointer<AVStream>, frameRate: Rational?, isFiltered: Bool,
    estimatedFrameCount: Int?
  ) {
    let raw = frame.buffer.pointer.pointee
    let order = stream.pointee.codecpar.pointee.field_order
    self.init(
      size: frame.size, timeBase: frame.presentationTime.timeBase, frameRate: frameRate,
      sampleAspectRatio: raw.sample_aspect_ratio.isPositive ? raw.sample_aspect_ratio.rational : Rational(1, 1),
      pixelFormat: frame.pixelFormat, estimatedFrameCount: estimatedFrameCount,
      isInterlaced: !isFiltered && order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE
        || rheo_frame_is_interlaced(frame.buffer.pointer) != 0,
      isTopFieldFirst: rheo_frame_is_top_field_first(frame.buffer.pointer) != 0)
  }
}

extension ColorTags {
  /// The tags of a frame.
  init(of frame: VideoFrame) {
    let raw = frame.buffer.pointer.pointee
    self.init(
      colorspace: raw.colorspace, primaries: raw.color_primaries, transfer: raw.color_trc, range: raw.color_range,
      chromaLocation: raw.chroma_location)
  }
}
