// The frame of a PNG file (PNG specification, third edition, sections 5 and 11): what is checked before a decoder sees it.

import Imaging
import VideoIO

/// The structure of a PNG file: its IHDR chunk, and the place of the compressed image.
struct PNGStructure {
  /// Deflate makes at most 258 bytes out of 2 bits (RFC 1951, a match of the greatest length with one-bit codes).
  static let largestCompression = 1032
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Length, type and check sum of a chunk.
  private static let chunkOverhead = 12

  private(set) var size = PixelSize(width: 0, height: 0)
  private(set) var bitDepth = 0
  private(set) var colorType = 0
  private(set) var isInterlaced = false
  private(set) var hasTransparency = false
  private(set) var compressedLength = 0
  /// The signature and the chunks that make the image: everything else (times, texts, profiles) a decoder need not see.
  private(set) var parts: [UnsafeRawBufferPointer] = []

  private let name: String

  /// Walks over all chunks and checks their lengths, order and check sums.
  /// - Throws: ``FlowFormatError`` that names the file.
  init(_ bytes: UnsafeRawBufferPointer, name: String) throws {
    self.name = name
    guard bytes.count >= Self.signature.count, bytes.prefix(8).elementsEqual(Self.signature) else {
      throw FlowFormatError(
        code: bytes.isEmpty ? .truncated : .wrongFormat,
        message: "\(name): not a PNG file: \(bytes.isEmpty ? "empty" : "it begins with other bytes")")
    }
    append(bytes, 0..<Self.signature.count)
    var offset = Self.signature.count
    var hasEnded = false
    while !hasEnded {
      let end = try checkedEnd(of: offset, in: bytes)
      let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
      try read(type, bytes, offset..<end)
      hasEnded = type == "IEND"
      offset = end
    }
    guard offset == bytes.count else {
      throw failure(.trailingData, "\(bytes.count - offset) bytes follow the end of the picture")
    }
  }

  /// Throws unless the image is of `layout`, and as many compressed bytes are there as it takes at least.
  func check(_ layout: PNGCodec.Layout) throws {
    let (depth, color) = layout == .rgb16 ? (16, 2) : (8, 0)
    guard bitDepth == depth, colorType == color, !hasTransparency else {
      throw failure(
        .unsupported,
        "a PNG picture of \(bitDepth)-bit \(colorName); a flow file has \(layout == .rgb16 ? "16-bit RGB" : "8-bit grey")"
      )
    }
    guard !isInterlaced else { throw failure(.unsupported, "an interlaced PNG picture; flow files are not interlaced") }
    // Sides are below 2³¹ and a pixel has at most 6 bytes: the product fits into 65 bits.
    let (samples, overflows) = (size.width * layout.bytesPerPixel).multipliedReportingOverflow(by: size.height)
    guard !overflows, samples / Self.largestCompression <= compressedLength else {
      throw failure(.truncated, "\(compressedLength) compressed bytes cannot hold \(size) pixels")
    }
    try FieldLimits.checkMemory(size, fileLength: samples, name: name)
  }

  private var colorName: String {
    let names = [0: "grey", 2: "RGB", 3: "palette", 4: "grey with alpha", 6: "RGB with alpha"]
    return (names[colorType] ?? "colour type \(colorType)") + (hasTransparency ? " with a transparent colour" : "")
  }

  /// Returns the end of the chunk at `offset`, once its length and its check sum have been found right.
  private func checkedEnd(of offset: Int, in bytes: UnsafeRawBufferPointer) throws -> Int {
    guard bytes.count - offset >= Self.chunkOverhead else {
      throw failure(.truncated, "the file ends before its IEND chunk")
    }
    let length = Int(bytes.word(at: offset, bigEndian: true))
    guard length <= bytes.count - offset - Self.chunkOverhead else {
      throw failure(.truncated, "a chunk of \(length) bytes at \(offset) goes beyond the end of the file")
    }
    let end = offset + length + Self.chunkOverhead
    let sum = CRC32.checksum(UnsafeRawBufferPointer(rebasing: bytes[offset + 4..<end - 4]))
    guard sum == bytes.word(at: end - 4, bigEndian: true) else {
      throw failure(.damaged, "the check sum of the chunk at \(offset) is wrong")
    }
    return end
  }

  private mutating func read(_ type: String, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws {
    guard (type == "IHDR") == (range.lowerBound == Self.signature.count) else {
      throw failure(.damaged, "the IHDR chunk is not the first and only one")
    }
    switch type {
    case "IHDR": try readHeader(bytes, range)
    case "IDAT": compressedLength += range.count - Self.chunkOverhead
    case "tRNS": hasTransparency = true
    default: break
    }
    if type == "IHDR" || type == "IDAT" || type == "IEND" { append(bytes, range) }
  }

  private mutating func readHeader(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws {
    guard range.count == 13 + Self.chunkOverhead else { throw failure(.damaged, "its IHDR chunk is not 13 bytes long") }
    let first = range.lowerBound + 8
    size = try FieldLimits.check(
      width: Int(bytes.word(at: first, bigEndian: true)), height: Int(bytes.word(at: first + 4, bigEndian: true)),
      name: name)
    bitDepth = Int(bytes[first + 8])
    colorType = Int(bytes[first + 9])
    isInterlaced = bytes[first + 12] != 0
    guard bytes[first + 10] == 0, bytes[first + 11] == 0, bytes[first + 12] <= 1 else {
      throw failure(.damaged, "its IHDR chunk names methods that PNG does not have")
    }
  }

  /// Chunks that follow one another become one piece.
  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    let part = UnsafeRawBufferPointer(rebasing: bytes[range])
    if let last = parts.last, let start = last.baseAddress, start + last.count == part.baseAddress {
      parts[parts.count - 1] = UnsafeRawBufferPointer(start: start, count: last.count + part.count)
    } else {
      parts.append(part)
    }
  }

  private func failure(_ code: FlowFormatError.Code, _ text: String) -> FlowFormatError {
    FlowFormatError(code: code, message: "\(name): \(text)")
  }
}

extension PNGStructure {
  /// Decodes an image that is of `layout`.
  func decode(_ layout: PNGCodec.Layout) throws -> DecodedPNG {
    try check(layout)
    do {
      return try PNGCodec.decode(parts, size: size, layout: layout)
    } catch {
      throw failure(.damaged, "\(error)")
    }
  }
}

/// The check sum of PNG's chunks (PNG specification, annex D).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var value = UInt32.max
      for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
      return ~value
    }
  }
}
