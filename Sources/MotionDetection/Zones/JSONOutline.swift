// The lines of the values of a JSON text, for messages about what people wrote in it.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The values of a JSON text with the lines that they begin on.
///
/// `JSONDecoder` makes values of a text; it tells neither the line of a fault nor a key that nobody asked for, such as
/// a misspelt one. Grammar: RFC 8259.
package struct JSONOutline {
  /// A fault of a text, with its line.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package var line: Int
    package var message: String
    package var description: String { "line \(line): \(message)" }
  }

  /// A value, with the line it begins on, counted from 1.
  package struct Value {
    package indirect enum Content {
      case object([(key: String, line: Int, value: Value)])
      case array([Value])
      /// A text, number or word, as it is written.
      case scalar(String)
    }
    package let line: Int
    package let content: Content
    /// The range of its bytes in the text.
    package let range: Range<Int>

    /// The value in few words, for messages.
    package var summary: String {
      switch content {
      case .object: "an object"
      case .array: "a list"
      case .scalar(let text): text.count <= 40 ? text : text.prefix(40) + "…"
      }
    }
  }

  /// The fields of an object that people write, each with the values that it takes.
  package struct Fields {
    package struct Field {
      let name: String
      /// The allowed values, in words.
      let allowed: String
      /// The fields of the value, or of the elements of the list that it is.
      let inner: Fields?

      package init(_ name: String, _ allowed: String, _ inner: Fields? = nil) {
        (self.name, self.allowed, self.inner) = (name, allowed, inner)
      }
    }
    let fields: [Field]

    package init(_ fields: [Field]) { self.fields = fields }

    var names: String { fields.map(\.name).joined(separator: ", ") }
    func field(_ name: String) -> Field? { fields.first { $0.name == name } }
  }

  package let root: Value

  /// Reads a text.
  /// - Throws: ``Fault`` for what is no JSON.
  package init(_ text: Data) throws(Fault) {
    var reader = JSONReader(bytes: Array(text))
    root = try reader.document()
  }

  /// Checks that all keys of all objects are known, and that none occurs twice.
  /// - Throws: ``Fault`` with the line, the key, its value and the known keys.
  package func requireKeys(_ fields: Fields) throws(Fault) { try Self.check(root, fields, at: "") }

  private static func check(_ value: Value, _ fields: Fields, at path: String) throws(Fault) {
    switch value.content {
    case .scalar: return
    case .array(let values):
      for (index, element) in values.enumerated() { try check(element, fields, at: "\(path)[\(index)]") }
    case .object(let members):
      var seen: Set<String> = []
      for (key, line, inner) in members {
        let prefix = path.isEmpty ? "" : "\(path): "
        guard let field = fields.field(key) else {
          let text = "\(prefix)the key \"\(key)\" (\(inner.summary)) is not known; allowed are \(fields.names)"
          throw Fault(line: line, message: text)
        }
        guard seen.insert(key).inserted else {
          throw Fault(line: line, message: "\(prefix)the key \"\(key)\" is there twice")
        }
        if let known = field.inner { try check(inner, known, at: path.isEmpty ? key : "\(path).\(key)") }
      }
    }
  }

  /// Returns what a decoder's error means for who wrote the text: line, key, value and what is allowed.
  package func fault(_ error: DecodingError, _ fields: Fields) -> Fault {
    switch error {
    case .keyNotFound(let key, let context):
      let (value, path, known) = find(context.codingPath, fields)
      let allowed = known.inner?.field(key.stringValue).map { ": \($0.allowed)" } ?? ""
      return Fault(line: value.line, message: "\(path): the key \"\(key.stringValue)\" is missing\(allowed)")
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let (value, path, known) = find(context.codingPath, fields)
      let subject = path.isEmpty ? "the text" : path
      return Fault(line: value.line, message: "\(subject) is \(value.summary); allowed: \(known.allowed)")
    @unknown default: return Fault(line: root.line, message: "\(error)")
    }
  }

  /// Returns the line on which an element of a list begins, the list being a field of the outermost object.
  package func line(of key: String, _ index: Int) -> Int? {
    guard case .object(let members) = root.content, let list = members.first(where: { $0.key == key })?.value,
      case .array(let values) = list.content, values.indices.contains(index)
    else { return nil }
    return values[index].line
  }

  private func find(_ codingPath: [any CodingKey], _ fields: Fields) -> (Value, path: String, known: Fields.Field) {
    var (value, path) = (root, "")
    var known = Fields.Field("", "an object with \(fields.names)", fields)
    for key in codingPath {
      switch value.content {
      case .object(let members):
        guard let member = members.first(where: { $0.key == key.stringValue }) else { return (value, path, known) }
        value = member.value
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
        known = known.inner?.field(key.stringValue) ?? known
      case .array(let values):
        guard let index = key.intValue, values.indices.contains(index) else { return (value, path, known) }
        value = values[index]
        path += "[\(index)]"
      case .scalar: return (value, path, known)
      }
    }
    return (value, path, known)
  }
}

