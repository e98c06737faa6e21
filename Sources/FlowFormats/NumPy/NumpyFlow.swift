// Flow as NumPy arrays: (height, width, 2) for one field, (fields, height, width, 2) for a video; u, then v; NaN for
// unknown vectors.

import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Reads and writes `.npy` files.
enum NumpyFlow {
  /// Decodes one field. Numbers of 2, 4 and 8 bytes, both byte orders and both orders of the indices are read.
  ///
  /// - Parameter field: The number of the field among several; nil: there must be one.
  static func decode(_ file: FileParts, name: String, field: Int?) throws -> FlowField {
    let layout = try NumpyLayout(file, name: name)
    let (strides, element) = (layout.strides, layout.element)
    return try layout.withField(field, of: file, name: name) { numbers in
      FlowField(size: layout.size) { y, u, v in
        var index = y * strides.row
        for x in 0..<layout.size.width {
          u[x] = element.number(in: numbers, at: index)
          v[x] = element.number(in: numbers, at: index + strides.component)
          index += strides.column
        }
      }
    }
  }

  /// Decodes one plane of an array (height, width) or (fields, height, width): a confidence.
  static func decodePlane(_ file: FileParts, name: String, field: Int?) throws -> Plane<Float> {
    let layout = try NumpyLayout(file, componentCount: 1, name: name)
    return try layout.withField(field, of: file, name: name) { numbers in
      Plane(size: layout.size) { plane in
        for y in 0..<layout.size.height {
          let row = plane.row(y)
          for x in 0..<layout.size.width {
            row[x] = layout.element.number(in: numbers, at: y * layout.strides.row + x * layout.strides.column)
          }
        }
      }
    }
  }

  /// The contents of a file with one field, and how many vectors were clamped to what 16-bit floats hold.
  static func encode(_ flow: FlowField, halfPrecision: Bool) -> (Data, clamped: Int) {
    let element = halfPrecision ? NumpyHeader.Element.half : .float
    var data = NumpyHeader(element: element, isFortranOrder: false, shape: [flow.height, flow.width, 2]).encoded
    let (numbers, clamped) = numbers(of: flow, halfPrecision: halfPrecision)
    data.append(numbers)
    return (data, clamped)
  }

  /// The numbers of a field, row by row, little endian.
  static func numbers(of flow: FlowField, halfPrecision: Bool) -> (Data, clamped: Int) {
    guard halfPrecision else { return (interleaved(flow) { $0.bitPattern.littleEndian }, 0) }
    var clamped = 0
    let largest = Float(Float16.greatestFiniteMagnitude)
    flow.forEachRow { _, u, v in
      for x in 0..<flow.width where abs(u[x]) > largest || abs(v[x]) > largest {
        if u[x].isFinite && v[x].isFinite { clamped += 1 }
      }
    }
    return (
      interleaved(flow) { Float16($0.isNaN ? $0 : min(max($0, -largest), largest)).bitPattern.littleEndian }, clamped
    )
  }

  private static func interleaved<Word: FixedWidthInteger & BitwiseCopyable>(
    _ flow: FlowField, _ word: (Float) -> Word
  ) -> Data {
    // The array would trap without a word.
    free(FrameMemory.allocate(byteCount: 16 * flow.size.area))
    let words = [Word](unsafeUninitializedCapacity: 2 * flow.size.area) { words, count in
      flow.forEachRow { y, u, v in
        var index = 2 * y * flow.width
        for x in 0..<flow.width {
          let isKnown = u[x].isFinite && v[x].isFinite
          words[index] = word(isKnown ? u[x] : .nan)
          words[index + 1] = word(isKnown ? v[x] : .nan)
          index += 2
        }
      }
      count = 2 * flow.size.area
    }
    return words.withUnsafeBytes { Data($0) }
  }
}

extension NumpyHeader.Element {
  /// The number `index` of `numbers`, which must lie inside.
  func number(in numbers: UnsafeRawBufferPointer, at index: Int) -> Float {
    switch size {
    case 2:
      let word = numbers.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
      return Float(Float16(bitPattern: isBigEndian ? UInt16(bigEndian: word) : UInt16(littleEndian: word)))
    case 4: return numbers.float(at: 4 * index, bigEndian: isBigEndian)
    default:
      let word = numbers.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
      return Float(Double(bitPattern: isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word)))
    }
  }
}

/// The offsets of the fields of a `.npy` file, checked against the length of the file.
struct NumpyLayout {
  let element: NumpyHeader.Element
  let fieldCount: Int
  let size: PixelSize
  let dataOffset: Int
  /// The distances between neighbours in a field alone, counted in numbers.
  let strides: (row: Int, column: Int, component: Int)
  /// The numbers of a field.
  private let numberCount: Int
  /// A Boolean value that tells whether the numbers of a field lie apart, those of the others between them.
  private let isInterleaved: Bool

