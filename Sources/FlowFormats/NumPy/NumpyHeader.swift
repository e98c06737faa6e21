// The header of NumPy's `.npy` files (NumPy Enhancement Proposal 1; numpy.lib.format): the magic string, a version, the
// length of a Python dictionary, and that dictionary, padded so that the numbers begin at a multiple of 64.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of the header of a `.npy` file.
struct NumpyHeader: Equatable {
  /// A kind of number that a field is read from.
  struct Element: Equatable {
    /// Bytes: 2, 4 or 8.
    var size: Int
    var isBigEndian: Bool

    static let float = Element(size: 4, isBigEndian: false)
    static let half = Element(size: 2, isBigEndian: false)
  }

  var element: Element
  /// The first index runs fastest.
  var isFortranOrder: Bool
  var shape: [Int]

  /// Enough for four numbers of 19 digits; what NumPy itself writes for fields.
  static let encodedLength = 128
  private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// NumPy's own limit for headers of files that it does not trust.
  private static let maximumTextLength = 10_000
  /// The maximum length of a header with all that precedes its text, in bytes.
  static let maximumLength = 12 + maximumTextLength

  /// The bytes of a header, always `encodedLength` of them: room to write another count over the first.
  var encoded: Data {
    let shape = shape.map { "\($0)" }.joined(separator: ", ")
    let type = (element.isBigEndian ? ">f" : "<f") + "\(element.size)"
    let text = "{'descr': '\(type)', 'fortran_order': \(isFortranOrder ? "True" : "False"), 'shape': (\(shape)), }"
    var data = Data(Self.magic + [1, 0])
    let room = Self.encodedLength - data.count - 2
    precondition(text.utf8.count < room, "a header of \(text.utf8.count) bytes")
    data.append(contentsOf: [UInt8(room), 0])
    data.append(contentsOf: Array(text.utf8) + [UInt8](repeating: 0x20, count: room - text.utf8.count - 1) + [0x0A])
    return data
  }

  /// Reads a header of version 1, 2 or 3.
  /// - Returns: The header, and where the numbers begin.
  /// - Throws: ``FlowFormatError`` that names the file.
  static func read(_ bytes: UnsafeRawBufferPointer, name: String) throws -> (NumpyHeader, dataOffset: Int) {
    guard bytes.prefix(magic.count).elementsEqual(magic.prefix(bytes.count)), !bytes.isEmpty else {
      throw FlowFormatError(
        code: bytes.isEmpty ? .truncated : .wrongFormat,
        message: "\(name): not a .npy file: \(bytes.isEmpty ? "empty" : "it does not begin with \\x93NUMPY")")
    }
    guard bytes.count >= 12 else { throw failure(.truncated, "\(bytes.count) bytes; the header has more", name) }
    let version = bytes[6]
    guard (1...3).contains(version), bytes[7] == 0 else {
      throw failure(.unsupported, "version \(version).\(bytes[7]) of .npy; 1.0, 2.0 and 3.0 are read", name)
    }
    let start = version == 1 ? 10 : 12
    let length = version == 1 ? Int(bytes[8]) | Int(bytes[9]) << 8 : Int(bytes.word(at: 8))
    guard length <= maximumTextLength else {
      throw failure(.absurdSize, "a header of \(length) bytes; at most \(maximumTextLength) are read", name)
    }
    guard bytes.count >= start + length else {
      throw failure(.truncated, "\(bytes.count) bytes; the header alone has \(start + length)", name)
    }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
    return (try NumpyHeaderParser(text, name: name).header(), start + length)
  }

  static func failure(_ code: FlowFormatError.Code, _ text: String, _ name: String) -> FlowFormatError {
    FlowFormatError(code: code, message: "\(name): \(text)")
  }
}

/// Reads the dictionary: exactly the keys `descr`, `fortran_order` and `shape`, in any order.
private struct NumpyHeaderParser {
  private let text: UnsafeRawBufferPointer
  private let name: String
  private var position = 0

  init(_ text: UnsafeRawBufferPointer, name: String) {
    self.text = text
    self.name = name
  }

  func header() throws -> NumpyHeader {
    var parser = self
    return try parser.dictionary()
  }

  private mutating func dictionary() throws -> NumpyHeader {
    var element: NumpyHeader.Element?
    var isFortranOrder: Bool?
    var shape: [Int]?
    try expect("{")
    while !accept("}") {
      let key = try string()
      try expect(":")
      switch key {
      case "descr" where element == nil: element = try self.element()
      case "fortran_order" where isFortranOrder == nil: isFortranOrder = try boolean()
      case "shape" where shape == nil: shape = try tuple()
      default: throw malformed("the key '\(key)' twice, or one that .npy does not have")
      }
      if !accept(",") {
        try expect("}")
        break
      }
    }
    skipSpaces()
    guard position == text.count else { throw malformed("something after the dictionary") }
    guard let element, let isFortranOrder, let shape else {
      throw malformed("one of the keys 'descr', 'fortran_order' and 'shape' is missing")
    }
    return NumpyHeader(element: element, isFortranOrder: isFortranOrder, shape: shape)
  }

  private mutating func element() throws -> NumpyHeader.Element {
    if accept("[") { throw NumpyHeader.failure(.unsupported, "an array of records; flow is an array of floats", name) }
    let type = try string()
    let sizes = ["f2": 2, "f4": 4, "f8": 8]
    guard let order = type.first, "<>".contains(order), let size = sizes[String(type.dropFirst())] else {
      throw NumpyHeader.failure(
        .unsupported, "an array of '\(type)'; flow is read from f2, f4 and f8, '<' or '>'", name)
    }
    return NumpyHeader.Element(size: size, isBigEndian: order == ">")
  }

  private mutating func boolean() throws -> Bool {
    skipSpaces()
    for (word, value) in [("True", true), ("False", false)]
    where text.dropFirst(position).prefix(word.utf8.count).elementsEqual(word.utf8) {
      position += word.utf8.count
      return value
    }
    throw malformed("neither True nor False")
  }

  private mutating func tuple() throws -> [Int] {
    var numbers: [Int] = []
    try expect("(")
    while !accept(")") {
      numbers.append(try number())
      guard numbers.count <= 32 else { throw malformed("more than 32 dimensions") }
      if !accept(",") {
        try expect(")")
        break
      }
    }
    return numbers
  }

  private mutating func number() throws -> Int {
    skipSpaces()
    let digits = text[position...].prefix { (0x30...0x39).contains($0) }
    position = digits.endIndex
    guard !digits.isEmpty else { throw malformed("no number") }
    guard let number = Int(String(decoding: digits, as: UTF8.self)) else {
      throw NumpyHeader.failure(.absurdSize, "a dimension beyond \(Int.max)", name)
    }
    return number
  }

  private mutating func string() throws -> String {
    skipSpaces()
    guard position < text.count, text[position] == 0x27 || text[position] == 0x22 else { throw malformed("no string") }
    let quote = text[position]
    let contents = text[(position + 1)...].prefix { $0 != quote }
    guard contents.endIndex < text.count else { throw malformed("a string without an end") }
    position = contents.endIndex + 1
    return String(decoding: contents.prefix(64), as: UTF8.self)
  }

  private mutating func expect(_ character: Character) throws {
    guard accept(character) else { throw malformed("no '\(character)'") }
  }

  private mutating func accept(_ character: Character) -> Bool {
    skipSpaces()
    guard position < text.count, text[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func skipSpaces() {
    while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
  }

  private func malformed(_ text: String) -> FlowFormatError {
    NumpyHeader.failure(.wrongFormat, "its .npy header is malformed at byte \(position): \(text)", name)
  }
}
