// The pages of the manual: man(7) of what ArgumentParser tells of a command.

/// A command as `--experimental-dump-help` describes it; the parts that a page of the manual shows.
struct CommandDescription: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
      var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool
    var sectionTitle: String?
    var abstract: String?
    var discussion: String?
    var defaultValue: String?
    var allValues: [String]?
  }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var shouldDisplay: Bool
  var arguments: [Argument]?
  var subcommands: [CommandDescription]?

  /// The subcommands with pages of their own.
  var listed: [CommandDescription] { (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" } }
}

/// A page of section 1 of the manual.
struct ManualPage {
  /// The name of the page: `rheo-detect`.
  let name: String
  private let root: CommandDescription
  private let command: CommandDescription
  private let isRoot: Bool

  /// The pages of a program: its own, and one for each command.
  static func all(of root: CommandDescription) -> [ManualPage] {
    [ManualPage(root, of: root, isRoot: true)] + root.listed.map { ManualPage($0, of: root, isRoot: false) }
  }

  private init(_ command: CommandDescription, of root: CommandDescription, isRoot: Bool) {
    name = isRoot ? root.commandName : "\(root.commandName)-\(command.commandName)"
    self.root = root
    self.command = command
    self.isRoot = isRoot
  }

  /// - Parameter date: The date in the page's foot.
  func text(version: String, date: String) -> String {
    var lines = [".TH \(name.uppercased()) 1 \"\(date)\" \"\(root.commandName) \(version)\" \"User Commands\""]
    // Names of options are not broken at lines' ends, so that they can be searched for.
    lines += [".nh", ".ad l"]
    lines += [".SH NAME", "\(name) \\- \(escaped(command.abstract.map(Self.clause) ?? name))"]
    lines += [".SH SYNOPSIS"] + synopsis
    let paragraphs = (command.discussion ?? "").split(separator: "\n\n").map(String.init)
    let isExample = { (text: String) in text.hasPrefix("Example: ") }
    let described = paragraphs.filter { !isExample($0) }
    if !described.isEmpty { lines += [".SH DESCRIPTION"] + described.flatMap { [".PP", escaped($0)] } }
    lines += isRoot ? commands : []
    lines += options
    let examples = paragraphs.filter(isExample).map { $0.dropFirst("Example: ".count) }
    if !examples.isEmpty {
      lines += [".SH EXAMPLES"] + examples.flatMap { [".PP", ".nf", ".RS", escaped($0), ".RE", ".fi"] }
    }
    lines += [".SH SEE ALSO", references]
    return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private var synopsis: [String] {
    guard !isRoot else { return [".B \(root.commandName)", ".I command", "[\\fIoptions\\fR] \\fIinput\\fR ..."] }
    let positional = shown.filter { $0.kind == "positional" }.map { argument in
      let value = "\\fI\(escaped(argument.valueName ?? ""))\\fR" + (argument.isRepeating ? " ..." : "")
      return argument.isOptional ? "[\(value)]" : value
    }
    return [".B \(root.commandName) \(command.commandName)", "[\\fIoptions\\fR] " + positional.joined(separator: " ")]
  }

  private var commands: [String] {
    [".SH COMMANDS"]
      + root.listed.flatMap {
        [".TP", ".BR \(root.commandName)\\-\($0.commandName) (1)", escaped($0.abstract ?? "")]
      }
  }

  private var shown: [CommandDescription.Argument] { (command.arguments ?? []).filter(\.shouldDisplay) }

  /// Arguments, the command's own options, then the groups that it shares with others.
  private var options: [String] {
    let arguments = shown.filter { $0.kind == "positional" }
    let options = shown.filter { $0.kind != "positional" }
    var lines = arguments.isEmpty ? [] : [".SH ARGUMENTS"] + arguments.flatMap(item)
    lines.append(".SH OPTIONS")
    lines += options.filter { $0.sectionTitle == nil }.flatMap(item)
    var titles: [String] = []
    for title in options.compactMap(\.sectionTitle) where !titles.contains(title) { titles.append(title) }
    for title in titles {
      lines.append(".SS \(title)")
      lines += options.filter { $0.sectionTitle == title }.flatMap(item)
    }
    return lines
  }

  private func item(_ argument: CommandDescription.Argument) -> [String] {
    let value = "\\fI\(escaped(argument.valueName ?? ""))\\fR"
    var head = value
    if argument.kind != "positional" {
      head = (argument.names ?? []).map { "\\fB\(escaped($0.text))\\fR" }.joined(separator: ", ")
      if argument.kind == "option" { head += " \(value)" }
    }
    var text = [argument.abstract, argument.discussion].compactMap { $0 }.joined(separator: " ")
    if let values = argument.allValues, !values.isEmpty { text += " Values: \(values.joined(separator: ", "))." }
    if let standard = argument.defaultValue, argument.kind == "option" { text += " Default: \(standard)." }
    return [".TP", head, escaped(text)]
  }

  private var references: String {
    let others = isRoot ? root.listed.map { "\(root.commandName)-\($0.commandName)" } : [root.commandName]
    return others.map { "\\fB\(escaped($0))\\fR(1)" }.joined(separator: ",\n")
  }

  /// A sentence as a clause after the name: no capital at its beginning, no full stop at its end.
  private static func clause(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().trimmingSuffix { $0 == "." }
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> String {
    String(reversed().drop(while: isDropped).reversed())
  }
}

/// Text as roff takes it literally, one line for each of its own.
func escaped(_ text: some StringProtocol) -> String {
  let signs: [Character: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
  ]
  let lines = text.split(separator: "\n").map { line in line.map { signs[$0] ?? String($0) }.joined() }
  // A dot at the beginning of a line would begin a request.
  return lines.map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }.joined(separator: "\n")
}
