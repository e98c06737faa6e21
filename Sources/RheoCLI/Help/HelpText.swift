// The help of commands, arranged: ArgumentParser puts a command's own options after those that it shares with others.

/// The help of a command in its sections.
struct HelpText {
  private struct Section {
    /// The line above, without the colon: `RANGE`.
    var title: String
    /// The entries: a line with the names, and those that explain it.
    var entries: [String]
  }

  /// The maximum number of lines, two screens, of help that is shown as a whole.
  static let lineLimit = 100
  /// The groups of options that many commands share, or few users need; brief help only names these options.
  private static let sharedTitles = ["ENCODING", "REACTIONS", "LIVE INPUTS", "RANGE", "INPUT", "GENERAL"]
  /// The groups of a command that does what others do; brief help only names them where it is too long otherwise.
  private static let otherTitles = ["FLOW FILE", "EVENTS", "DRAWING"]

  private let paragraphs: [String]
  private let usage: String
  private var sections: [Section]
  private let command: String

  /// Reads the help that ArgumentParser makes; nil for the program's own, which has no sections to arrange.
  init?(_ text: String, command: String) {
    let blocks = text.split(separator: "\n\n").map { $0.trimmingPrefix(while: { $0 == "\n" }) }
    guard let usageIndex = blocks.firstIndex(where: { $0.hasPrefix("USAGE:") }),
      blocks.contains(where: { $0.hasPrefix("GENERAL:\n") })
    else { return nil }
    paragraphs = blocks[..<usageIndex].map(String.init)
    usage = String(blocks[usageIndex])
    sections = blocks[(usageIndex + 1)...].compactMap { block in
      let lines = block.split(separator: "\n")
      guard let title = lines.first, title.hasSuffix(":") else { return nil }
      return Section(title: String(title.dropLast()), entries: Self.entries(lines.dropFirst()))
    }
    self.command = command
    arrange()
  }

  private static func entries(_ lines: ArraySlice<Substring>) -> [String] {
    lines.reduce(into: []) { entries, line in
      if line.hasPrefix("   "), let last = entries.popLast() {
        entries.append(last + "\n" + line)
      } else {
        entries.append(String(line))
      }
    }
  }

  /// Puts arguments and own options first and the general ones last, those of every program at their end.
  private mutating func arrange() {
    func isOfEveryProgram(_ entry: String) -> Bool {
      entry.hasPrefix("  --version ") || entry.hasPrefix("  -h, --help ")
    }
    guard let own = sections.firstIndex(where: { $0.title == "OPTIONS" }),
      let general = sections.firstIndex(where: { $0.title == "GENERAL" })
    else { return }
    sections[general].entries += sections[own].entries.filter(isOfEveryProgram)
    sections[own].entries.removeAll(where: isOfEveryProgram)
    let first = ["ARGUMENTS", "OPTIONS"].compactMap { title in sections.first { $0.title == title } }
    let last = sections[general]
    sections.removeAll { ["ARGUMENTS", "OPTIONS", "GENERAL"].contains($0.title) }
    sections = (first + sections + [last]).filter { !$0.entries.isEmpty }
  }

  /// The whole help.
  var full: String {
    text(paragraphs, sections.map { "\($0.title):\n" + $0.entries.joined(separator: "\n") })
  }

  /// The help on two screens: the whole, if that fits, else without the details of the command and of shared options.
  var brief: String {
    func fits(_ text: String) -> Bool {
      text.split(separator: "\n", omittingEmptySubsequences: false).count <= Self.lineLimit
    }
    guard !fits(full) else { return full }
    let brief = brief(naming: Self.sharedTitles)
    return fits(brief) ? brief : self.brief(naming: Self.sharedTitles + Self.otherTitles)
  }

  private func brief(naming titles: [String]) -> String {
    let kept = paragraphs.prefix(2) + paragraphs.dropFirst(2).filter { $0.hasPrefix("Example: ") }
    let more = "More about the command, and about the options without a text: rheo help \(command), man rheo-\(command)"
    let isShared = { (section: Section) in titles.contains(section.title) }
    let named = sections.filter(isShared).map { section in
      let names = section.entries.compactMap { entry in
        entry.firstMatch(of: /^  (?:(-[a-z]), )?(--[a-z][a-z-]*)/).map { $0.2 + ($0.1.map { " (\($0))" } ?? "") }
      }
      return Self.wrapped("\(section.title): " + names.joined(separator: ", "))
    }
    let told = sections.filter { !isShared($0) }.map { "\($0.title):\n" + $0.entries.joined(separator: "\n") }
    return text(Array(kept), told + [named.joined(separator: "\n"), Self.wrapped(more)])
  }

  private func text(_ paragraphs: [String], _ sections: [String]) -> String {
    (paragraphs + [usage] + sections).joined(separator: "\n\n") + "\n"
  }

  /// Breaks a text between words into lines of a terminal's usual width.
  private static func wrapped(_ text: String, width: Int = 80) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append("  " + word)
      } else {
        lines[lines.count - 1] += (line.isEmpty ? "" : " ") + word
      }
    }
    return lines.joined(separator: "\n")
  }
}
