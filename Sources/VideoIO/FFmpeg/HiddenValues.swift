// Values that FFmpeg's log must not print.

/// The values of options for an input, some of which are keys and passwords: lines of the log go without them.
struct HiddenValues: Sendable {
  /// The values, the longest first.
  private var values: [String] = []

  private static let mask = "***"
  /// The number of characters from which on a value is looked for anywhere in a line. Shorter ones, such as 0 or tcp,
  /// are parts of other words.
  private static let wordLength = 4
  /// The number of bytes from which on a line may have been cut off: FFmpeg's has room for 1023, and what comes before
  /// the text is shortened.
  private static let cutLength = 900

  mutating func insert(_ others: [String]) {
    let all = Set(values).union(others.filter { !$0.isEmpty })
    values = all.sorted { $0.count != $1.count ? $0.count > $1.count : $0 < $1 }
  }

  /// Returns a line without the values, and without parts of them that are quoted or at a cut end.
  func masking(_ line: String) -> String {
    guard !values.isEmpty else { return line }
    var line = line
    for value in values {
      line =
        value.count >= Self.wordLength
        ? line.replacing(value, with: Self.mask)
        : line.replacing("to value \(value).", with: "to value \(Self.mask).")  // av_opt_set_dict2
    }
    return maskingQuotes(maskingEnd(line))
  }

  /// FFmpeg quotes what it cannot read, from where it cannot.
  private func maskingQuotes(_ line: String) -> String {
    ["'", "\""].reduce(line) { line, quote in
      var parts = line.split(separator: quote, omittingEmptySubsequences: false).map(String.init)
      for index in parts.indices.dropFirst().dropLast() where !parts[index].isEmpty {
        if values.contains(where: { $0.contains(parts[index]) }) { parts[index] = Self.mask }
      }
      return parts.joined(separator: quote)
    }
  }

  private func maskingEnd(_ line: String) -> String {
    guard line.utf8.count >= Self.cutLength else { return line }
    // Half a character may be left.
    let whole = line.last == "\u{FFFD}" ? String(line.dropLast()) : line
    for value in values {
      for length in stride(from: value.count, through: Self.wordLength, by: -1)
      where whole.hasSuffix(value.prefix(length)) {
        return whole.dropLast(length) + Self.mask
      }
    }
    return line
  }
}
