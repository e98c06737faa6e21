// JSON of which nothing is known before: the description of an export, whose fields are compared one by one.

extension JSONText: Decodable {
  /// A key of any name.
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes any value; the fields of objects come in any order.
  package init(from decoder: any Decoder) throws {
    if let fields = try? decoder.container(keyedBy: Key.self) {
      self = .object(try fields.allKeys.map { ($0.stringValue, try fields.decode(JSONText.self, forKey: $0)) })
    } else if var elements = try? decoder.unkeyedContainer() {
      var values: [JSONText] = []
      while !elements.isAtEnd { values.append(try elements.decode(JSONText.self)) }
      self = .array(values)
    } else {
      let value = try decoder.singleValueContainer()
      self =
        if value.decodeNil() {
          .null
        } else if let bool = try? value.decode(Bool.self) {
          .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
          .integer(integer)
        } else if let number = try? value.decode(Double.self) {
          .number(number)
        } else {
          .string(try value.decode(String.self))
        }
    }
  }

  /// All values but objects by their paths, such as `flow.accuracy`, as people read them.
  var leaves: [String: String] {
    guard case .object(let fields) = self else { return [:] }
    return fields.reduce(into: [:]) { leaves, field in
      switch field.1 {
      case .object: for (path, text) in field.1.leaves { leaves["\(field.0).\(path)"] = text }
      case .string(let text): leaves[field.0] = text
      case .null: leaves[field.0] = "none"
      default: leaves[field.0] = field.1.line
      }
    }
  }
}

extension DecodingError {
  /// The fault in one line, with the path to the value.
  var reason: String {
    func path(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
      (context.codingPath + (last.map { [$0] } ?? [])).map { key in
        key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
      }.joined().trimmingPrefix(".").description
    }
    return switch self {
    case .keyNotFound(let key, let context): "\(path(context, key)) is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      "\(path(context)) is no \(type)"
    case .dataCorrupted(let context): context.debugDescription
    @unknown default: "\(self)"
    }
  }
}
