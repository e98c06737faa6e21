import Foundation
import TestSupport
import Testing

/// Options out of a file.
@Suite struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ text: String) throws -> String {
    let file = folder.file("c.toml")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  private func dump(_ arguments: [String]) throws -> String {
    let result = try Program.run(["detect", "--dump-config"] + arguments)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return result.text
  }

  /// The lines of a file that set something.
  private func settings(_ text: String) -> Set<String> {
    Set(text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.hasPrefix("#") })
  }

  @Test func whatIsPrintedIsReadBack() throws {
    let lines = [
      [], ["in.mp4", "-", "it's \"two\".mp4"],
      [
        "a.mp4", "-yq", "--report", "-", "--report=b.html", "--threshold", "0.125", "--min-duration=1e-05", "--start",
        "00:00:02", "--on-end", "notify 'a b' {clip} \\n", "--encoder-options", "a=b:c=ü", "--codec", "007",
        "--max-duration", "60", "--reconnect", "always", "--compensate", "none", "--jobs", "2", "--end", "123f",
      ], ["--list", "names.txt", "--", "--strange.mp4"],
    ]
    for line in lines {
      let text = try dump(line)
      #expect(try dump(["--config", try file(text)]) == text, "\(line)")
    }
    #expect(
      settings(try dump(lines[2])).isSuperset(of: [
        "threshold = 0.125", "min-duration = 1e-05", "overwrite = true", "verbose = false", "max-duration = 60",
        "reconnect = 'always'", "codec = '007'", "after = 1.2",
      ]))
  }

  @Test func everyOptionIsPrinted() throws {
    let help = try Program.run(["help", "detect"]).text
    let names = Set(help.matches(of: /\n  (?:-[a-z], )?--([a-z][a-z-]*)/).map { String($0.1) })
    let printed = Set(try dump([]).matches(of: #/\n(?:# )?([a-z][a-z-]*) = /#).map { String($0.1) })
    #expect(names.count > 40)
    #expect(names.subtracting(["help", "version", "config", "dump-config"]).union(["inputs"]) == printed)
  }

  @Test func passwordsAreNotPrinted() throws {
    let text = try dump(["rtsp://user:hunter2@host/live?token=1", "--webhook", "https://host/hook?key=hunter2"])
    #expect(!text.contains("hunter2") && text.contains("rtsp://***@host/live?token=***"))
  }

  /// The path of a webhook is all that its server asks for. What is masked sets nothing.
  @Test func secretOptionsAreMaskedAndSaidToBe() throws {
    let text = try dump([
      "in.mp4", "--webhook", "https://hooks.host:8443/services/T1/hunter2", "--input-options",
      "decryption_key=hunter2:rtsp_transport=udp",
    ])
    #expect(!text.contains("hunter2") && !text.contains("services"), "\(text)")
    for line in ["webhook = 'https://hooks.host:8443/***'", "input-options = 'decryption_key=***:rtsp_transport=***'"] {
      #expect(text.contains("not printed: put it in, and take the # away.\n# \(line)\n"), "\(text)")
    }
    #expect(try dump(["--config", try file(text)]).contains("\n# webhook = 'url'\n"))
    let plain = try dump(["in.mp4", "--webhook", "https://hooks.host"])
    #expect(settings(plain).contains("webhook = 'https://hooks.host'") && !plain.contains("***"))
  }

  @Test func theCommandLineGoesBeforeTheFile() throws {
    let path = try file(
      """
      inputs = ["a.mp4", "b.mp4"]
      report = ["a.json", "a.html"]
      threshold = 99
      merge-gap = "3"
      overwrite = false
      """)
    let own = settings(try dump(["--config", path]))
    #expect(
      own.isSuperset(of: [
        "inputs = [ 'a.mp4', 'b.mp4' ]", "report = [ 'a.json', 'a.html' ]", "threshold = 99", "merge-gap = 3",
        "overwrite = false",
      ]), "\(own)")
    let mixed = settings(try dump(["c.mp4", "--threshold", "1", "--report", "-", "-y", "--config", path]))
    #expect(
      mixed.isSuperset(of: [
        "inputs = [ 'c.mp4' ]", "report = [ '-' ]", "threshold = 1", "merge-gap = 3", "overwrite = true",
      ]), "\(mixed)")
  }

  /// A file's text, the option that the message names, and the line.
  @Test(
    arguments: [
      ("# one\n\nmin-durtion = 1", "min-durtion", 3), ("threshold = \"abc\"", "threshold", 1),
      ("\nthreshold = -1", "threshold", 2),
      ("quiet = true\noverwrite = \"yes\"", "overwrite", 2), ("threshold = [1]", "threshold", 1),
      ("every = 1.5", "every", 1),
      ("start = 07:32:00", "start", 1), ("report = [1, {}]", "report", 1), ("[detect]\nthreshold = 1", "detect", 1),
      ("threshold = 1\nthreshold = 2", "threshold", 2), ("jobs = = 1", "jobs", 1), ("config = \"c.toml\"", "config", 1),
      ("frames-too = true", "frames-too", 1), ("filter = \"a\\u0000b\"", "", nil),
    ] as [(String, String, Int?)])
  func whatIsWrongIsNamed(text: String, name: String, line: Int?) throws {
    let result = try Program.run(["detect", "in.mp4", "--config", try file(text)])
    #expect(result.status == 64 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("c.toml" + (line.map { ":\($0): " } ?? ": ")), "\(result.errors)")
    if line != nil, !text.contains("= =") { #expect(result.errors.contains(name), "\(result.errors)") }
  }

  @Test func mistakesOfTheCommandLineAreItsOwn() throws {
    let path = try file("threshold = 1")
    let unknown = try Program.run(["detect", "in.mp4", "--config", path, "--bogus"])
    #expect(unknown.status == 64 && unknown.errors.contains("--bogus") && !unknown.errors.contains("c.toml"))
    let missing = try Program.run(["detect", "in.mp4", "--config", folder.file("none.toml").path])
    #expect(missing.status == 1 && missing.errors.contains("none.toml"))
    #expect(try Program.run(["detect", "--help", "--config", folder.file("none.toml").path]).status == 0)
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func aFileDoesWhatTheOptionsDo() throws {
    let input = folder.file("in.mp4")
    try Clips.moving(input, size: "320x240", frames: 60, encoding: ["-c:v", "mpeg4"])
    let options = ["--threshold", "0.01", "--after", "0", "--merge-gap", "0.5", "--end", "50f", "--report", "-"]
    let text = try dump([input.path] + options)
    let (plain, configured) = (
      try Program.run(["detect", input.path] + options), try Program.run(["detect", "--config", try file(text)])
    )
    #expect(plain.status == 0 && plain.text.contains("\"mergeGap\": 0.5") && configured.text == plain.text)
  }

  /// Arguments that the command line does not name come from the file, in any command.
  @Test(.enabled(if: FFmpegTools.areInstalled)) func argumentsWithoutNamesAreInTheFileToo() throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.mkv"))
    try Clips.moving(input, size: "64x48", frames: 20, encoding: ["-c:v", "mpeg4"])
    let path = try file("input = \"none.mp4\"\noutput = \"\(output.path)\"\nframes = 5\noverwrite = true")
    for _ in 0..<2 {
      let result = try Program.run(["annotate", input.path, "--config", path, "-q"])
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try FFmpegTools.frameTimes(output).count == 5)
  }
}
