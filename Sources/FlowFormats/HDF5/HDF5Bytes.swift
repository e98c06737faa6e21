// Bytes of a HDF5 file, never read outside of it.

#if RHEO_HDF5
  import Foundation

  /// The contents of a HDF5 file; numbers are little endian. Every look outside is an error.
  struct HDF5Bytes {
    let bytes: UnsafeRawBufferPointer
    let name: String

    /// The value that stands where an address would, when there is nothing.
    static let undefined = UInt64.max

    var count: Int { bytes.count }

    /// The `length` bytes at `offset`.
    func slice(_ offset: Int, _ length: Int) throws -> UnsafeRawBufferPointer {
      guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else {
        throw failure(.truncated, "something of \(length) bytes lies at \(offset), beyond the end")
      }
      return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    func byte(_ offset: Int) throws -> Int { Int(try slice(offset, 1)[0]) }
    func word16(_ offset: Int) throws -> Int {
      Int(UInt16(littleEndian: try slice(offset, 2).loadUnaligned(as: UInt16.self)))
    }
    func word32(_ offset: Int) throws -> Int { Int(try slice(offset, 4).word(at: 0)) }
    func word64(_ offset: Int) throws -> UInt64 {
      UInt64(littleEndian: try slice(offset, 8).loadUnaligned(as: UInt64.self))
    }

    /// A length or a coordinate: one that no file reaches becomes the greatest number.
    func length(_ offset: Int) throws -> Int { Int(clamping: try word64(offset)) }

    /// The address at `offset`, which must lead into the file.
    func address(_ offset: Int) throws -> Int {
      let address = try word64(offset)
      guard address < UInt64(bytes.count) else {
        throw failure(.truncated, "an address at \(offset) leads beyond the end")
      }
      return Int(address)
    }

    /// Throws unless `text` stands at `offset`.
    func expect(_ text: String, at offset: Int) throws {
      guard try slice(offset, text.utf8.count).elementsEqual(text.utf8) else {
        throw failure(.damaged, "there is no \(text) at \(offset)")
      }
    }

    /// The text at `offset` up to a zero byte, of at most `limit` bytes before `end`.
    func text(_ offset: Int, end: Int, limit: Int = 256) throws -> String {
      let room = try slice(offset, max(0, min(limit, end - offset)))
      guard let length = room.firstIndex(of: 0) else { throw failure(.damaged, "a name at \(offset) has no end") }
      return String(decoding: room.prefix(length), as: UTF8.self)
    }

    func failure(_ code: FlowFormatError.Code, _ text: String) -> FlowFormatError {
      FlowFormatError(code: code, message: "\(name): \(text)")
    }
  }
#endif
