// The `.flo` format of the Middlebury flow benchmark (https://vision.middlebury.edu/flow/code/flow-code/README.txt):
// the number 202021.25, width and height as 32-bit integers, then u and v interleaved, row by row, all little endian.

import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Reads and writes Middlebury `.flo` files.
public enum MiddleburyFlow {
  /// The first four bytes: "PIEH" when read as text.
  static let magic: Float = 202_021.25
  /// Components of a larger magnitude mean that the vector is unknown.
  static let unknownThreshold: Float = 1e9
  /// The value as which the components of unknown vectors are written.
  static let unknownValue: Float = 1e10
  private static let headerLength = 12
  private static let bytesPerVector = 8

  /// Reads a flow field.
  ///
  /// - Parameter path: The file.
  /// - Returns: The field; vectors with a component beyond ±1e9 (or not a number) are unknown.
  /// - Throws: ``FlowFormatError`` that names the file, when it cannot be read, has another magic number, or does not
  ///   have exactly the length that its width and height ask for. Nothing is allocated before that is checked.
  public static func read(contentsOf path: String) throws -> FlowField {
    try FlowFile.read(contentsOf: path, as: .flo)
  }

  /// Decodes the contents of a file; `name` stands in the messages of errors.
  public static func decode(_ data: Data, name: String) throws -> FlowField {
    try data.withUnsafeBytes { try decode($0, name: name) }
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> FlowField {
    let size = try checkedSize(bytes, name: name)
    return FlowField(size: size) { y, u, v in
      var offset = headerLength + y * size.width * bytesPerVector
      for x in 0..<size.width {
        let vector = (bytes.float(at: offset), bytes.float(at: offset + 4))
        let isKnown = abs(vector.0) <= unknownThreshold && abs(vector.1) <= unknownThreshold
        u[x] = isKnown ? vector.0 : .nan
        v[x] = isKnown ? vector.1 : .nan
        offset += bytesPerVector
      }
    }
  }

  /// Writes a flow field, over an existing file too. The file appears under its name only when it is complete.
  ///
  /// - Throws: ``FlowFormatError`` with code `unwritable` that names the file.
  public static func write(_ flow: FlowField, to path: String) throws {
    try FlowFile.write(flow, to: path, as: .flo, options: FlowWritingOptions(overwrites: true))
  }

  /// The contents of a file with `flow`. Unknown vectors become 1e10 in both components, and so do those that a reader
  /// would take for unknown.
  public static func encode(_ flow: FlowField) -> Data {
    // The array would trap without a word.
    free(FrameMemory.allocate(byteCount: 16 * flow.size.area))
    var words: [UInt32] = []
    words.reserveCapacity(3 + 2 * flow.size.area)
    words.append(magic.bitPattern.littleEndian)
    words.append(UInt32(flow.width).littleEndian)
    words.append(UInt32(flow.height).littleEndian)
    flow.forEachRow { _, u, v in
      for x in 0..<flow.width {
        let isKnown = abs(u[x]) <= unknownThreshold && abs(v[x]) <= unknownThreshold
        words.append((isKnown ? u[x] : unknownValue).bitPattern.littleEndian)
        words.append((isKnown ? v[x] : unknownValue).bitPattern.littleEndian)
      }
    }
    return words.withUnsafeBytes { Data($0) }
  }

  /// The size that the header names, after checking it against the length of the file.
  private static func checkedSize(_ bytes: UnsafeRawBufferPointer, name: String) throws -> PixelSize {
    guard bytes.count >= headerLength else {
      throw FlowFormatError(
        code: bytes.count >= 4 && bytes.float(at: 0) != magic ? .wrongFormat : .truncated,
        message: "\(name): not a .flo file: \(bytes.count) bytes, and the header alone has \(headerLength)")
    }
    let found = bytes.float(at: 0)
    guard found == magic else {
      throw FlowFormatError(
        code: .wrongFormat, message: "\(name): not a .flo file: it begins with \(found) instead of \(magic)")
    }
    let width = Int(Int32(bitPattern: bytes.word(at: 4)))
    let height = Int(Int32(bitPattern: bytes.word(at: 8)))
    let size = try FieldLimits.check(width: width, height: height, name: name)
    // Two numbers below 2³¹: their product fits, eight times that may not.
    let vectors = (bytes.count - headerLength) / bytesPerVector
    guard width * height <= vectors else {
      throw FlowFormatError(
        code: .truncated, message: "\(name): \(bytes.count) bytes are too few for a field of \(width)×\(height)")
    }
    let expected = headerLength + width * height * bytesPerVector
    guard bytes.count == expected else {
      throw FlowFormatError(
        code: .trailingData,
        message: "\(name): \(bytes.count) bytes; a field of \(width)×\(height) has \(expected)")
    }
    try FieldLimits.checkMemory(size, fileLength: bytes.count, name: name)
    return size
  }
}
