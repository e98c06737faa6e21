// The chunks of a dataset: where they lie (HDF5 File Format Specification, III.A.1) and what they hold.

#if RHEO_HDF5
  import CHDF5
  import Imaging

  /// The chunks of a dataset in the order of their positions.
  struct HDF5Chunks {
    /// A box of numbers in the file.
    struct Chunk {
      /// Row, column and component of its first number.
      var origin: [Int]
      var address: Int
      var length: Int
    }

    private static let maximumLevel = 16
    /// A key: length, filter mask, row, column, component, byte.
    private static let keyLength = 40

    private let structure: HDF5Structure
    private let tree: Int
    private let extent: [Int]
    let sides: [Int]

    private var file: HDF5Bytes { structure.file }

    init(_ structure: HDF5Structure, tree: Int, sides: [Int], size: PixelSize) {
      self.structure = structure
      self.tree = tree
      self.sides = sides
      extent = [size.height, size.width, 2]
    }

    /// Throws unless every chunk is there once, and all of them fit into the file and could hold `byteCount` bytes.
    func check(byteCount: Int, bytesPerChunk: Int, isCompressed: Bool) throws {
      var last: [Int] = [-1]
      var (count, total) = (0, 0)
      try forEach { chunk in
        guard last.lexicographicallyPrecedes(chunk.origin) else {
          throw file.failure(.damaged, "its chunks are in disorder")
        }
        guard isCompressed || chunk.length == bytesPerChunk else {
          throw file.failure(.damaged, "a chunk of \(chunk.length) bytes instead of \(bytesPerChunk)")
        }
        guard bytesPerChunk / FieldLimits.maximumCompressionRatio <= chunk.length else {
          throw file.failure(.truncated, "a chunk of \(chunk.length) bytes cannot hold \(bytesPerChunk)")
        }
        last = chunk.origin
        count += 1
        total += chunk.length
      }
      // No overflow: at most the number of numbers.
      let expected = zip(extent, sides).reduce(1) { $0 * (($1.0 + $1.1 - 1) / $1.1) }
      guard count == expected else { throw file.failure(.truncated, "it holds \(count) of \(expected) chunks") }
      guard total <= file.count, byteCount / FieldLimits.maximumCompressionRatio <= total else {
        throw file.failure(.truncated, "chunks of \(total) bytes in a file of \(file.count) cannot hold its numbers")
      }
    }

    /// Calls `body` with every chunk.
    func forEach(_ body: (Chunk) throws -> Void) throws {
      // Every chunk has a key of its own in the file.
      var remaining = file.count / Self.keyLength
      try visit(tree, below: Self.maximumLevel, &remaining, body)
    }

    private func visit(
      _ node: Int, below level: Int, _ remaining: inout Int, _ body: (Chunk) throws -> Void
    ) throws {
      try file.expect("TREE", at: node)
      let ownLevel = try file.byte(node + 5)
      let count = try file.word16(node + 6)
      guard try file.byte(node + 4) == 1, ownLevel < level, count <= 2 * structure.chunkTreeOrder else {
        throw file.failure(.damaged, "the tree of its chunks at \(node)")
      }
      for index in 0..<count {
        remaining -= 1
        guard remaining >= 0 else { throw file.failure(.damaged, "the tree of its chunks is endless") }
        let key = node + 24 + index * (Self.keyLength + 8)
        let child = try file.address(key + Self.keyLength)
        if ownLevel > 0 {
          try visit(child, below: ownLevel, &remaining, body)
        } else {
          try body(try chunk(key, at: child))
        }
      }
    }

    private func chunk(_ key: Int, at address: Int) throws -> Chunk {
      let length = try file.word32(key)
      let origin = try (0..<3).map { try file.length(key + 8 + 8 * $0) }
      let fits = (0..<3).allSatisfy { origin[$0] < extent[$0] && origin[$0] % sides[$0] == 0 }
      guard try file.word32(key + 4) == 0, fits else {
        throw file.failure(.damaged, "a chunk at \(origin), among chunks of \(sides)")
      }
      _ = try file.slice(address, length)
      return Chunk(origin: origin, address: address, length: length)
    }
  }

  /// Undoes the filters of chunks; its memory is that of two of them.
  struct HDF5Decompression {
    private let filters: [HDF5Dataset.Filter]
    private let element: NumpyHeader.Element
    private var numbers: [UInt8]
    private var shuffled: [UInt8] = []

    init(_ dataset: HDF5Dataset, bytesPerChunk: Int) {
      filters = dataset.filters
      element = dataset.element
      numbers = [UInt8](repeating: 0, count: bytesPerChunk)
    }

    /// The numbers of a chunk, valid inside `body`.
    mutating func withNumbers(
      of bytes: UnsafeRawBufferPointer, _ file: HDF5Bytes, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws {
      guard !filters.isEmpty else { return body(bytes) }
      var isRaw = true
      for filter in filters.reversed() {
        switch filter {
        case .deflate: try inflate(bytes, file)
        case .shuffle where isRaw && bytes.count != numbers.count:
          throw file.failure(.damaged, "a chunk of \(bytes.count) bytes instead of \(numbers.count)")
        case .shuffle:
          shuffled = isRaw ? Array(bytes) : numbers
          unshuffle()
        }
        isRaw = false
      }
      numbers.withUnsafeBytes(body)
    }

    private mutating func inflate(_ bytes: UnsafeRawBufferPointer, _ file: HDF5Bytes) throws {
      var (length, used) = (uLongf(numbers.count), uLong(bytes.count))
      let status = uncompress2(&numbers, &length, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &used)
      guard status == Z_OK, Int(length) == numbers.count, Int(used) == bytes.count else {
        throw file.failure(.damaged, "a chunk does not decompress to \(numbers.count) bytes")
      }
    }

    private mutating func unshuffle() {
      let count = numbers.count / element.size
      for position in 0..<element.size {
        for index in 0..<count { numbers[index * element.size + position] = shuffled[position * count + index] }
      }
    }
  }
#endif
