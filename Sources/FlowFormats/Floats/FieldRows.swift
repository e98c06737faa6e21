// How decoders and encoders walk over a field, and the checks that all decoders share.

import Imaging
import VideoIO

extension FlowField {
  /// A field whose rows `fill(y, u, v)` writes. Vectors with a component that is no finite number become unknown.
  init(size: PixelSize, rows fill: (Int, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) throws -> Void)
    rethrows
  {
    self.init(uninitialized: size)
    try u.withMutableView { u in
      try v.withMutableView { v in
        for y in 0..<size.height {
          let (uRow, vRow) = (u.row(y), v.row(y))
          try fill(y, uRow, vRow)
          for x in 0..<size.width where !uRow[x].isFinite || !vRow[x].isFinite {
            uRow[x] = .nan
            vRow[x] = .nan
          }
        }
      }
    }
  }

  /// Lets `fill(y, u, v)` write some rows.
  mutating func setRows(
    _ rows: Range<Int>, fill: (Int, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>) -> Void
  ) {
    u.withMutableView { u in
      v.withMutableView { v in
        for y in rows { fill(y, u.row(y), v.row(y)) }
      }
    }
  }

  /// Calls `body(u, v)` with the row `y`.
  func withRow(_ y: Int, _ body: (UnsafePointer<Float>, UnsafePointer<Float>) -> Void) {
    u.withView { u in v.withView { v in body(u.row(y), v.row(y)) } }
  }

  /// Calls `body(y, u, v)` for every row from the top.
  func forEachRow(_ body: (Int, UnsafePointer<Float>, UnsafePointer<Float>) throws -> Void) rethrows {
    try u.withView { u in
      try v.withView { v in
        for y in 0..<u.height { try body(y, u.row(y), v.row(y)) }
      }
    }
  }
}

/// Checks on what a header says, before anything is allocated for it.
enum FieldLimits {
  /// Sides of images are 32-bit numbers in every format and library around.
  static let maximumSide = Int(Int32.max)
  /// The bytes that one compressed byte holds at most.
  static let maximumCompressionRatio = PNGReader.maximumCompressionRatio
  /// The memory that a field may cost beyond twice the length of its file, in bytes.
  private static let freeMemory = 64 << 20

  /// Throws unless width and height are those of a field that exists.
  static func check(width: Int, height: Int, name: String) throws -> PixelSize {
    guard width > 0, height > 0, width <= maximumSide, height <= maximumSide else {
      throw FlowFormatError(
        code: .absurdSize,
        message: "\(name): a field of \(width)×\(height); width and height are 1…\(maximumSide)")
    }
    return PixelSize(width: width, height: height)
  }

  /// Throws when a field of `size`, whose vectors have been found to fit into `fileLength` bytes, would need far more
  /// memory than the file has: rows in memory are padded, so that a field one pixel wide needs 32 times its numbers.
  static func checkMemory(_ size: PixelSize, fileLength: Int, name: String) throws {
    let bytesPerRow = (size.width * MemoryLayout<Float>.stride + 63) / 64 * 64 + 64
    let (needed, overflows) = (2 * bytesPerRow).multipliedReportingOverflow(by: size.height)
    guard !overflows, needed <= 2 * fileLength + freeMemory else {
      throw FlowFormatError(
        code: .absurdSize, message: "\(name): a field of \(size) is too narrow for its height to be held in memory")
    }
  }
}

extension FlowFormatError {
  /// Throws where there is no memory for an array of a field's size, which would trap without a word.
  static func requireMemory(_ byteCount: Int, _ code: Code, name: String) throws {
    do { try FrameMemory.require(byteCount: byteCount) } catch {
      throw FlowFormatError(code: code, message: "\(name): there is no memory for \(byteCount) bytes")
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The 32-bit word at `offset`, which must lie inside.
  func word(at offset: Int, bigEndian: Bool = false) -> UInt32 {
    let word = loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return bigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  /// The 32-bit float at `offset`, which must lie inside.
  func float(at offset: Int, bigEndian: Bool = false) -> Float {
    Float(bitPattern: word(at: offset, bigEndian: bigEndian))
  }
}
