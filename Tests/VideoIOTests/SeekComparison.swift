import CFFmpeg
import Foundation
import Imaging

@testable import VideoIO

/// A frame with everything about it that decoding from the beginning and from a key frame have to agree on.
struct ReadFrame: Hashable {
  var number: Int
  var time: MediaTime
  var duration: Int64
  var description: String
  var digest: UInt64

  init(_ frame: VideoFrame) {
    number = frame.number
    time = frame.presentationTime
    duration = frame.duration
    let raw = frame.buffer.pointer.pointee
    description =
      "\(frame.size) \(frame.pixelFormat) \(raw.sample_aspect_ratio.rational) \(raw.colorspace.rawValue) "
      + "\(raw.color_range.rawValue) \(raw.color_primaries.rawValue) \(raw.color_trc.rawValue) "
      + "\(rheo_frame_is_interlaced(frame.buffer.pointer)) \(raw.repeat_pict)"
    digest = frame.buffer.digest
  }
}

extension SourcePacket {
  /// The size of the data, in bytes.
  var dataSize: Int { Int(pointer.pointee.size) }
}

/// A packet as a clip gets it.
struct ReadPacket: Hashable {
  var stream: Int
  var presentationTime: Int64
  var decodingTime: Int64
  var size: Int
  var isKeyFrame: Bool

  init(_ packet: SourcePacket) {
    stream = packet.streamIndex
    presentationTime = packet.pointer.pointee.pts
    decodingTime = packet.pointer.pointee.dts
    size = packet.dataSize
    isKeyFrame = packet.isKeyFrame
  }
}

extension FrameBuffer {
  /// FNV-1a over eight bytes at a time of the samples, whatever their format.
  fileprivate var digest: UInt64 {
    let frame = pointer.pointee
    let size = Int(av_image_get_buffer_size(format, frame.width, frame.height, 8))
    guard size > 0 else { return 0 }
    return withUnsafeTemporaryAllocation(byteCount: size + 8, alignment: 64) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      withUnsafeBytes(of: &pointer.pointee.data) { data in
        withUnsafeBytes(of: &pointer.pointee.linesize) { strides in
          _ = av_image_copy_to_buffer(
            memory.baseAddress!.assumingMemoryBound(to: UInt8.self), Int32(size),
            data.baseAddress!.assumingMemoryBound(to: UnsafePointer<UInt8>?.self),
            strides.baseAddress!.assumingMemoryBound(to: Int32.self), format, frame.width, frame.height, 8)
        }
      }
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for word in 0..<size / 8 {
        hash = (hash ^ memory.load(fromByteOffset: 8 * word, as: UInt64.self)) &* 0x100_0000_01b3
      }
      return hash
    }
  }
}

/// Reads parts of a video from the beginning and by seeking.
struct SeekComparison {
  let path: String
  var options = VideoReader.Options(threadCount: 2)
  /// All frames, decoded from the beginning.
  private(set) var frames: [ReadFrame] = []
  /// The points of all inputs that could not be decoded.
  private(set) var gaps: [String] = []
  /// A Boolean value that tells whether what is decoded of a frame depends on the file alone. FFmpeg 7.1 makes
  /// something else of damaged VP8 in each run, on one thread, too: there is memory in it that was never set.
  private(set) var arePixelsDefined = true

  init(_ path: String, options: VideoReader.Options = VideoReader.Options(threadCount: 2)) throws {
    self.path = path
    self.options = options
    let reader = try VideoReader(path, options: options)
    while let frame = try reader.nextFrame() { frames.append(ReadFrame(frame)) }
    gaps = reader.gaps.map(\.description)
    let codec = reader.stream.pointee.codecpar.pointee.codec_id
    // Its decoder does not tell of all damage: what is known to be broken is named by its folder.
    let isWhole = gaps.isEmpty && !path.contains("/broken/")
    arePixelsDefined = isWhole || codec != AV_CODEC_ID_VP8 || avcodec_version() >> 16 < 61
    if !arePixelsDefined {
      print("\(path): this FFmpeg decodes damaged VP8 in another way each time; pixels are not compared")
    }
  }

  private func reader(_ range: MediaRange, seeks: Bool = true) throws -> VideoReader {
    var options = options
    (options.range, options.seeks) = (range, seeks)
    return try VideoReader(path, options: options)
  }

  /// Points that the frame with a number is the first at or after.
  func starts(of number: Int) -> [MediaRange.Position] {
    [.frame(number), .seconds(frames[number].time.seconds - frames[0].time.seconds)]
  }

  /// Reads up to three frames from a point, and says what differs from decoding from the beginning; empty when nothing.
  func differences(at number: Int, _ start: MediaRange.Position) throws -> (String, SeekApproach) {
    let reader = try reader(MediaRange(start: start, frameCount: 3))
    var found: [ReadFrame] = []
    while let frame = try reader.nextFrame() { found.append(ReadFrame(frame)) }
    var expected = Array(frames[number..<min(number + 3, frames.count)])
    if !arePixelsDefined {
      for index in found.indices { found[index].digest = 0 }
      for index in expected.indices { expected[index].digest = 0 }
    }
    let text = found == expected ? "" : "\(start) by \(reader.approach): \(found) instead of \(expected)\n"
    return (text, reader.approach)
  }

  /// Compares the packets that a clip gets, from the first frame on.
  func packetDifferences(at start: MediaRange.Position) throws -> String {
    func packets(seeks: Bool) throws -> [ReadPacket] {
      var options = options
      (options.range, options.seeks, options.keepsPackets) = (MediaRange(start: start), seeks, true)
      let reader = try VideoReader(path, options: options)
      var packets: [ReadPacket] = []
      while try reader.nextFrame() != nil { packets += reader.takePackets().map(ReadPacket.init) }
      return packets + reader.takePackets().map(ReadPacket.init)
    }
    let (sought, all) = try (packets(seeks: true), packets(seeks: false))
    return sought == all
      ? "" : "\(start): \(sought.prefix(8)) instead of \(all.prefix(8)), \(sought.count), \(all.count)"
  }
}
