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
    let values = values.isEmpty ? argument.defaultValue.map { [$0] } ?? [] : values
    let example = argument.valueName ?? "value"
    let line =
      if argument.kind == .flag {
        line(argument.key, !values.isEmpty)
      } else if argument.isRepeating {
        line(argument.key, TOMLArray((values.isEmpty ? [example] : values).map(MediaAddress.masking)))
      } else {
        line(argument.key, text: values.last ?? example)
      }
    return comment(argument.abstract ?? "") + (values.isEmpty && argument.kind != .flag ? "# " : "") + line
  }

  private static func line(_ key: String, _ value: any TOMLValueConvertible) -> String {
    let table = TOMLTable()
    table[key] = value
    return table.convert(to: .toml) + "\n"
  }

  /// Writes a number where the text is written as numbers are, else a string. TOMLKit would write 0.05 with 17 digits.
  private static func line(_ key: String, text: String) -> String {
    let isNumber = Int(text).map { "\($0)" == text } ?? Double(text).map { $0.isFinite && "\($0)" == text } ?? false
    return isNumber ? "\(key) = \(text)\n" : line(key, MediaAddress.masking(in: text))
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
