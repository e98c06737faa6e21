// Which packets can be counted as frames.

import CFFmpeg
import Imaging

/// Looks at the packets of a video one after the other, and refuses those of which decoding alone tells how many frames
/// they are.
struct PacketScan {
  /// Codecs of which a packet is a frame, and a key frame a point from which decoding gives all that is shown after it.
  private static let interCodecs: Set<UInt32> = [
    AV_CODEC_ID_H264.rawValue, AV_CODEC_ID_HEVC.rawValue, AV_CODEC_ID_MPEG1VIDEO.rawValue,
    AV_CODEC_ID_MPEG2VIDEO.rawValue, AV_CODEC_ID_MPEG4.rawValue, AV_CODEC_ID_VP8.rawValue, AV_CODEC_ID_VP9.rawValue,
    AV_CODEC_ID_AV1.rawValue, AV_CODEC_ID_FFV1.rawValue, AV_CODEC_ID_H263.rawValue,
    AV_CODEC_ID_MSMPEG4V2.rawValue, AV_CODEC_ID_MSMPEG4V3.rawValue,
  ]
  /// The size of data, in bytes, below which a packet of MPEG-4 may say that there is no frame. Its header takes 8.
  private static let minimumMPEG4Size: Int32 = 16
  /// The times between which packets are counted; beyond, they are repaired, see ``FrameClock``.
  private static let maximumTime: Int64 = 1 << 61

  private let codec: AVCodecID
  /// A Boolean value that tells whether the parameters of H.264 or HEVC come among the packets, as in MPEG streams, not
  /// with the container's header.
  private let isByteStream: Bool

  /// - Throws: ``SeekRefusal`` for codecs of which it is not known that frames can be counted.
  init(_ stream: UnsafeMutablePointer<AVStream>, isInMP4: Bool) throws(SeekRefusal) {
    let parameters = stream.pointee.codecpar.pointee
    codec = parameters.codec_id
    isByteStream =
      [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC].contains(codec)
      && (parameters.extradata_size < 1 || parameters.extradata?.pointee != 1)
    let properties = avcodec_descriptor_get(codec)?.pointee.props ?? 0
    guard Self.interCodecs.contains(codec.rawValue) || properties & AV_CODEC_PROP_INTRA_ONLY != 0 else {
      throw SeekRefusal("packets of \(String(cString: avcodec_get_name(codec))) are not counted as frames")
    }
    guard stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 else { throw SeekRefusal("it is one image") }
    let isProgressive = [AV_FIELD_UNKNOWN, AV_FIELD_PROGRESSIVE].contains(parameters.field_order)
    guard codec != AV_CODEC_ID_H264 || isInMP4 || isProgressive else {
      throw SeekRefusal("packets may be fields")
    }
  }

  /// Returns what is known of a packet.
  /// - Throws: ``SeekRefusal``.
  func entry(of packet: UnsafeMutablePointer<AVPacket>) throws(SeekRefusal) -> IndexedPacket {
    let raw = packet.pointee
    let isDiscarded = raw.flags & Int32(AV_PKT_FLAG_DISCARD) != 0
    guard raw.pts != RHEO_NO_TIME else { throw SeekRefusal("a packet has no time") }
    guard raw.pts.magnitude < Self.maximumTime else { throw SeekRefusal("a packet has a time beyond all bounds") }
    guard raw.flags & Int32(AV_PKT_FLAG_CORRUPT) == 0 else { throw SeekRefusal("a packet is damaged") }
    try requireSize(raw.size)
    guard let start = raw.data else { throw SeekRefusal("a packet may hold no frame") }
    let data = UnsafeBufferPointer(start: start, count: Int(raw.size))
    guard showsOneFrame(data) else { throw SeekRefusal("a packet is not one frame") }
    var isKeyFrame = raw.flags & Int32(AV_PKT_FLAG_KEY) != 0
    if isKeyFrame, isByteStream {
      isKeyFrame = ByteStream.holdsSequenceParameters(data, isHEVC: codec == AV_CODEC_ID_HEVC)
    }
    return IndexedPacket(
      time: raw.pts, duration: raw.duration, position: raw.pos, size: raw.size, isKeyFrame: isKeyFrame,
      isDiscarded: isDiscarded)
  }

  /// - Throws: ``SeekRefusal`` when a packet of `size` bytes may hold no frame.
  func requireSize(_ size: Int32) throws(SeekRefusal) {
    guard size >= (codec == AV_CODEC_ID_MPEG4 ? Self.minimumMPEG4Size : 1) else {
      throw SeekRefusal("a packet may hold no frame")
    }
  }

  /// Returns whether a packet shows one frame, as far as its first bytes tell.
  private func showsOneFrame(_ data: UnsafeBufferPointer<UInt8>) -> Bool {
    switch codec {
    // RFC 6386, 9.1: bit 4 of the frame tag.
    case AV_CODEC_ID_VP8: data[0] & 0x10 != 0
    case AV_CODEC_ID_VP9: VP9Header.showsFrame(data)
    case AV_CODEC_ID_MPEG4: !MPEG4Packet.holdsSeveralFrames(data)
    default: true
    }
  }
}

/// The beginning of a VP9 frame's header.
private enum VP9Header {
  /// VP9 bitstream specification, 6.2 and annex B.
  static func showsFrame(_ data: UnsafeBufferPointer<UInt8>) -> Bool {
    // The last byte of a superframe marks it: frames of which one is shown.
    if data[data.count - 1] & 0xe0 == 0xc0 { return true }
    // Bits: 10, the profile's low and high bit, for profile 3 a 0, whether a frame is shown again, whether it is no key
    // frame, whether it is shown.
    let shift: UInt8 = data[0] & 0x30 == 0x30 ? 1 : 0
    return data[0] << shift & 0x08 != 0 || data[0] << shift & 0x02 != 0
  }
}

/// A packet of H.264 or HEVC in annex B of ITU-T H.264 and H.265: units behind start codes 00 00 01.
enum ByteStream {
  /// Returns whether sequence parameters come before the image.
  static func holdsSequenceParameters(_ data: UnsafeBufferPointer<UInt8>, isHEVC: Bool) -> Bool {
    var (zeros, offset) = (0, 0)
    while offset + 1 < data.count {
      if data[offset] == 1, zeros >= 2 {
        // Table 7-1 of both: H.264 has images in units 1…5 and parameters in 7, HEVC in 0…31 and 33.
        let kind = isHEVC ? data[offset + 1] >> 1 & 0x3f : data[offset + 1] & 0x1f
        if kind == (isHEVC ? 33 : 7) { return true }
        if isHEVC ? kind < 32 : (1...5).contains(kind) { return false }
      }
      zeros = data[offset] == 0 ? zeros + 1 : 0
      offset += 1
    }
    return false
  }
}

/// A packet of MPEG-4 part 2.
private enum MPEG4Packet {
  /// Returns whether a packet holds more than one frame, as the "packed bitstream" of AVI files does: the start code of
  /// a frame is 00 00 01 B6.
  static func holdsSeveralFrames(_ data: UnsafeBufferPointer<UInt8>) -> Bool {
    var (count, zeros, offset) = (0, 0, 0)
    while offset + 1 < data.count {
      if data[offset] == 0 {
        zeros += 1
      } else {
        if data[offset] == 1, zeros >= 2, data[offset + 1] == 0xb6 { count += 1 }
        zeros = 0
      }
      offset += 1
    }
    return count > 1
  }
}
