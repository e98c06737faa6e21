// The properties of a file that FFmpeg knows before anything is decoded, as values.

import CFFmpeg
import Foundation
import Imaging

extension Demuxer {
  var info: MediaInfo {
    let format = context.pointee
    return MediaInfo(
      formatName: formatName,
      duration: format.duration > 0 ? Double(format.duration) / Double(AV_TIME_BASE) : nil,
      bitRate: format.bit_rate > 0 ? Int(format.bit_rate) : nil, streams: streams.map(describe),
      chapters: (0..<Int(format.nb_chapters)).compactMap { format.chapters[$0]?.pointee }.compactMap { chapter in
        let base = chapter.time_base.rational
        // Without a time base its times say nothing.
        guard base.isPositive else { return nil }
        return MediaInfo.Chapter(
          start: MediaTime(value: chapter.start, timeBase: base).seconds,
          end: MediaTime(value: chapter.end, timeBase: base).seconds, title: tag("title", of: chapter.metadata))
      },
      metadata: Dictionary(readDictionary(format.metadata).map { ($0.key, $0.value) }) { first, _ in first })
  }

  private func describe(_ stream: UnsafeMutablePointer<AVStream>) -> MediaInfo.Stream {
    let raw = stream.pointee
    let parameters = raw.codecpar.pointee
    func seconds(_ ticks: Int64) -> Double? {
      guard ticks != RHEO_NO_TIME, raw.time_base.isPositive else { return nil }
      return MediaTime(value: ticks, timeBase: raw.time_base.rational).seconds
    }
    return MediaInfo.Stream(
      index: Int(raw.index),
      kind: av_get_media_type_string(parameters.codec_type).map { String(cString: $0) } ?? "unknown",
      codec: String(cString: avcodec_get_name(parameters.codec_id)),
      profile: avcodec_profile_name(parameters.codec_id, parameters.profile).map { String(cString: $0) },
      timeBase: raw.time_base.rational, startTime: seconds(raw.start_time),
      duration: raw.duration > 0 ? seconds(raw.duration) : nil,
      frameCount: raw.nb_frames > 0 ? Int(raw.nb_frames) : nil,
      bitRate: parameters.bit_rate > 0 ? Int(parameters.bit_rate) : nil, language: tag("language", of: raw.metadata),
      video: parameters.codec_type == AVMEDIA_TYPE_VIDEO ? video(stream) : nil,
      audio: parameters.codec_type == AVMEDIA_TYPE_AUDIO ? audio(parameters) : nil)
  }

  private func video(_ stream: UnsafeMutablePointer<AVStream>) -> MediaInfo.Video {
    let parameters = stream.pointee.codecpar.pointee
    let rate = av_guess_frame_rate(context, stream, nil)
    let aspect = av_guess_sample_aspect_ratio(context, stream, nil)
    let isInterlaced = parameters.field_order != AV_FIELD_UNKNOWN && parameters.field_order != AV_FIELD_PROGRESSIVE
    func named<Value: Equatable>(_ value: Value, unless unknown: Value, _ name: UnsafePointer<CChar>?) -> String? {
      value == unknown ? nil : name.map { String(cString: $0) }
    }
    return MediaInfo.Video(
      size: PixelSize(width: Int(parameters.width), height: Int(parameters.height)),
      pixelFormat: AVPixelFormat(rawValue: parameters.format).name,
      frameRate: rate.isPositive ? rate.rational : nil, sampleAspectRatio: aspect.isPositive ? aspect.rational : nil,
      orientation: MediaInfo.Orientation(displayMatrix: rheo_stream_display_matrix(stream)), isInterlaced: isInterlaced,
      color: MediaInfo.Color(
        range: named(
          parameters.color_range, unless: AVCOL_RANGE_UNSPECIFIED, av_color_range_name(parameters.color_range)),
        matrix: named(
          parameters.color_space, unless: AVCOL_SPC_UNSPECIFIED, av_color_space_name(parameters.color_space)),
        primaries: named(
          parameters.color_primaries, unless: AVCOL_PRI_UNSPECIFIED,
          av_color_primaries_name(parameters.color_primaries)),
        transfer: named(
          parameters.color_trc, unless: AVCOL_TRC_UNSPECIFIED, av_color_transfer_name(parameters.color_trc)),
        chromaLocation: named(
          parameters.chroma_location, unless: AVCHROMA_LOC_UNSPECIFIED,
          av_chroma_location_name(parameters.chroma_location))),
      isAttachedImage: stream.pointee.disposition & Int32(AV_DISPOSITION_ATTACHED_PIC) != 0)
  }

  private func audio(_ parameters: AVCodecParameters) -> MediaInfo.Audio {
    var name = [CChar](repeating: 0, count: 128)
    var layout = parameters.ch_layout
    // Too long a description is cut, which is no failure; an unknown layout has none.
    let length = av_channel_layout_describe(&layout, &name, name.count)
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return MediaInfo.Audio(
      sampleRate: Int(parameters.sample_rate), channelCount: Int(layout.nb_channels),
      channelLayout: length > 0 ? text : "unknown")
  }

  private func tag(_ name: String, of dictionary: OpaquePointer?) -> String? {
    av_dict_get(dictionary, name, nil, 0).map { String(cString: $0.pointee.value) }
  }
}

extension MediaInfo.Orientation {
  /// Splits a display matrix into a mirror image (x, y) → (−x, y) and a turn after it.
  ///
  /// The matrix maps a stored point (x, y) to (a·x + c·y, b·x + d·y); a turn by φ clockwise (y points down) has
  /// a = d = cos φ, b = −c = sin φ, and a mirror image before it changes the signs of a and b.
  init(displayMatrix m: UnsafePointer<Int32>?) {
    guard let m else {
      self.init(rotation: 0, isMirrored: false)
      return
    }
    let (a, b, c, d) = (Double(m[0]), Double(m[1]), Double(m[3]), Double(m[4]))
    let isMirrored = a * d - b * c < 0
    let degrees = Int((atan2(isMirrored ? -b : b, isMirrored ? -a : a) * 180 / .pi).rounded())
    self.init(rotation: (degrees + 360) % 360, isMirrored: isMirrored)
  }
}
