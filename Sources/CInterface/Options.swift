// Options and results as JSON.

import MotionDetection

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Options that are read from a JSON object; every one may be missing.
protocol Options: Decodable {
  /// The names that there are.
  associatedtype CodingKeys: OptionKey
}

/// The name of an option, and the kind of its value.
protocol OptionKey: CodingKey, CaseIterable, RawRepresentable<String> {
  /// The kind of the value.
  var kind: OptionKind { get }
}

/// The kind of an option's value, in words.
///
/// Checked before decoding: of 1.5 for an `Int` `JSONDecoder` tells neither the option nor the value.
enum OptionKind: String {
  case text = "a text"
  case number = "a number"
  case whole = "a whole number"
  case flag = "true or false"
  case numbers = "a list of numbers"
  case length = "a number or \"auto\""
  case zones = "an object with zones, tripLines"

  /// Returns whether a value is of this kind; null stands for an option that is not given.
  func accepts(_ value: JSONOutline.Value) -> Bool {
    switch (self, value.content) {
    case (_, .scalar("null")): true
    case (.text, .scalar(let word)): word.hasPrefix("\"")
    case (.number, .scalar(let word)): Double(word)?.isFinite ?? false
    case (.whole, .scalar(let word)): Double(word).flatMap { Int(exactly: $0) } != nil
    case (.flag, .scalar(let word)): word == "true" || word == "false"
    case (.numbers, .array(let values)): values.allSatisfy(Self.number.accepts)
    case (.length, .scalar(let word)): word == "\"auto\"" || Self.number.accepts(value)
    case (.zones, .object): true
    default: false
    }
  }
}

extension Options {
  /// Reads options.
  /// - Parameter text: A JSON object; nil and "" for the defaults.
  /// - Throws: ``InvalidArgument`` that names the option, its value and what is allowed.
  init(_ text: UnsafePointer<CChar>?) throws {
    let text = text.map { String(cString: $0) } ?? ""
    let data = Data((text.isEmpty ? "{}" : text).utf8)
    do {
      try Self.check(JSONOutline(data))
      let decoder = JSONDecoder()
      decoder.userInfo[RawObject.source] = data
      self = try decoder.decode(Self.self, from: data)
    } catch let fault as JSONOutline.Fault {
      throw InvalidArgument("the options are no JSON: \(fault)")
    } catch let error as DecodingError {
      throw InvalidArgument("the options cannot be read: \(error)")
    }
  }

  private static func check(_ outline: JSONOutline) throws {
    let names = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
    guard case .object(let members) = outline.root.content else {
      throw InvalidArgument("the options are \(outline.root.summary): they are an object with \(names)")
    }
    var seen: Set<String> = []
    for (name, _, value) in members {
      guard let key = CodingKeys(rawValue: name) else {
        throw InvalidArgument("unknown option '\(name)' (\(value.summary)): there are \(names)")
      }
      guard seen.insert(name).inserted else { throw InvalidArgument("option '\(name)' is there twice") }
      guard key.kind.accepts(value) else {
        throw InvalidArgument("option '\(name)' is \(value.summary): it is \(key.kind.rawValue)")
      }
    }
  }
}

/// An object within the options as it is written, for a reader of its own that knows its keys.
struct RawObject: Decodable {
  /// The key under which the decoder keeps the text of all options.
  static let source = CodingUserInfoKey(rawValue: "source")!
  let text: Data

  init(from decoder: any Decoder) throws {
    guard let source = decoder.userInfo[Self.source] as? Data, let name = decoder.codingPath.last?.stringValue,
      case .object(let members) = try JSONOutline(source).root.content,
      let value = members.first(where: { $0.key == name })?.value
    else { throw InvalidArgument("the options have lost their text") }
    text = source.subdata(in: value.range)
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
