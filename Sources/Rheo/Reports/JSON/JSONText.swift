import Foundation

/// JSON whose fields keep their order, so that the same values are the same bytes.
package enum JSONText: Sendable {
  case object([(String, JSONText)])
  case array([JSONText])
  case string(String)
  case integer(Int)
  /// A number, written with as few digits as name it exactly; null when it is not finite.
  case number(Double)
  case bool(Bool)
  case null

  package static func optional<Value>(_ value: Value?, _ make: (Value) -> JSONText) -> JSONText {
    value.map(make) ?? .null
  }

  /// The JSON text, all in one line.
  package var line: String {
    switch self {
    case .object(let fields):
      "{" + fields.map { Self.quoted($0.0) + ": " + $0.1.line }.joined(separator: ", ") + "}"
    case .array(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
    case .string(let text): Self.quoted(text)
    case .integer(let value): String(value)
    case .number(let value): Self.digits(value)
    case .bool(let value): value ? "true" : "false"
    case .null: "null"
    }
  }

  /// Returns the JSON text with a line for each field or element, two levels deep; what lies deeper stays on its line.
  package func pretty(depth: Int = 2, indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .object(let fields) where depth > 0 && !fields.isEmpty:
      let lines = fields.map { inner + Self.quoted($0.0) + ": " + $0.1.pretty(depth: depth - 1, indent: inner) }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
    case .array(let values) where depth > 0 && !values.isEmpty:
      return "[\n" + values.map { inner + $0.pretty(depth: depth - 1, indent: inner) }.joined(separator: ",\n")
        + "\n" + indent + "]"
    default: return line
    }
  }

  private static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // JSON asks for those below U+0020 only; the others steer the terminal that it is printed on.
      case _ where scalar.isSteering: result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
