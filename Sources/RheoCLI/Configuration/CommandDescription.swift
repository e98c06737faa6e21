// What a command takes, as ArgumentParser describes it for tools (`--experimental-dump-help`): no second list of
// options.

import ArgumentParser
import Foundation

/// The arguments of a command.
struct CommandDescription {
  let name: String
  /// The arguments in the order of the help.
  let arguments: [Argument]

  /// One argument of a command.
  struct Argument: Decodable {
    enum Kind: String, Decodable { case positional, option, flag }

    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: Kind
    var names: [Name]?
    var preferredName: Name?
    var valueName: String?
    var isRepeating: Bool
    var shouldDisplay: Bool
    var sectionTitle: String?
    var defaultValue: String?
    var abstract: String?

    /// The name in files: that of the option without its dashes, or that of the argument in the help.
    var key: String { preferredName?.name ?? valueName ?? "" }

    /// Returns whether a word such as `--overwrite`, `-y` or, without dashes, a name in a file stands for it.
    func goes(by word: String) -> Bool {
      guard let names else { return word == key }
      return names.contains {
        word == $0.name && $0.kind == "long" || word == ($0.kind == "short" ? "-" : "--") + $0.name
      }
    }
  }

  /// Describes a subcommand; nil when there is none of the name.
  /// - Throws: `DecodingError` when ArgumentParser describes commands in another way.
  init?(_ name: String, of root: any ParsableCommand.Type) throws {
    guard let command = root.configuration.subcommands.first(where: { $0._commandName == name }) else { return nil }
    struct Tool: Decodable {
      struct Command: Decodable { var arguments: [Argument]? }
      var command: Command
    }
    self.name = name
    arguments = try JSONDecoder().decode(Tool.self, from: Data(command._dumpHelp().utf8)).command.arguments ?? []
  }

  /// Returns the argument that a word or a name in a file stands for.
  func argument(_ word: String) -> Argument? { arguments.first { $0.goes(by: word) } }
}
