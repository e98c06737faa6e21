// The way from the start of a HDF5 file to one of its datasets (HDF5 File Format Specification 2.0: superblock, object
// headers, symbol tables, version 1 B-trees): the form that the library writes unless it is told to use its latest.
//
// Why not the library itself: version 1.10.8 ends with a segmentation fault on about one in 7000 damaged files, and
// it takes a chunk that decompresses to too little for a whole one. Reading what flow files use of the format takes
// these few pages, whose every look is checked against the length of the file. The library writes.

#if RHEO_HDF5
  import Foundation

  /// The objects of a HDF5 file, found by name.
  struct HDF5Structure {
    private static let signature = Data([0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A])
    private static let symbolTableMessage = 0x11
    /// A tree of this height holds more than any file.
    private static let maximumLevel = 16
    private static let symbolLength = 40
    private static let softLink = 2

    let file: HDF5Bytes
    /// The K of the B-trees that index chunks: nodes have up to 2 K children.
    let chunkTreeOrder: Int
    private let root: Int

    /// Reads the superblock.
    /// - Throws: ``FlowFormatError`` that names the file.
    init(_ bytes: UnsafeRawBufferPointer, name: String) throws {
      file = HDF5Bytes(bytes: bytes, name: name)
      guard bytes.prefix(Self.signature.count).elementsEqual(Self.signature) else {
        throw file.failure(bytes.isEmpty ? .truncated : .wrongFormat, "not a HDF5 file: it begins with other bytes")
      }
      let version = try file.byte(8)
      guard version <= 1 else {
        throw file.failure(
          .unsupported,
          "HDF5 with a superblock of version \(version); 0 and 1 are read, which libraries write by default")
      }
      guard try file.byte(13) == 8, try file.byte(14) == 8 else {
        throw file.failure(.unsupported, "HDF5 with addresses other than of 64 bits")
      }
      chunkTreeOrder = version == 1 ? try file.word16(24) : 32
      let addresses = version == 1 ? 28 : 24
      guard try file.word64(addresses) == 0 else {
        throw file.failure(.unsupported, "HDF5 whose addresses do not begin at the start of the file")
      }
      let end = try file.length(addresses + 16)
      guard end == bytes.count else {
        throw file.failure(
          end > bytes.count ? .truncated : .trailingData, "\(bytes.count) bytes; the superblock says \(end)")
      }
      root = try file.address(addresses + 32 + 8)
    }

    /// The messages of the object that the root group calls `name`.
    /// - Throws: ``FlowFormatError`` `unsupported` when there is none.
    func messages(ofObject name: String) throws -> [HDF5Message] {
      guard let table = try messages(at: root).first(where: { $0.type == Self.symbolTableMessage }) else {
        throw file.failure(.unsupported, "the HDF5 file's root group has no symbol table")
      }
      let heap = try HDF5Heap(file, at: file.address(table.offset + 8))
      var remaining = file.count / Self.symbolLength
      guard
        let object = try find(
          name, in: file.address(table.offset), level: Self.maximumLevel, heap: heap, remaining: &remaining)
      else { throw file.failure(.unsupported, "has no dataset named '\(name)'") }
      return try messages(at: object)
    }

    /// Looks through the nodes below `node`; `remaining` bounds how many symbols are looked at.
    private func find(
      _ name: String, in node: Int, level: Int, heap: HDF5Heap, remaining: inout Int
    ) throws -> Int? {
      if try file.slice(node, 4).elementsEqual("SNOD".utf8) {
        for index in 0..<(try file.word16(node + 6)) {
          remaining -= 1
          guard remaining >= 0 else { throw file.failure(.damaged, "its symbol table is endless") }
          let symbol = node + 8 + index * Self.symbolLength
          guard try heap.text(at: file.length(symbol)) == name else { continue }
          guard try file.word32(symbol + 16) != Self.softLink else {
            throw file.failure(.unsupported, "'\(name)' is a link to another place")
          }
          return try file.address(symbol + 8)
        }
        return nil
      }
      try file.expect("TREE", at: node)
      let ownLevel = try file.byte(node + 5)
      guard try file.byte(node + 4) == 0, ownLevel < level else { throw file.failure(.damaged, "its group's tree") }
      for index in 0..<(try file.word16(node + 6)) {
        remaining -= 1
        guard remaining >= 0 else { throw file.failure(.damaged, "its symbol table is endless") }
        let child = try file.address(node + 24 + 8 + index * 16)
        if let found = try find(name, in: child, level: ownLevel, heap: heap, remaining: &remaining) { return found }
      }
      return nil
    }

    /// The messages of the object header at `address`, those in continuations too.
    private func messages(at address: Int) throws -> [HDF5Message] {
      guard try file.byte(address) == 1 else {
        throw file.failure(.unsupported, "an object header of a version other than 1")
      }
      let count = try file.word16(address + 2)
      var blocks = [(start: address + 16, length: try file.word32(address + 8))]
      var messages: [HDF5Message] = []
      var seen = 0
      while seen < count, !blocks.isEmpty {
        let block = blocks.removeFirst()
        _ = try file.slice(block.start, block.length)
        var offset = block.start
        while seen < count, offset + 8 <= block.start + block.length {
          let message = try HDF5Message(file, at: offset, end: block.start + block.length)
          seen += 1
          offset = message.offset + message.length
          if message.type == HDF5Message.continuation {
            blocks.append((try file.address(message.offset), try file.length(message.offset + 8)))
          } else {
            messages.append(message)
          }
        }
      }
      guard seen == count else { throw file.failure(.truncated, "an object header has \(seen) of \(count) messages") }
      return messages
    }
  }

  /// One message of an object header.
  struct HDF5Message {
    static let continuation = 0x10
    private static let sharedFlag = 2

    let type: Int
    /// The offset at which the message's data begin.
    let offset: Int
    let length: Int

    init(_ file: HDF5Bytes, at start: Int, end: Int) throws {
      type = try file.word16(start)
      length = try file.word16(start + 2)
      offset = start + 8
      guard length <= end - offset else { throw file.failure(.damaged, "a message at \(start) leaves its header") }
      guard try file.byte(start + 4) & Self.sharedFlag == 0 else {
        throw file.failure(.unsupported, "a message at \(start) is shared between objects")
      }
      guard type != Self.continuation || length >= 16 else {
        throw file.failure(.damaged, "a continuation at \(start)")
      }
    }
  }

  /// The names of a group.
  private struct HDF5Heap {
    private let file: HDF5Bytes
    private let start: Int
    private let length: Int

    init(_ file: HDF5Bytes, at address: Int) throws {
      self.file = file
      try file.expect("HEAP", at: address)
      length = try file.length(address + 8)
      start = try file.address(address + 24)
      _ = try file.slice(start, length)
    }

    func text(at offset: Int) throws -> String {
      guard offset < length else { throw file.failure(.damaged, "a name lies outside of its heap") }
      return try file.text(start + offset, end: start + length)
    }
  }
#endif
