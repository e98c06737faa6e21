// The description of a dataset: extent, type, layout, compression (HDF5 File Format Specification, IV.A.2).

#if RHEO_HDF5
  import Imaging

  /// A dataset of flow, checked against the length of its file before anything is allocated for it.
  struct HDF5Dataset {
    /// The layout of the numbers in the file.
    enum Layout {
      /// The numbers lie in one piece, at this address.
      case contiguous(Int)
      /// The numbers lie in boxes of `sides` (rows, columns, components), which a B-tree at `tree` indexes.
      case chunked(tree: Int, sides: [Int])
    }

    /// The steps that change a chunk on its way into the file, in this order.
    enum Filter: Int {
      case deflate = 1
      /// The first bytes of all numbers, then the second ones …
      case shuffle = 2
    }

    private static let dataspace = 0x1
    private static let datatype = 0x3
    private static let layout = 0x8
    private static let pipeline = 0xB
    private static let externalFiles = 0x7
    /// The maximum size of a chunk in memory, in bytes: the format's own limit is 4 GiB.
    private static let maximumChunkLength = 1 << 30

    let size: PixelSize
    let element: NumpyHeader.Element
    let layout: Layout
    let filters: [Filter]

    /// The length of all numbers.
    var byteCount: Int { size.area * 2 * element.size }

    init(_ messages: [HDF5Message], of file: HDF5Bytes) throws {
      func message(_ type: Int, _ what: String) throws -> HDF5Message {
        let found = messages.filter { $0.type == type }
        guard found.count == 1 else { throw file.failure(.unsupported, "its object 'flow' has no \(what): no dataset") }
        return found[0]
      }
      guard !messages.contains(where: { $0.type == Self.externalFiles }) else {
        throw file.failure(.unsupported, "its numbers lie in another file")
      }
      size = try Self.size(message(Self.dataspace, "extent"), file)
      let element = try Self.element(message(Self.datatype, "type"), file)
      self.element = element
      // Sides are below 2³¹ and numbers of at most 8 bytes: 2⁶⁶.
      let (length, overflows) = (size.area * 2).multipliedReportingOverflow(by: element.size)
      guard !overflows, length / FieldLimits.maximumCompressionRatio <= file.count else {
        throw file.failure(.truncated, "\(file.count) bytes are too few for a field of \(size)")
      }
      try FieldLimits.checkMemory(size, fileLength: length, name: file.name)
      layout = try Self.layout(message(Self.layout, "layout"), byteCount: length, element: element, file)
      let pipeline = messages.filter { $0.type == Self.pipeline }
      guard pipeline.count <= 1 else { throw file.failure(.damaged, "it is compressed in two ways") }
      filters = try pipeline.first.map { try Self.filters($0, element: element, file) } ?? []
    }

    private static func size(_ message: HDF5Message, _ file: HDF5Bytes) throws -> PixelSize {
      let version = try file.byte(message.offset)
      let rank = try file.byte(message.offset + 1)
      let start = message.offset + (version == 1 ? 8 : 4)
      guard (1...2).contains(version), rank <= 32, message.length >= start - message.offset + 8 * rank else {
        throw file.failure(.damaged, "the extent of its dataset")
      }
      let extent = try (0..<rank).map { try file.length(start + 8 * $0) }
      guard extent.count == 3, extent[2] == 2 else {
        throw file.failure(.unsupported, "its dataset has the shape \(extent); flow is (height, width, 2)")
      }
      return try FieldLimits.check(width: extent[1], height: extent[0], name: file.name)
    }

    /// An IEEE 754 float of 2, 4 or 8 bytes, in either byte order.
    private static func element(_ message: HDF5Message, _ file: HDF5Bytes) throws -> NumpyHeader.Element {
      guard message.length >= 20 else { throw file.failure(.damaged, "the type of its dataset") }
      let kind = try file.byte(message.offset)
      let order = try file.byte(message.offset + 1)
      let size = try file.word32(message.offset + 4)
      // Sign, then the positions and widths of exponent and mantissa, and the exponent's bias.
      let expected: [Int: [Int]] = [
        2: [15, 10, 5, 0, 10, 15], 4: [31, 23, 8, 0, 23, 127], 8: [63, 52, 11, 0, 52, 1023],
      ]
      let positions = message.offset + 12
      let found =
        try [file.byte(message.offset + 2)] + (0..<4).map { try file.byte(positions + $0) } + [
          file.word32(positions + 4)
        ]
      // The low four bits are the class; 0x20: the mantissa's first bit is implied; 1: big endian.
      guard kind & 0xF == 1, order & ~1 == 0x20, expected[size] == found, try file.word16(message.offset + 8) == 0,
        try file.word16(message.offset + 10) == 8 * size
      else {
        throw file.failure(.unsupported, "its dataset does not hold IEEE floats of 2, 4 or 8 bytes")
      }
      return NumpyHeader.Element(size: size, isBigEndian: order & 1 == 1)
    }

    private static func layout(
      _ message: HDF5Message, byteCount: Int, element: NumpyHeader.Element, _ file: HDF5Bytes
    ) throws -> Layout {
      let (version, kind) = (try file.byte(message.offset), try file.byte(message.offset + 1))
      guard version == 3, kind == 1 || kind == 2 else {
        throw file.failure(.unsupported, "a layout (version \(version), class \(kind)) other than chunks or one piece")
      }
      if kind == 1 {
        guard try file.word64(message.offset + 2) != HDF5Bytes.undefined,
          try file.length(message.offset + 10) == byteCount
        else { throw file.failure(.truncated, "its dataset was never written to its end") }
        let start = try file.address(message.offset + 2)
        _ = try file.slice(start, byteCount)
        return .contiguous(start)
      }
      let sides = try (0..<4).map { try file.word32(message.offset + 11 + 4 * $0) }
      guard try file.byte(message.offset + 2) == 4, message.length >= 27, sides[3] == element.size else {
        throw file.failure(.damaged, "the chunks of its dataset do not match its extent")
      }
      let ratio = FieldLimits.maximumCompressionRatio
      let bound = min(maximumChunkLength / ratio, file.count) * ratio
      _ = try sides.reduce(1) { bytes, side in
        let (product, overflows) = bytes.multipliedReportingOverflow(by: side)
        guard side > 0, !overflows, product <= bound else {
          throw file.failure(
            .absurdSize, "its chunks of \(sides.dropLast()) numbers are too large for \(file.count) bytes")
        }
        return product
      }
      guard try file.word64(message.offset + 3) != HDF5Bytes.undefined else {
        throw file.failure(.truncated, "its dataset was never written")
      }
      return .chunked(tree: try file.address(message.offset + 3), sides: Array(sides.prefix(3)))
    }

    private static func filters(
      _ message: HDF5Message, element: NumpyHeader.Element, _ file: HDF5Bytes
    ) throws -> [Filter] {
      let version = try file.byte(message.offset)
      let count = try file.byte(message.offset + 1)
      guard (1...2).contains(version) else { throw file.failure(.damaged, "how its dataset is compressed") }
      var offset = message.offset + (version == 1 ? 8 : 2)
      var filters: [Filter] = []
      for _ in 0..<count {
        let number = try file.word16(offset)
        guard let filter = Filter(rawValue: number), !filters.contains(filter) else {
          throw file.failure(
            .unsupported, "its dataset is compressed with the filter \(number); gzip and shuffle are read")
        }
        filters.append(filter)
        // Version 2 leaves the name out for the numbers below 256.
        let nameLength = version == 1 ? try file.word16(offset + 2) : 0
        let valueCount = try file.word16(offset + (version == 1 ? 6 : 4))
        let values = offset + (version == 1 ? 8 : 6) + nameLength
        let isOfElements = try filter != .shuffle || file.word32(values) == element.size
        guard valueCount == 1, isOfElements else {
          throw file.failure(.damaged, "the settings of its compression")
        }
        offset = values + (version == 1 ? 8 : 4)
      }
      return filters
    }
  }
#endif
