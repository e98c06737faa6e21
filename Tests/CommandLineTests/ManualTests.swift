import Foundation
import TestSupport
import Testing

/// `docs/cli.md` is the contract for scripts: it says neither more nor less than the program's own help.
@Suite struct ManualTests {
  /// The text below each heading `## rheo COMMAND`.
  private static let sections: [String: Substring] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/cli.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let parts = text.replacing("\n## ", with: "\u{0}").split(separator: "\u{0}")
    return parts.reduce(into: [:]) { sections, part in
      guard part.hasPrefix("rheo "), let end = part.firstIndex(of: "\n") else { return }
      sections[String(part[..<end].dropFirst(5))] = part[end...]
    }
  }()

  private static func options(in text: some StringProtocol) -> Set<String> {
    let words = String(text).matches(of: /(?:^|[^\w-])(--[a-z][a-z0-9-]*)/).map { String($0.1) }
    return Set(words).subtracting(["--help", "--version"])
  }

  @Test func everyCommandIsThere() throws {
    let help = try Program.run(["--help"]).text
    let listed = try #require(help.range(of: "SUBCOMMANDS:"))
    let commands = help[listed.upperBound...].matches(of: /\n  ([a-z]+) {2,}/).map { String($0.1) }
    #expect(!commands.isEmpty && Set(commands) == Set(Self.sections.keys))
  }

  @Test func everySectionHasTheOptionsOfItsCommand() throws {
    for (command, text) in Self.sections {
      let help = try Program.run([command, "--help"])
      #expect(help.status == 0)
      let (shown, told) = (Self.options(in: help.text), Self.options(in: text))
      #expect(shown == told, "\(command): missing \(shown.subtracting(told)), too many \(told.subtracting(shown))")
    }
  }
}
