// Options and results as JSON.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Options that are read from a JSON object; every one may be missing.
protocol Options: Decodable {
  /// The names that there are.
  associatedtype CodingKeys: CodingKey, CaseIterable, RawRepresentable<String>
}

extension Options {
  /// Reads options.
  /// - Parameter text: A JSON object; nil and "" for the defaults.
  /// - Throws: ``InvalidArgument`` that names the option.
  init(_ text: UnsafePointer<CChar>?) throws {
    let text = text.map { String(cString: $0) } ?? ""
    let data = Data((text.isEmpty ? "{}" : text).utf8)
    let names = Self.CodingKeys.allCases.map(\.rawValue)
    do {
      let given = try JSONDecoder().decode(OptionNames.self, from: data).names
      if let unknown = given.first(where: { !names.contains($0) }) {
        throw InvalidArgument("unknown option '\(unknown)': there are \(names.joined(separator: ", "))")
      }
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch let error as DecodingError {
      throw InvalidArgument(Self.message(error))
    }
  }

  private static func message(_ error: DecodingError) -> String {
    func text(_ context: DecodingError.Context) -> String {
      let name = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
      return name.isEmpty ? "the options: \(context.debugDescription)" : "option '\(name)': \(context.debugDescription)"
    }
    switch error {
    case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return text(context)
    @unknown default: return "\(error)"
    }
  }
}

/// The names of an object's values.
private struct OptionNames: Decodable {
  let names: [String]

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
  }
}

/// Returns the case of an option's name.
/// - Throws: ``InvalidArgument`` that lists the names that there are.
func choice<Value>(_ name: String?, _ option: String, _ choices: KeyValuePairs<String, Value>) throws -> Value? {
  guard let name else { return nil }
  if let found = choices.first(where: { $0.key == name }) { return found.value }
  throw InvalidArgument("\(option) '\(name)': it is \(choices.map(\.key).joined(separator: ", "))")
}

/// Returns a result as JSON, with sorted keys.
func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}
