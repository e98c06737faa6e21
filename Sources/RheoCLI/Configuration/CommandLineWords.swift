/// The words of a command line, by the arguments that they stand for.
struct CommandLineWords {
  let words: [String]
  /// The values of options by their names in files; of a flag `true`.
  private(set) var values: [String: [String]] = [:]
  /// The values of arguments without names.
  private(set) var positionals: [String] = []
  /// A Boolean value that tells whether `--` says that no options follow.
  private(set) var isTerminated = false

  /// Splits the words after the name of a command. What is no option of it, ArgumentParser will refuse.
  init(_ words: [String], of command: CommandDescription) {
    self.words = words
    var rest = words[...]
    while let word = rest.popFirst() {
      if isTerminated || word == "-" || !word.hasPrefix("-") {
        positionals.append(word)
      } else if word == "--" {
        isTerminated = true
      } else if let equals = word.firstIndex(of: "="), let option = command.argument(String(word[..<equals])) {
        values[option.key, default: []].append(String(word[word.index(after: equals)...]))
      } else if let argument = command.argument(word), argument.kind == .option {
        if let value = rest.popFirst() { values[argument.key, default: []].append(value) }
      } else {
        // A single dash may stand before several letters.
        let names = word.hasPrefix("--") ? [word] : word.dropFirst().map { "-\($0)" }
        for flag in names.compactMap(command.argument) { values[flag.key] = ["true"] }
      }
    }
  }

  /// A Boolean value that tells whether help is asked for.
  var asksForHelp: Bool { words.contains { ["--help", "-h", "--help-hidden", "--version"].contains($0) } }
}