/// Reads the values of a text one after the other.
private struct JSONReader {
  let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  /// The last key.
  private var key: String?
  /// The maximum depth of values, chosen by hand: no file that people write is as deep, and deeper ones would cost the
  /// stack.
  private static let maximumDepth = 100

  /// The mark that some editors begin a text in UTF-8 with.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: Self.byteOrderMark) { offset = Self.byteOrderMark.count }
  }

  mutating func document() throws(JSONOutline.Fault) -> JSONOutline.Value {
    let value = try value(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw fault("there is more after the end") }
    return value
  }

  private func fault(_ message: String) -> JSONOutline.Fault { JSONOutline.Fault(line: line, message: message) }

  private mutating func skipSpace() {
    while offset < bytes.count {
      let byte = bytes[offset]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      if byte == 0x0A { line += 1 }
      offset += 1
    }
  }

  /// Takes a sign after space, if it is the next.
  private mutating func take(_ sign: Character) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == sign.asciiValue else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONOutline.Fault) -> JSONOutline.Value {
    skipSpace()
    let (start, begin) = (line, offset)
    guard offset < bytes.count else { throw fault("the text ends too early") }
    guard depth < Self.maximumDepth else { throw fault("values are more than \(Self.maximumDepth) deep") }
    let content = try content(depth)
    return .init(line: start, content: content, range: begin..<offset)
  }

  private mutating func content(_ depth: Int) throws(JSONOutline.Fault) -> JSONOutline.Value.Content {
    if take("{") { return .object(try members(depth)) }
    if take("[") { return .array(try elements(depth)) }
    return .scalar(bytes[offset] == 0x22 ? try string() : try word())
  }

  private mutating func members(
    _ depth: Int
  ) throws(JSONOutline.Fault) -> [(key: String, line: Int, value: JSONOutline.Value)] {
    var members: [(key: String, line: Int, value: JSONOutline.Value)] = []
    if take("}") { return members }
    repeat {
      skipSpace()
      let start = line
      guard offset < bytes.count, bytes[offset] == 0x22 else { throw fault("a key in quotes is missing") }
      let key = String(try string().dropFirst().dropLast())
      self.key = key
      guard take(":") else { throw fault("a colon is missing after the key \"\(key)\"") }
      members.append((key, start, try value(depth: depth + 1)))
    } while take(",")
    guard take("}") else { throw fault("a comma or } is missing after the value of \"\(members.last?.key ?? "")\"") }
    return members
  }

  private mutating func elements(_ depth: Int) throws(JSONOutline.Fault) -> [JSONOutline.Value] {
    var values: [JSONOutline.Value] = []
    if take("]") { return values }
    repeat { values.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw fault("a comma or ] is missing in a list") }
    return values
  }

  /// A text with its quotes, as it is written.
  private mutating func string() throws(JSONOutline.Fault) -> String {
    let start = offset
    offset += 1
    while offset < bytes.count, bytes[offset] != 0x22, bytes[offset] >= 0x20 {
      offset += bytes[offset] == 0x5C ? 2 : 1
    }
    guard offset < bytes.count, bytes[offset] == 0x22 else { throw fault("a text does not end") }
    offset += 1
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// A number, true, false or null.
  private mutating func word() throws(JSONOutline.Fault) -> String {
    let start = offset
    while offset < bytes.count, isWord(bytes[offset]) { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    let isNumber = Self.isNumber(bytes[start..<offset]) && Double(text)?.isFinite == true
    guard isNumber || ["true", "false", "null"].contains(text) else {
      let owner = key.map { "\"\($0)\": " } ?? ""
      let sign = String(decoding: bytes[start..<min(start + 1, bytes.count)], as: UTF8.self)
      throw fault(owner + (text.isEmpty ? "'\(sign)' begins no value" : "'\(text.prefix(40))' is no value"))
    }
    return text
  }

  /// Returns whether a word is a number as JSON writes it: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`. Swift
  /// compiles such an expression anew for each word, which takes ten times as long as all else.
  private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
    var index = word.startIndex
    func isNext(_ sign: Character) -> Bool { index < word.endIndex && word[index] == sign.asciiValue }
    func takeDigits() -> Bool {
      let start = index
      while index < word.endIndex, (0x30...0x39).contains(word[index]) { index += 1 }
      return index > start
    }
    if isNext("-") { index += 1 }
    if isNext("0") {
      index += 1
    } else if !takeDigits() {
      return false
    }
    if isNext(".") {
      index += 1
      guard takeDigits() else { return false }
    }
    if isNext("e") || isNext("E") {
      index += 1
      if isNext("+") || isNext("-") { index += 1 }
      guard takeDigits() else { return false }
    }
    return index == word.endIndex
  }

  private func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || [0x2B, 0x2D, 0x2E].contains(byte)
  }
}
