/// Writes JSON piece by piece, for what is too long to lie in memory: a field or element a line.
struct JSONStream {
  private let put: (String) throws -> Void
  private let indent: String
  private var isEmpty = true

  init(_ put: @escaping (String) throws -> Void) {
    self.put = put
    indent = ""
  }

  private init(inside outer: JSONStream) {
    put = outer.put
    indent = outer.indent + "  "
  }

  /// Writes an object, as the whole file or as an element of a list.
  mutating func object(_ fields: (inout JSONStream) throws -> Void) throws {
    if !indent.isEmpty { try begin() }
    try nest("{", "}", fields)
  }

  /// Writes a field of the object; what is deeper than `depth` stays on its line.
  mutating func field(_ name: String, _ value: JSONText, depth: Int = 1) throws {
    try begin()
    try put(JSONText.quoted(name) + ": " + value.pretty(depth: depth, indent: indent))
  }

  /// Writes a field whose value is a list.
  mutating func list(_ name: String, _ elements: (inout JSONStream) throws -> Void) throws {
    try begin()
    try put(JSONText.quoted(name) + ": ")
    try nest("[", "]", elements)
  }

  /// Writes an element of the list, which is JSON already.
  mutating func element(_ text: String) throws {
    try begin()
    try put(text)
  }

  /// Writes an object on a line as an element of the list; its last field is a long list.
  mutating func element(
    _ fields: [(String, JSONText)], _ name: String, _ elements: some Sequence<JSONText>
  ) throws {
    try begin()
    let line = JSONText.object(fields + [(name, .array([]))]).line
    try put(String(line.dropLast("]}".count)))
    var isFirst = true
    for element in elements {
      try put((isFirst ? "" : ", ") + element.line)
      isFirst = false
    }
    try put("]}")
  }

  private mutating func begin() throws {
    try put((isEmpty ? "\n" : ",\n") + indent)
    isEmpty = false
  }

  private func nest(_ opening: String, _ closing: String, _ body: (inout JSONStream) throws -> Void) throws {
    try put(opening)
    var inner = JSONStream(inside: self)
    try body(&inner)
    try put(inner.isEmpty ? closing : "\n" + indent + closing)
  }
}
