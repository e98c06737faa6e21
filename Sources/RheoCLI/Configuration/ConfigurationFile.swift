// Options out of a file.

import Foundation
import Rheo
import TOMLKit

/// A TOML file with the options of a command.
struct ConfigurationFile {
  /// An option of the file.
  struct Entry {
    var argument: CommandDescription.Argument
    /// The values as the command line has them; of a flag that is set `true`, of one that is not none.
    var values: [String]
    /// The line of the file, from 1; nil when it is not known.
    var line: Int?
  }

  /// A fault of a file, which ends the program.
  struct Fault: Error, CustomStringConvertible {
    var description: String
    /// A Boolean value that tells whether the file itself cannot be read.
    var isUnreadable = false
  }

  let path: String
  let entries: [Entry]

  /// The size beyond which a file is none with options, in bytes.
  private static let maximumSize = 1 << 20
  /// Returns whether a name stands for no option of the work: those say where options come from, or ask for help.
  static func isReserved(_ key: String) -> Bool { ["config", "dump-config", "help", "version"].contains(key) }

  /// Reads a file.
  /// - Throws: ``Fault``.
  init(path: String, command: CommandDescription) throws {
    self.path = path
    let text = try Self.text(path)
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw Fault(description: "\(path):\(error.source.begin.line): \(error.description)")
    }
    entries = try table.keys.map { key in
      let line = Self.line(of: key, in: text)
      func fault(_ reason: String) -> Fault { Fault(description: Self.position(path, line) + "\(key): \(reason)") }
      guard !Self.isReserved(key), !key.hasPrefix("-"), let argument = command.argument(key) else {
        throw fault("is no option of rheo \(command.name)")
      }
      guard let value = table[key], let values = Self.values(value, of: argument) else {
        throw fault("takes \(argument.expectedType)")
      }
      return Entry(argument: argument, values: values, line: line)
    }
  }

  /// Returns the words for an entry's position, to begin a message with.
  func position(of entry: Entry) -> String { Self.position(path, entry.line) + entry.argument.key + ": " }

  private static func position(_ path: String, _ line: Int?) -> String {
    line.map { "\(path):\($0): " } ?? "\(path): "
  }

  private static func text(_ path: String) throws -> String {
    let data: Data
    do {
      data = try FileContents.read(path)
    } catch let error as MediaError {
      throw Fault(description: "\(path): \(error.message)", isUnreadable: true)
    }
    guard data.count <= maximumSize else {
      throw Fault(description: "\(path): is larger than a megabyte, so it holds no options")
    }
    guard let text = FileNames.text(data) else { throw Fault(description: "\(path): is not UTF-8") }
    // The parser takes strings as C has them.
    guard !text.contains("\0"), !text.contains("\\u0000"), !text.contains("\\U00000000") else {
      throw Fault(description: "\(path): holds characters with the number 0")
    }
    return text
  }

  /// Returns the line in which a key stands; the parser knows the lines of mistakes only.
  private static func line(of key: String, in text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.firstIndex { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmingCharacters(in: .whitespaces)
      return name == "[\(key)]" || parts.count == 2 && [key, "\"\(key)\"", "'\(key)'"].contains(name)
    }.map { $0 + 1 }
  }

  /// Returns values as the command line has them; nil for those of a wrong type.
  private static func values(_ value: any TOMLValueConvertible, of argument: CommandDescription.Argument) -> [String]? {
    if argument.kind == .flag { return value.bool.map { $0 ? ["true"] : [] } }
    guard let array = value.array else { return word(value).map { [$0] } }
    guard argument.isRepeating else { return nil }
    let words = array.map(word)
    return words.contains(nil) ? nil : words.compactMap(\.self)
  }

  private static func word(_ value: any TOMLValueConvertible) -> String? {
    value.string ?? value.int.map { "\($0)" } ?? value.double.map { "\($0)" }
  }
}

extension CommandDescription.Argument {
  /// The words for the type of its values in a file.
  fileprivate var expectedType: String {
    switch (kind, isRepeating) {
    case (.flag, _): "true or false"
    case (_, true): "an array of strings"
    default: "a string or a number"
    }
  }
}
