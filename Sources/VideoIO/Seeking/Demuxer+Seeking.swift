// Jumps within an input.

import CFFmpeg
import Foundation
import Imaging

extension Demuxer {
  /// A Boolean value that tells whether the format is MP4, QuickTime or one of their kind.
  var isMP4: Bool { formatName.hasPrefix("mov") }

  /// Goes to a packet of the stream, or to a position before it.
  func seek(to packet: IndexedPacket, of stream: UnsafeMutablePointer<AVStream>) throws(SeekRefusal) {
    // The times in MPEG streams may begin anew, and are searched for among others than those that are read.
    let isByPosition = formatName.hasPrefix("mpeg") && packet.position >= 0
    try seek(
      to: isByPosition ? packet.position : packet.time, of: stream,
      flags: isByPosition ? AVSEEK_FLAG_BYTE : AVSEEK_FLAG_BACKWARD)
  }

  /// Goes to a position of the input.
  /// - Parameter target: The time in ticks of the stream, or what `flags` make of it.
  func seek(
    to target: Int64, of stream: UnsafeMutablePointer<AVStream>, flags: Int32 = AVSEEK_FLAG_BACKWARD
  ) throws(SeekRefusal) {
    let status = av_seek_frame(context, stream.pointee.index, target, flags)
    guard status >= 0 else { throw SeekRefusal("the container cannot be searched: \(ffmpegMessage(status))") }
  }

  /// Reads up to the next packet of a stream; false at the end.
  func read(_ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>) throws -> Bool {
    while true {
      av_packet_unref(packet)
      guard try read(packet) else { return false }
      if packet.pointee.stream_index == stream.pointee.index { return true }
    }
  }
}

/// The packets of a video as the header of an MP4 file lists them: all, with the times of decoding.
struct ContainerIndex {
  struct Entry {
    var decodingTime: Int64
    var size: Int32
    var isKeyFrame: Bool
    /// The number of frames before this packet, in the order of decoding.
    var framesBefore: Int
    var isDiscarded: Bool
  }

  let entries: [Entry]

  /// - Returns: Nil where the header does not list all packets.
  /// - Throws: ``SeekRefusal`` when what it lists are not frames one by one.
  init?(of stream: UnsafeMutablePointer<AVStream>, in demuxer: Demuxer, _ scan: PacketScan) throws(SeekRefusal) {
    // The fragments of a file are listed as they are read, and are not counted in its header.
    let count = avformat_index_get_entries_count(stream)
    guard demuxer.isMP4, stream.pointee.nb_frames > 0, count > 0, Int64(count) <= stream.pointee.nb_frames else {
      return nil
    }
    var entries: [Entry] = []
    entries.reserveCapacity(Int(count))
    var (frames, last) = (0, Int64.min)
    for index in 0..<count {
      guard let entry = avformat_index_get_entry(stream, index)?.pointee else { return nil }
      guard entry.timestamp > last else { throw SeekRefusal("the times of decoding do not rise") }
      last = entry.timestamp
      let flags = Int32(entry.flags)
      let isDiscarded = flags & AVINDEX_DISCARD_FRAME != 0
      try scan.requireSize(Int32(entry.size))
      entries.append(
        Entry(
          decodingTime: last, size: Int32(entry.size), isKeyFrame: flags & AVINDEX_KEYFRAME != 0,
          framesBefore: frames, isDiscarded: isDiscarded))
      if !isDiscarded { frames += 1 }
    }
    self.entries = entries
  }

  /// Returns the index of the packet with a time of decoding; nil where there is none.
  func position(of decodingTime: Int64) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].decodingTime < decodingTime { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].decodingTime == decodingTime ? low : nil
  }
}