  /// - Parameter componentCount: Numbers of a pixel: 2 for flow, 1 for a plane, whose arrays have no index for it.
  init(_ file: FileParts, componentCount: Int = 2, name: String) throws {
    let (header, offset) = try file.withBytes(0..<min(file.length, NumpyHeader.maximumLength)) {
      try NumpyHeader.read($0, name: name)
    }
    var shape = header.shape
    let described = "(\(shape.map { "\($0)" }.joined(separator: ", ")))"
    if componentCount == 1 { shape.append(1) }
    guard shape.count == 3 || shape.count == 4, shape.last == componentCount else {
      let known =
        componentCount == 1
        ? "a confidence is (height, width) or (fields, height, width)"
        : "flow is (height, width, 2) or (fields, height, width, 2)"
      throw FlowFormatError(
        code: .unsupported, message: "\(name): an array of the shape \(described); \(known)")
    }
    element = header.element
    dataOffset = offset
    fieldCount = shape.count == 4 ? shape[0] : 1
    size = try FieldLimits.check(width: shape[shape.count - 2], height: shape[shape.count - 3], name: name)
    // Sides are below 2³¹: the field fits into 62 bits, its bytes perhaps not.
    let (fieldBytes, overflows) = (size.area * componentCount).multipliedReportingOverflow(by: element.size)
    let (total, overflowsToo) = fieldBytes.multipliedReportingOverflow(by: fieldCount)
    let present = file.length - offset
    guard !overflows, !overflowsToo, total <= present else {
      throw FlowFormatError(
        code: .truncated, message: "\(name): \(file.length) bytes are too few for an array of \(described)")
    }
    guard total == present else {
      throw FlowFormatError(
        code: .trailingData,
        message: "\(name): \(file.length) bytes; an array of \(described) has \(offset + total)")
    }
    try FieldLimits.checkMemory(size, fileLength: file.length, name: name)
    strides =
      header.isFortranOrder
      ? (1, size.height, size.area) : (componentCount * size.width, componentCount, 1)
    numberCount = componentCount * size.area
    isInterleaved = header.isFortranOrder && fieldCount > 1
  }

  /// Calls `body` with the numbers of a field.
  /// - Parameter field: The number of the field; nil is for a file that holds one.
  func withField<Result>(
    _ field: Int?, of file: FileParts, name: String, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let field = try chosenField(field, name: name)
    guard !isInterleaved else { return try gathered(field, of: file, name: name).withUnsafeBytes(body) }
    let start = dataOffset + field * numberCount * element.size
    return try file.withBytes(start..<start + numberCount * element.size) { numbers in
      try require(numbers.count == numberCount * element.size, name)
      return try body(numbers)
    }
  }

  /// Picks the numbers of a field out of the whole file, a piece of it after the other.
  private func gathered(_ field: Int, of file: FileParts, name: String) throws -> [UInt8] {
    try FlowFormatError.requireMemory(numberCount * element.size, .unreadable, name: name)
    var numbers: [UInt8] = []
    numbers.reserveCapacity(numberCount * element.size)
    let step = fieldCount * element.size
    let numbersInPiece = max(1, Self.pieceLength / step)
    for first in stride(from: 0, to: numberCount, by: numbersInPiece) {
      let count = min(numbersInPiece, numberCount - first)
      let start = dataOffset + first * step + field * element.size
      // Up to the last number itself: nothing lies behind the last field's.
      let length = (count - 1) * step + element.size
      try file.withBytes(start..<start + length) { piece in
        try require(piece.count == length, name)
        for index in 0..<count { numbers += piece[index * step..<index * step + element.size] }
      }
    }
    return numbers
  }

  /// The bytes of a piece, unless a single number of all fields has more.
  private static let pieceLength = 1 << 20

  private func require(_ isWhole: Bool, _ name: String) throws {
    guard isWhole else {
      throw FlowFormatError(code: .truncated, message: "\(name): has become shorter while it was read")
    }
  }

  /// The field that is meant; nil is for a file that holds one.
  func chosenField(_ field: Int?, name: String) throws -> Int {
    guard let field = field ?? (fieldCount == 1 ? 0 : nil) else {
      throw FlowFormatError(
        code: .invalidOption, message: "\(name): holds \(fieldCount) fields; say which, 0…\(fieldCount - 1)")
    }
    guard (0..<fieldCount).contains(field) else {
      throw FlowFormatError(
        code: .invalidOption, message: "\(name): there is no field \(field); it holds \(fieldCount), from 0")
    }
    return field
  }
}
