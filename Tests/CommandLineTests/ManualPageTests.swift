import Foundation
import TestSupport
import Testing

private let hasRoff = (try? ChildProcess.run("groff", ["--version"]).status) == 0

/// The pages of the manual that packages hold, made of what the program tells of itself.
@Suite(.enabled(if: hasRoff, "needs groff")) struct ManualPageTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let pages = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent("ManualPages")
    let result = try Program.shell(
      #""$rheo" --experimental-dump-help | "$1" "$2" 1.2.3 2026-01-31"#, [pages.path, folder.url.path])
    #expect(result.status == 0, "\(result.errors)")
  }

  /// A page as a reader sees it, and what roff says of it.
  private func page(_ name: String) throws -> (text: String, warnings: String) {
    let result = try ChildProcess.run(
      "groff", ["-Kutf8", "-Tutf8", "-P-cbou", "-man", "-ww", "-rLL=100n", folder.file("\(name).1").path])
    return (result.text, result.errors)
  }

  @Test func everyCommandHasAPageWithAllItsOptions() throws {
    let help = try Program.run(["--help"]).text
    let listed = try #require(help.range(of: "SUBCOMMANDS:"))
    let commands = help[listed.upperBound...].matches(of: /\n  ([a-z]+) {2,}/).map { String($0.1) }
    #expect(Set(folder.names) == Set(["rheo.1"] + commands.map { "rheo-\($0).1" }))
    for command in commands {
      let (text, warnings) = try page("rheo-\(command)")
      #expect(warnings.isEmpty, "\(command): \(warnings)")
      let shown = Set(try Program.run([command, "--help"]).text.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.0) })
      let missing = shown.filter { !text.contains($0) }
      #expect(shown.count > 5 && missing.isEmpty, "\(command): \(missing)")
    }
  }

  @Test func aPageHasTheSectionsOfAManual() throws {
    let text = try page("rheo-detect").text
    let sections = ["NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "OPTIONS", "EXAMPLES", "SEE ALSO"]
    let positions = sections.map { text.range(of: "\n\($0)\n")?.lowerBound }
    let found = positions.compactMap { $0 }
    #expect(found.count == positions.count && found == found.sorted(), "\(positions)")
    #expect(text.contains("rheo-detect - finds the events of motion in videos\n"))
    #expect(text.contains("rheo 1.2.3") && text.contains("2026-01-31"))
    // Quotes and braces of JSON survive roff.
    #expect(text.contains(#"{"zones": [{"name": "door""#))
    let root = try page("rheo").text
    #expect(root.contains("rheo-detect(1)") && root.contains("COMMANDS"))
  }
}
