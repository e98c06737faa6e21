// The `.flo` format of the Middlebury flow benchmark (https://vision.middlebury.edu/flow/code/flow-code/README.txt):
// the number 202021.25, width and height as 32-bit integers, then u and v interleaved, row by row, all little endian.

import Foundation
import Imaging

/// Reads and writes Middlebury `.flo` files.
public enum MiddleburyFlow {
  /// The first four bytes: "PIEH" when read as text.
  static let magic: Float = 202_021.25
  /// Components of a larger magnitude mean that the vector is unknown.
  static let unknownThreshold: Float = 1e9
  /// What unknown vectors are written as.
  static let unknownValue: Float = 1e10
  private static let headerLength = 12
  private static let bytesPerVector = 8

  /// Reads a flow field.
  ///
  /// - Parameter path: The file.
  /// - Returns: The field; vectors with a component beyond ±1e9 (or not a number) are unknown.
  /// - Throws: ``FlowFormatError`` that names the file, when it cannot be read, has another magic number, or does not have
  ///   exactly the length that its width and height ask for. Nothing is allocated before that is checked.
  public static func read(contentsOf path: String) throws -> FlowField {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw FlowFormatError(code: .unreadable, message: "\(path): cannot be read: \(reason(error))")
    }
    return try decode(data, name: path)
  }

  /// Decodes the contents of a file; `name` stands in the messages of errors.
  public static func decode(_ data: Data, name: String) throws -> FlowField {
    try data.withUnsafeBytes { bytes in
      let size = try checkedSize(bytes, name: name)
      var flow = FlowField(size: size)
      flow.u.withMutableView { u in
        flow.v.withMutableView { v in
          var offset = headerLength
          for y in 0..<size.height {
            let (uRow, vRow) = (u.row(y), v.row(y))
            for x in 0..<size.width {
              let vector = (number(in: bytes, at: offset), number(in: bytes, at: offset + 4))
              let isKnown = abs(vector.0) <= unknownThreshold && abs(vector.1) <= unknownThreshold
              uRow[x] = isKnown ? vector.0 : .nan
              vRow[x] = isKnown ? vector.1 : .nan
              offset += bytesPerVector
            }
          }
        }
      }
      return flow
    }
  }

  /// Writes a flow field. The file appears under its name only when it is complete.
  ///
  /// - Throws: ``FlowFormatError`` with code `unwritable` that names the file.
  public static func write(_ flow: FlowField, to path: String) throws {
    do {
      try encode(flow).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw FlowFormatError(code: .unwritable, message: "\(path): cannot be written: \(reason(error))")
    }
  }

  /// The contents of a file with `flow`. Unknown vectors become 1e10 in both components.
  public static func encode(_ flow: FlowField) -> Data {
    var words: [UInt32] = []
    words.reserveCapacity(3 + 2 * flow.size.area)
    words.append(magic.bitPattern.littleEndian)
    words.append(UInt32(flow.width).littleEndian)
    words.append(UInt32(flow.height).littleEndian)
    flow.u.withView { u in
      flow.v.withView { v in
        for y in 0..<flow.height {
          let (uRow, vRow) = (u.row(y), v.row(y))
          for x in 0..<flow.width {
            let isKnown = !uRow[x].isNaN && !vRow[x].isNaN
            words.append((isKnown ? uRow[x] : unknownValue).bitPattern.littleEndian)
            words.append((isKnown ? vRow[x] : unknownValue).bitPattern.littleEndian)
          }
        }
      }
    }
    return words.withUnsafeBytes { Data($0) }
  }

  /// The size that the header names, after checking it against the length of the file.
  private static func checkedSize(_ bytes: UnsafeRawBufferPointer, name: String) throws -> PixelSize {
    guard bytes.count >= headerLength else {
      throw FlowFormatError(
        code: bytes.count >= 4 && number(in: bytes, at: 0) != magic ? .wrongFormat : .truncated,
        message: "\(name): not a .flo file: \(bytes.count) bytes, and the header alone has \(headerLength)")
    }
    let found = number(in: bytes, at: 0)
    guard found == magic else {
      throw FlowFormatError(
        code: .wrongFormat, message: "\(name): not a .flo file: it begins with \(found) instead of \(magic)")
    }
    let width = Int(Int32(bitPattern: word(in: bytes, at: 4)))
    let height = Int(Int32(bitPattern: word(in: bytes, at: 8)))
    guard width > 0, height > 0 else {
      throw FlowFormatError(
        code: .absurdSize, message: "\(name): a field of \(width)×\(height); width and height are at least 1")
    }
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
    return PixelSize(width: width, height: height)
  }

  private static func word(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func number(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Float {
    Float(bitPattern: word(in: bytes, at: offset))
  }
}

/// The system's own words for an error.
func reason(_ error: any Error) -> String {
  let error = error as NSError
  if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError { return underlying.localizedDescription }
  return error.localizedDescription
}
