import Foundation
import TestSupport
import Testing

@testable import RheoCLI

/// The order and the length of the help of commands.
@Suite struct HelpLayoutTests {
  private static let commands = [
    "annotate", "run", "flow", "export", "convert", "render", "evaluate", "register", "stabilize", "stitch", "stack",
    "track", "detect", "zones", "info", "synthesize", "selftest",
  ]

  /// The titles of sections, in order.
  private func titles(_ text: String) -> [String] { text.matches(of: /\n([A-Z ]+):[\n ]/).map { String($0.1) } }

  @Test(arguments: commands) func ownOptionsComeFirstAndGeneralOnesLast(command: String) throws {
    for arguments in [[command, "--help"], ["help", command]] {
      let text = try Program.run(arguments).text
      let titles = titles(text).filter { !["USAGE", "ARGUMENTS"].contains($0) }
      #expect(titles.last == "GENERAL", "\(titles)")
      #expect(!titles.contains("OPTIONS") || titles.first == "OPTIONS", "\(titles)")
      #expect(text.contains("--help") && text.contains("--version") && text.contains("--config"))
    }
  }

  @Test(arguments: commands) func helpFitsTwoScreens(command: String) throws {
    let lines = try Program.run([command, "--help"]).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= HelpText.lineLimit + 1, "\(lines.count)")
    // ArgumentParser does not break the usage.
    let wide = lines.filter { $0.count > 80 && !$0.hasPrefix("USAGE:") }
    #expect(wide.isEmpty, "\(wide)")
  }

  @Test func theRestIsInTheWholeHelp() throws {
    let (brief, full) = (try Program.run(["detect", "--help"]).text, try Program.run(["help", "detect"]).text)
    #expect(brief.contains("rheo help detect") && brief.contains("Example: rheo detect"))
    #expect(full.contains("Commands begin in the order") && !brief.contains("Commands begin in the order"))
    func options(_ text: String) -> Set<String> { Set(text.matches(of: /--[a-z][a-z-]+/).map { String($0.0) }) }
    #expect(options(full).subtracting(options(brief)).isEmpty)
    #expect(full.contains("--crf <crf>") && !brief.contains("--crf <crf>"))
    #expect(brief.contains("ENCODING: --codec, --crf"))
  }

  @Test func parametersAreListedOnce() throws {
    let text = try Program.run(["help", "parameters"]).text
    for key in ["smoothness", "levels-per-octave", "pyramid-scale", "--algorithm farneback", "0.01…1000"] {
      #expect(text.contains(key), "\(key)")
    }
    #expect(!(try Program.run(["help", "annotate"]).text.contains("levels-per-octave")))
  }
}
