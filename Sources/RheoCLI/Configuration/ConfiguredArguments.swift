// The command line with the options of a file.

import ArgumentParser
import Foundation
import Rheo

/// The words of a command line with those that its `--config` names in front of them.
///
/// An option on the command line replaces all that the file says of it, also of one that may be
/// repeated. Arguments without a name are filled in order; those that the command line does not reach come from
/// the file.
struct ConfiguredArguments {
  /// The words to be parsed.
  private(set) var all: [String]
  private let root: any ParsableCommand.Type
  private var command: CommandDescription?
  private var given: CommandLineWords?
  private var file: ConfigurationFile?
  /// The entries of the file that are in effect.
  private var entries: [ConfigurationFile.Entry] = []

  /// - Parameters:
  ///   - words: The command line without the program's name.
  ///   - root: The program.
  /// - Throws: ``ConfigurationFile/Fault``.
  init(_ words: [String], root: any ParsableCommand.Type) throws {
    (all, self.root) = (words, root)
    // Describing a command takes some milliseconds, which few need.
    guard words.contains(where: { $0 == "--dump-config" || $0.hasPrefix("--config") }), let name = words.first,
      let command = try CommandDescription(name, of: root)
    else { return }
    let given = CommandLineWords(Array(words.dropFirst()), of: command)
    guard !given.asksForHelp else { return }
    (self.command, self.given) = (command, given)
    guard let path = given.values["config"]?.last else { return }
    let file = try ConfigurationFile(path: path, command: command)
    self.file = file
    let positionals = command.arguments.filter { $0.kind == .positional }
    let reached = positionals.prefix(given.positionals.count).map(\.key)
    entries = file.entries.filter { given.values[$0.argument.key] == nil && !reached.contains($0.argument.key) }
    all = merged(with: entries)
    try explainRefusal()
  }

  private func merged(with entries: [ConfigurationFile.Entry]) -> [String] {
    guard let command, let given else { return all }
    let options = entries.flatMap { entry in
      switch entry.argument.kind {
      case .positional: [String]()
      case .flag: entry.values.isEmpty ? [] : ["--\(entry.argument.key)"]
      case .option: entry.values.map { "--\(entry.argument.key)=\($0)" }
      }
    }
    let positionals = command.arguments.filter { $0.kind == .positional }.flatMap { argument in
      entries.first { $0.argument.key == argument.key }?.values ?? []
    }
    let end = positionals.isEmpty || given.isTerminated ? [] : ["--"]
    return [command.name] + options + given.words + end + positionals
  }

  /// Throws when the words are refused because of an entry of the file: without it they are not, or for another reason.
  private func explainRefusal() throws {
    guard let file, let refusal = refusal(of: all) else { return }
    for index in entries.indices {
      var others = entries
      let entry = others.remove(at: index)
      guard self.refusal(of: merged(with: others)) != refusal else { continue }
      throw ConfigurationFile.Fault(description: file.position(of: entry) + SecretOptions.masking(in: refusal, all))
    }
  }

  private func refusal(of words: [String]) -> String? {
    do {
      _ = try root.parseAsRoot(words)
      return nil
    } catch {
      return root.message(for: error)
    }
  }

  /// The path of the file with options; nil when there is none.
  var filePath: String? { file?.path }

  // MARK: The options in effect

  /// A Boolean value that tells whether the options are to be printed, not followed.
  var areToBePrinted: Bool { given?.values["dump-config"] != nil }

  /// The options in effect as a file for `--config`, each with its help. Those with passwords, tokens and other secrets
  /// are masked, and set nothing.
  var text: String {
    guard let command, let given else { return "" }
    var text = "# The options of rheo \(command.name). Lines that begin with # set nothing.\n"
    var section: String?
    for argument in command.arguments where argument.shouldDisplay && !ConfigurationFile.isReserved(argument.key) {
      if argument.sectionTitle != section, let title = argument.sectionTitle { text += "\n# \(title)\n" }
      section = argument.sectionTitle
      let values = argument.kind == .positional ? given.positionals : given.values[argument.key] ?? []
      let kept = entries.first { $0.argument.key == argument.key }?.values
      text += "\n" + ConfigurationText.text(argument, values: values.isEmpty ? kept ?? [] : values)
    }
    return text
  }
}
