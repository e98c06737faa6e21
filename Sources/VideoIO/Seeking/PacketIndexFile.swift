// The packet index as a file beside the video.

import CFFmpeg
import Foundation

/// Keeps a ``PacketIndex`` in the file `VIDEO.rheo-index`.
///
/// Numbers are LEB128: the facts of the video that tell whether the index is still its own, the count, then for each
/// packet the differences of time, position and duration to the packet before (zigzag) and size · 4 + flags. The last
/// eight bytes are the FNV-1a of all that comes before.
struct PacketIndexFile {
  private static let magic = Array("rheo packet index 1\n".utf8)
  /// The facts about the video: its size and time of change, the stream and its codec.
  private let facts: [UInt64]
  let path: String

  /// - Returns: Nil when the video is no file.
  init?(of video: String, stream: UnsafeMutablePointer<AVStream>) {
    var status = stat()
    guard stat(video, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let facts = [
      Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(stream.pointee.index),
      Int64(stream.pointee.codecpar.pointee.codec_id.rawValue), Int64(stream.pointee.time_base.num),
      Int64(stream.pointee.time_base.den),
    ]
    self.init(path: video + ".rheo-index", facts: facts.map { UInt64(bitPattern: $0) })
  }

  /// - Parameters:
  ///   - path: The file of the index.
  ///   - facts: The numbers that the index has to begin with.
  init(path: String, facts: [UInt64]) { (self.path, self.facts) = (path, facts) }

  /// Returns the index in the file; nil where there is none, or one of something else.
  func read() -> PacketIndex? {
    (try? FileContents.readRegularFile(path)).flatMap { decode(Array($0)) }
  }

  /// Writes the index: under its name it is there as a whole or not at all.
  /// - Throws: ``MediaError`` `cannotWrite`, and where something lies under the name that is no file: a pipe would be
  ///   waited for.
  func write(_ index: PacketIndex) throws {
    var status = stat()
    guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw MediaError(.cannotWrite, "is no regular file", file: path)
    }
    try OutputFile(path: path, overwrite: true).write(Data(encode(index)))
  }

  func encode(_ index: PacketIndex) -> [UInt8] {
    var writer = NumberWriter(bytes: Self.magic)
    for fact in facts { writer.append(fact) }
    writer.append(UInt64(index.packets.count))
    var (time, position, duration) = (Int64(0), Int64(0), Int64(0))
    for packet in index.packets {
      writer.append(difference: packet.time &- time)
      writer.append(difference: packet.position &- position)
      writer.append(difference: packet.duration &- duration)
      writer.append(UInt64(packet.size) << 2 | (packet.isKeyFrame ? 1 : 0) | (packet.isDiscarded ? 2 : 0))
      (time, position, duration) = (packet.time, packet.position, packet.duration)
    }
    return Self.sealed(writer.bytes)
  }

  /// Returns bytes with their checksum behind them.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] { bytes + Self.bytes(of: checksum(bytes[...])) }

  func decode(_ bytes: [UInt8]) -> PacketIndex? {
    guard bytes.count >= Self.magic.count + 8, bytes.starts(with: Self.magic),
      Array(bytes.suffix(8)) == Self.bytes(of: Self.checksum(bytes.dropLast(8)))
    else { return nil }
    var reader = NumberReader(bytes: bytes.dropLast(8).dropFirst(Self.magic.count))
    for fact in facts {
      guard reader.next() == fact else { return nil }
    }
    guard let count = reader.next() else { return nil }
    var index = PacketIndex()
    index.isComplete = true
    var (time, position, duration) = (Int64(0), Int64(0), Int64(0))
    for _ in 0..<count {
      guard let later = reader.nextDifference(), let further = reader.nextDifference(),
        let longer = reader.nextDifference(), let last = reader.next(), let size = Int32(exactly: last >> 2)
      else { return nil }
      time &+= later
      position &+= further
      duration &+= longer
      index.append(
        IndexedPacket(
          time: time, duration: duration, position: position, size: size, isKeyFrame: last & 1 != 0,
          isDiscarded: last & 2 != 0))
    }
    return reader.isAtEnd ? index : nil
  }

  /// FNV-1a in 64 bits (draft-eastlake-fnv).
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.withUnsafeBufferPointer { bytes in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return hash
    }
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// Appends numbers as LEB128.
private struct NumberWriter {
  var bytes: [UInt8]

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(difference: Int64) {
    append(UInt64(bitPattern: difference << 1 ^ difference >> 63))
  }
}

/// Reads numbers in LEB128.
private struct NumberReader {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var isAtEnd: Bool { offset == bytes.endIndex }

  /// The next number; nil at the end, and for what is longer than 64 bits.
  mutating func next() -> UInt64? {
    var (number, shift) = (UInt64(0), UInt64(0))
    while offset < bytes.endIndex, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      guard shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }

  mutating func nextDifference() -> Int64? {
    next().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }
}
