// Portable float maps (https://www.pauldebevec.com/Research/HDR/PFM/, Netpbm's pfm(5)) with three channels, as
// FlyingThings3D stores flow: "PF", width and height, a scale whose sign is the byte order (below 0: little endian),
// then rows of u, v and a third number, the lowest row first.
//
// The third channel is written as 1 for known and 0 for unknown vectors, whose u and v are NaN. It is not looked at in
// reading: FlyingThings3D's files hold 0 everywhere. The magnitude of the scale has no meaning for flow, either.

import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Reads and writes three-channel `.pfm` files.
enum PortableFloatMap {
  private static let bytesPerVector = 12
  /// The maximum length of a header, in bytes; none of this kind is longer.
  private static let maximumHeaderLength = 256

  static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField {
    let header = try Header(bytes, channelCount: 3, name: name)
    let size = header.size
    return FlowField(size: size) { y, u, v in
      var offset = header.length + (size.height - 1 - y) * size.width * bytesPerVector
      for x in 0..<size.width {
        u[x] = bytes.float(at: offset, bigEndian: header.isBigEndian)
        v[x] = bytes.float(at: offset + 4, bigEndian: header.isBigEndian)
        offset += bytesPerVector
      }
    }
  }

  /// Decodes a file with one channel, which begins with "Pf": a confidence.
  static func decodePlane(_ bytes: UnsafeRawBufferPointer, name: String) throws -> Plane<Float> {
    let header = try Header(bytes, channelCount: 1, name: name)
    let size = header.size
    return Plane(size: size) { plane in
      for y in 0..<size.height {
        let (row, start) = (plane.row(y), header.length + 4 * (size.height - 1 - y) * size.width)
        for x in 0..<size.width { row[x] = bytes.float(at: start + 4 * x, bigEndian: header.isBigEndian) }
      }
    }
  }

  /// The contents of a file with `flow`, little endian.
  static func encode(_ flow: FlowField) -> Data {
    var data = Data("PF\n\(flow.width) \(flow.height)\n-1.0\n".utf8)
    // The array would trap without a word.
    free(FrameMemory.allocate(byteCount: 24 * flow.size.area))
    let words = [UInt32](unsafeUninitializedCapacity: 3 * flow.size.area) { words, count in
      flow.forEachRow { y, u, v in
        var index = 3 * (flow.height - 1 - y) * flow.width
        for x in 0..<flow.width {
          let isKnown = u[x].isFinite && v[x].isFinite
          words[index] = (isKnown ? u[x] : .nan).bitPattern.littleEndian
          words[index + 1] = (isKnown ? v[x] : .nan).bitPattern.littleEndian
          words[index + 2] = Float(isKnown ? 1 : 0).bitPattern.littleEndian
          index += 3
        }
      }
      count = 3 * flow.size.area
    }
    words.withUnsafeBytes { data.append(contentsOf: $0) }
    return data
  }

  private struct Header {
    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var isBigEndian = false
    private(set) var length = 0

    /// Reads the four words, each ended by one white space, and checks the length of the file.
    init(_ bytes: UnsafeRawBufferPointer, channelCount: Int, name: String) throws {
      func failure(_ code: FlowFormatError.Code, _ text: String) -> FlowFormatError {
        FlowFormatError(code: code, message: "\(name): \(text)")
      }
      var words = HeaderWords(bytes.prefix(maximumHeaderLength))
      switch (words.next(), channelCount) {
      case ("PF", 3), ("Pf", 1): break
      case ("Pf", _):
        throw failure(
          .unsupported, "a .pfm with one channel (a disparity or a weight); flow has three, which begin with PF")
      case ("PF", _):
        throw failure(.unsupported, "a .pfm with three channels; a confidence has one, which begins with Pf")
      default:
        throw failure(bytes.isEmpty ? .truncated : .wrongFormat, "not a .pfm file: it does not begin with PF")
      }
      guard let width = words.next(), let height = words.next(), let scale = words.next() else {
        throw failure(bytes.count < maximumHeaderLength ? .truncated : .wrongFormat, "its .pfm header has no end")
      }
      guard let width = Int(width), let height = Int(height) else {
        throw failure(.absurdSize, "a field of \(width)×\(height)")
      }
      size = try FieldLimits.check(width: width, height: height, name: name)
      guard let scale = Double(scale), scale.isFinite, scale != 0 else {
        throw failure(.wrongFormat, "the scale in its .pfm header is \(scale); its sign has to tell the byte order")
      }
      isBigEndian = scale > 0
      length = words.position
      let present = bytes.count - length
      let (expected, overflows) = size.area.multipliedReportingOverflow(by: 4 * channelCount)
      guard !overflows, expected <= present else {
        throw failure(.truncated, "\(bytes.count) bytes are too few for a field of \(size)")
      }
      guard expected == present else {
        throw failure(.trailingData, "\(bytes.count) bytes; a field of \(size) has \(length + expected)")
      }
      try FieldLimits.checkMemory(size, fileLength: bytes.count, name: name)
    }
  }

  /// Words of printable ASCII, parted by white space.
  private struct HeaderWords {
    private let bytes: Slice<UnsafeRawBufferPointer>
    /// The position behind the white space that ended the last word: after the last word of a header, the numbers begin
    /// here.
    private(set) var position: Int

    init(_ bytes: Slice<UnsafeRawBufferPointer>) {
      self.bytes = bytes
      position = bytes.startIndex
    }

    /// The next word; nil when it is empty, holds other characters, or has no white space behind it.
    mutating func next() -> String? {
      let rest = bytes[position...].drop(while: Self.isSpace)
      let word = rest.prefix { (0x21...0x7E).contains($0) }
      guard !word.isEmpty, word.endIndex < bytes.endIndex, Self.isSpace(bytes[word.endIndex]) else { return nil }
      position = word.endIndex + 1
      return String(decoding: word, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  }
}
