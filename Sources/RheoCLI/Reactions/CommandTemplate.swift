// The command lines of --on-start and --on-end: words with fields, run without a shell.

import ArgumentParser

/// A program and its arguments, in which fields stand for what is known of an event.
///
/// The line is split into words as a shell does: spaces separate, `'…'` is taken as it stands, in `"…"` a backslash
/// keeps `"` and `\` from meaning anything, outside quotes it does that for every character. Nothing else has a
/// meaning: no variables, no patterns, no pipes. Fields are filled in after the splitting, so that no value becomes two
/// arguments or an option's name by what it holds, and a value that looks like a field stays as it is.
struct CommandTemplate: Sendable, Hashable {
  enum Field: String, CaseIterable, Sendable {
    case start, end, clip, snapshot, zone, input, number, score
    /// The input with the passwords and tokens of its address.
    case fullInput = "input:full"
  }

  private enum Piece: Sendable, Hashable {
    case text(String)
    case field(Field)
  }

  private let words: [[Piece]]
  /// The line as it was given.
  let text: String

  /// - Throws: `ValidationError` for an open quote, for an unknown field and for an empty line.
  init(_ text: String) throws {
    self.text = text
    words = try Self.split(text).map(Self.pieces)
    guard words.first?.isEmpty == false else { throw ValidationError("a command has a name; '\(text)' has none") }
  }

  /// Returns the words with the fields' values; a field without a value is empty.
  func arguments(_ values: [Field: String]) -> [String] {
    words.map { pieces in
      pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .field(let field): values[field] ?? ""
        }
      }.joined()
    }
  }

  /// Returns the words of a line.
  static func split(_ line: String) throws -> [String] {
    var words: [String] = []
    // Nil between words: '' is a word too.
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case (let character, let open?) where character == open: quote = nil
      case ("\\", "\"") where rest.first == "\"" || rest.first == "\\", ("\\", nil):
        guard let kept = rest.popFirst() else { throw ValidationError("'\(line)' ends with a backslash") }
        word = (word ?? "") + String(kept)
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (let character, nil) where character.isWhitespace:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    if let quote { throw ValidationError("'\(line)' has a \(quote) without its partner") }
    return words + (word.map { [$0] } ?? [])
  }

  /// Cuts a word at its fields; braces around anything else but small letters are text.
  private static func pieces(_ word: String) throws -> [Piece] {
    var pieces: [Piece] = []
    var rest = word[...]
    while let open = rest.firstIndex(of: "{") {
      let name = rest[rest.index(after: open)...].prefix { ("a"..."z").contains($0) || $0 == ":" }
      let field = Field(rawValue: String(name))
      guard !name.isEmpty, field != nil || !name.contains(":"), name.endIndex < rest.endIndex,
        rest[name.endIndex] == "}"
      else {
        pieces.append(.text(String(rest[...open])))
        rest = rest[rest.index(after: open)...]
        continue
      }
      guard let field else {
        let all = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        throw ValidationError("{\(name)} is no field; there are \(all)")
      }
      if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
      pieces.append(.field(field))
      rest = rest[rest.index(after: name.endIndex)...]
    }
    return rest.isEmpty ? pieces : pieces + [.text(String(rest))]
  }
}
