// What there is to say about a command that there is none of.

import ArgumentParser

/// The names of the commands.
enum CommandNames {
  /// All that can be the first word.
  static let all = RheoCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

  /// The letters of a word for each change of one with which it is taken for a misspelt one; one change may always be.
  private static let lettersPerChange = 3

  /// Returns the lines for a first word that is no command, if that is what is wrong.
  static func suggestion(for error: any Error, _ arguments: [String]) -> String? {
    guard let name = arguments.first, !name.hasPrefix("-"), !all.contains(name) else { return nil }
    return "Error: \(refusal(of: name))\nUsage: rheo <command>\n  See 'rheo --help' for more information."
  }

  /// Returns the words that refuse a command.
  static func refusal(of name: String) -> String {
    let nearest = all.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
    if let nearest, nearest.distance <= max(1, name.count / lettersPerChange) {
      return "there is no command '\(name)': did you mean '\(nearest.name)'?"
    }
    return "there is no command '\(name)'; there are \(all.joined(separator: ", "))"
  }

  /// The letters to insert, delete or replace between two words (Levenshtein, Soviet Physics Doklady 10, 1966).
  private static func distance(_ word: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (index, letter) in word.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for (column, another) in other.enumerated() {
        let replaced = corner + (letter == another ? 0 : 1)
        corner = row[column + 1]
        row[column + 1] = min(replaced, corner + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}

extension [String] {
  /// The words with `--name -5` as `--name=-5`: no option begins with a digit, so the second is the value of the first.
  var joiningNegativeNumbers: [String] {
    var result: [String] = []
    for (index, word) in enumerated() {
      if index > 0, word.wholeMatch(of: /-[0-9.][0-9.:a-z%]*/) != nil, let option = result.last,
        option.hasPrefix("--"), option != "--", !option.contains("="), !self[..<index].contains("--")
      {
        result[result.count - 1] = "\(option)=\(word)"
      } else {
        result.append(word)
      }
    }
    return result
  }
}
