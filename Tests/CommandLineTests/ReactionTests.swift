import ArgumentParser
import Foundation
import Rheo
import TestSupport
import Testing

@testable import RheoCLI

@Suite struct CommandTemplateTests {
  @Test(arguments: [
    ("notify", ["notify"]), ("  a   b\tc ", ["a", "b", "c"]), ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
    ("a'b c'd", ["ab cd"]), ("a '' \"\"", ["a", "", ""]), (#"a b\ c \"d \\"#, ["a", "b c", "\"d", "\\"]),
    (#"a "b \" \\ \n""#, ["a", #"b " \ \n"#]), (#"a '\ "'"#, ["a", #"\ ""#]),
    ("a $HOME *.mp4 | b", ["a", "$HOME", "*.mp4", "|", "b"]),
  ])
  func wordsAreSplitAsAShellSplitsThem(line: String, words: [String]) throws {
    #expect(try CommandTemplate.split(line) == words)
    #expect(try CommandTemplate(line).arguments([:]) == words)
  }

  @Test(arguments: ["a 'b", "a \"b", "a \\", "", "  ", "a {zones}", "'' {a}"])
  func whatCannotBeMeantIsRefused(line: String) {
    #expect(throws: ValidationError.self) { try CommandTemplate(line) }
  }

  @Test func aValueStaysOneArgument() throws {
    let template = try CommandTemplate(#"say --zone={zone} "{input} at {start}" {clip} {{number}} {"a":1}"#)
    let words = template.arguments([
      .zone: "front 'door' $(x)", .input: "{start} a.mp4", .start: "1.500", .number: "7",
    ])
    #expect(
      words == ["say", "--zone=front 'door' $(x)", "{start} a.mp4 at 1.500", "", "{7}", "{a:1}"])
    #expect(try CommandTemplate("{input:full} {input:less}").arguments([.fullInput: "a b"]) == ["a b", "{input:less}"])
  }
}

@Suite struct ReactionTests {
  private let folder: TemporaryFolder
  private let table: URL
  private let log: URL

  init() throws {
    folder = try TemporaryFolder()
    table = folder.file("s.csv")
    log = folder.file("log")
    let zones = try ZoneSet([Zone(name: "front door", polygon: [[0, 0], [1, 0], [1, 1]])])
    try DetectStatistics.write(DetectStatistics.twoEvents, to: table, input: "my yard.mp4", zones: zones)
  }

  private func detect(_ options: [String]) throws -> ChildProcess.Result {
    try Program.run(["detect", "--from-statistics", table.path] + options)
  }

  /// A program that writes its arguments as a line.
  private func logger(more: String = "") throws -> String {
    let script = folder.file("log me.sh")
    // One write a line: commands of different events may overlap.
    let text = """
      #!/bin/sh
      line=
      for word in "$@"; do line="$line$word|"; done
      printf '%s\\n' "$line" >> '\(log.path)'
      \(more)

      """
    try Data(text.utf8).write(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    return "'\(script.path)'"
  }

  private var logged: [String] {
    ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  @Test func commandsRunAtStartAndEndWithWhatIsKnown() throws {
    let script = try logger()
    let result = try detect([
      "--on-start", "\(script) start {number} {start} {zone} {input} '{end}' '{clip}'",
      "--on-end", "\(script) end {number} {start} {end} {zone} {score}",
    ])
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    // Commands of different events may overlap.
    #expect(
      logged.filter { $0.contains("|1|") } == [
        "start|1|0.500|front door|my yard.mp4|||", "end|1|0.500|2.200|front door|2.000|",
      ])
    #expect(
      logged.filter { $0.contains("|2|") } == [
        "start|2|5.200|front door|my yard.mp4|||", "end|2|5.200|7.100|front door|3.000|",
      ])
    #expect(logged.count == 4)
  }

  @Test func whatACommandPrintsIsNoData() throws {
    let result = try detect(["--on-end", "echo said {number}", "--json-lines"])
    #expect(result.text.split(separator: "\n").count == 2 && !result.text.contains("said"), "\(result.text)")
    #expect(result.errors.contains("said 1") && result.errors.contains("said 2"))
  }

  @Test(arguments: [
    ("false", "status 1"), ("./not-there {number}", "cannot be started"), ("sh -c 'kill -9 $$'", "signal 9"),
  ])
  func aCommandThatFailsIsAWarning(command: String, reason: String) throws {
    let result = try detect(["--on-end", command, "-q"])
    #expect(result.status == 0 && result.errorLines.count == 2, "\(result.errors)")
    for (number, line) in zip([1, 2], result.errorLines.sorted()) {
      #expect(line.contains("--on-end at event \(number) of my yard.mp4") && line.contains(reason), "\(line)")
    }
  }

  @Test func commandsThatHangAreEnded() throws {
    let start = ContinuousClock.now
    let result = try detect([
      "--on-start", "sleep 60", "--on-end", "sh -c 'trap \"\" TERM; sleep 60'", "--reaction-limit", "0.3",
    ])
    #expect(result.status == 0)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(
      result.errors.contains("--on-start at event 1") && result.errors.contains("were left out"), "\(result.errors)")
  }

  @Test(arguments: [
    ["--on-start", "a 'b"], ["--on-end", "a {zones}"], ["--on-end", ""], ["--webhook", "ftp://a/b"],
    ["--webhook", "a b"], ["--reaction-limit", "0"],
  ])
  func wrongOptionsAreRefused(options: [String]) throws {
    let result = try detect(options)
    #expect(result.status == 64, "\(result.errors)")
  }

  // MARK: Webhook

  private func objects(_ server: LocalServer) throws -> [NSDictionary] {
    try server.requests.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.body.utf8)) as? NSDictionary, "\($0.body)")
    }
  }

  @Test func startsAndEndsArePosted() throws {
    let server = try LocalServer([.status(200)])
    defer { server.stop() }
    let result = try detect(["--webhook", server.address + "/hook?key=1", "--json-lines"])
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    let posts = try objects(server)
    #expect(posts.map { $0["type"] as? String } == ["start", "end", "start", "end"])
    #expect(server.requests.allSatisfy { $0.line == "POST /hook?key=1 HTTP/1.1" })
    #expect(server.requests.allSatisfy { $0.headers["content-type"] == "application/json" })
    let lines = try result.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
    #expect(posts.filter { $0["type"] as? String == "end" } == lines)
    let start = try #require(posts[0]["event"] as? NSDictionary)
    #expect(start["number"] as? Int == 1 && start["zones"] as? [String] == ["front door"])
  }

  @Test func aReplyWithoutEndIsNotRead() throws {
    let server = try LocalServer([.endlessBody])
    defer { server.stop() }
    let result = try detect(["--webhook", server.address])
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    #expect(server.requests.count == 4)
    // All bodies together are 8 GB, each in more than the 60 s of the limit; a post that hits it is a second line.
    // The system takes some of them before the transfer ends.
    #expect(server.sentBytes < 1 << 32, "\(server.sentBytes)")
  }

  @Test func whatMayGoOverIsTriedAgain() throws {
    let server = try LocalServer([.status(500), .status(429), .status(204)])
    defer { server.stop() }
    let result = try detect(["--webhook", server.address])
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(try objects(server).map { $0["type"] as? String } == ["start", "start", "start", "end", "start", "end"])
  }

  @Test func aRefusalIsFinal() throws {
    let other = try LocalServer([.status(200)])
    let server = try LocalServer([.status(404), .redirection(other.address), .status(200)])
    defer { server.stop() }
    defer { other.stop() }
    let result = try detect(["--webhook", server.address + "/services/secret?key=secret", "-q"])
    #expect(result.status == 0 && result.errorLines.count == 2, "\(result.errors)")
    #expect(result.errors.contains("start of event 1 of my yard.mp4") && result.errors.contains("status 404"))
    #expect(result.errors.contains("end of event 1") && result.errors.contains("status 302"))
    #expect(!result.errors.contains("secret"))
    #expect(server.requests.count == 4 && other.requests.isEmpty)
  }

  @Test(arguments: [true, false])
  func aServerThatIsAwayOrSilentEndsInAWarning(isAway: Bool) throws {
    let server = try LocalServer([.silence])
    defer { if !isAway { server.stop() } }
    if isAway { server.stop() }
    let start = ContinuousClock.now
    let result = try detect(["--webhook", server.address, "--reaction-limit", "0.8"])
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(result.status == 0)
    #expect(
      result.errors.contains("--webhook at the start of event 1 of my yard.mp4: \(server.address)"), "\(result.errors)")
    #expect(result.errors.contains("posts to the webhook were left out"), "\(result.errors)")
  }
}
