// Options as lines of TOML.

import Foundation
import Rheo
import TOMLKit

/// Writes an option with its help as a comment.
enum ConfigurationText {
  /// The width of a comment, in characters.
  private static let width = 100

  /// - Parameter values: The values as the command line has them; empty: the default holds.
  /// - Returns: Whole lines.
  static func text(_ argument: CommandDescription.Argument, values: [String]) -> String {
    let given = values.isEmpty ? argument.defaultValue.map { [$0] } ?? [] : values
    let values = given.map { SecretOptions.masked($0, of: argument.key) }
    let example = argument.valueName ?? "value"
    let line =
      if argument.kind == .flag {
        line(argument.key, !values.isEmpty)
      } else if argument.isRepeating {
        line(argument.key, values.isEmpty ? [example] : values)
      } else {
        line(argument.key, text: values.last ?? example)
      }
    let isMasked = values != given
    return comment(argument.abstract ?? "") + (isMasked ? maskNotice : "")
      + (isMasked || values.isEmpty && argument.kind != .flag ? "# " : "") + line
  }

  private static let maskNotice = "# *** is what is secret and not printed: put it in, and take the # away.\n"

  private static func line(_ key: String, _ value: any TOMLValueConvertible) -> String {
    let table = TOMLTable()
    table[key] = value
    return table.convert(to: .toml) + "\n"
  }

  private static func line(_ key: String, _ values: [String]) -> String {
    guard values.contains(where: { shown($0) != $0 }) else { return line(key, TOMLArray(values)) }
    return "\(key) = \(JSONText.array(values.map { .string($0) }).line)\n"
  }

  /// Writes a number where the text is written as numbers are, else a string. TOMLKit would write 0.05 with 17 digits.
  private static func line(_ key: String, text: String) -> String {
    let isNumber = Int(text).map { "\($0)" == text } ?? Double(text).map { $0.isFinite && "\($0)" == text } ?? false
    guard !isNumber else { return "\(key) = \(text)\n" }
    // TOMLKit escapes the characters that TOML wants escaped, not all that steer a terminal. JSON's texts are TOML's,
    // too.
    return shown(text) == text ? line(key, text) : "\(key) = \(JSONText.string(text).line)\n"
  }

  private static func comment(_ words: String) -> String {
    var lines = [""]
    for word in words.split(whereSeparator: \.isWhitespace) {
      if lines[lines.count - 1].count + word.count >= width { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.map { "# \($0)\n" }.joined()
  }
}
