import Foundation
import Rheo
import TestSupport
import Testing

@testable import RheoCLI

/// `rheo zones` without a browser; `make zones-check` draws with a mouse.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ZonesCommandTests {
  private static let zones =
    #"{"zones": [{"name": "door", "mode": "include", "polygon": [[0.1, 0.2], [0.4, 0.2], [0.4, 0.9]]}], "#
    + #""tripLines": [{"name": "gate", "from": [0.5, 1], "to": [0.5, 0], "direction": "both"}]}"#

  private let folder: TemporaryFolder
  private let video: URL
  private let output: URL

  init() throws {
    folder = try TemporaryFolder()
    video = folder.file("yard.mkv")
    output = folder.file("zones.json")
    try Clips.moving(video, frames: 3)
  }

  /// The running program and its page.
  private struct Page {
    let program: ChildProcess
    let port: UInt16
    /// The path of the page, with a slash at its end.
    let path: String
    var host: String { "127.0.0.1:\(port)" }

    func send(
      _ method: String, _ name: String, host: String? = nil, headers: [String: String] = [:], body: Data = Data()
    ) throws -> HTTPExchange.Answer {
      try HTTPExchange.send(
        "\(method) \(path)\(name)", port: port, headers: headers.merging(["Host": host ?? self.host]) { $1 }, body: body
      )
    }
  }

  private func start(_ options: [String] = []) throws -> Page {
    let printed = folder.file("printed")
    let program = try ChildProcess(
      Program.path, ["zones", video.path, "--output", output.path] + options, output: printed.path)
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
      let text = (try? String(contentsOf: printed, encoding: .utf8)) ?? ""
      if text.hasSuffix("\n"), let address = URL(string: text.trimmingCharacters(in: .newlines)) {
        #expect(address.scheme == "http" && address.host == "127.0.0.1")
        return Page(program: program, port: UInt16(try #require(address.port)), path: address.path + "/")
      }
      usleep(5000)
    }
    program.send(SIGKILL)
    _ = try program.wait()
    throw HTTPExchange.Failure()
  }

  @Test func whatIsSavedIsTheFileThatDetectReads() throws {
    let page = try start()
    #expect(try page.send("POST", "zones", body: Data(#"{"zones": []}"#.utf8)).status == 200)
    #expect(try ZoneSet(path: output.path) == .everywhere)
    let answer = try page.send("POST", "close", body: Data(Self.zones.utf8))
    #expect(answer.status == 200, "\(answer.body)")
    #expect(try page.program.wait().status == 0)
    #expect(try ZoneSet(path: output.path) == ZoneSet(json: Data(Self.zones.utf8)))
    #expect(folder.names == ["printed", "yard.mkv", "zones.json"])
    let found = try Program.run(["detect", video.path, "--zones", output.path, "--report", "-"])
    #expect(found.status == 0, "\(found.errors)")
  }

  @Test func thePageNeedsNothingFromElsewhere() throws {
    let page = try start()
    defer { page.program.send(SIGKILL) }
    let text = try page.send("GET", "")
    #expect(text.status == 200 && text.headers["content-type"] == "text/html; charset=utf-8")
    #expect(!text.body.contains("http://") || text.body.components(separatedBy: "http://").count == 2)
    #expect(text.body.contains("http://www.w3.org/2000/svg") && !text.body.contains("https://"))
    let policy = try #require(text.headers["content-security-policy"])
    let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{32})'/)?.1)
    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
    #expect(text.body.components(separatedBy: "nonce=\"\(nonce)\"").count == 3)
    #expect(try page.send("GET", "").headers["content-security-policy"] != policy)
    let image = try page.send("GET", "frame.jpg")
    #expect(image.status == 200 && image.headers["content-type"] == "image/jpeg")
  }

  @Test func onlyThePageItselfIsAnswered() throws {
    let page = try start()
    defer { page.program.send(SIGKILL) }
    let zones = Data(Self.zones.utf8)
    func status(_ line: String) throws -> Int {
      try HTTPExchange.send(line, port: page.port, headers: ["Host": page.host], body: zones).status
    }
    #expect(try status("GET /") == 404)
    let other = String(page.path.dropFirst(2).dropLast()) + "0"
    #expect(try status("GET /\(other)/") == 404 && status("POST /\(other)/zones") == 404)
    #expect(try status("GET \(page.path)../etc/passwd") == 404)
    for host in ["rebound.example:\(page.port)", "", "127.0.0.1.example"] {
      #expect(try page.send("POST", "zones", host: host, body: zones).status == 403, "\(host)")
    }
    for origin in ["http://rebound.example", "null", "http://127.0.0.1:\(page.port == 1 ? 2 : 1)"] {
      #expect(try page.send("POST", "zones", headers: ["Origin": origin], body: zones).status == 403, "\(origin)")
    }
    #expect(try page.send("DELETE", "zones").status == 405)
    #expect(!folder.names.contains("zones.json"))
    let own = ["Origin": "http://\(page.host)"]
    #expect(try page.send("POST", "zones", headers: own, body: zones).status == 200)
    #expect(folder.names.contains("zones.json"))
  }

  @Test(arguments: [
    ("", "cannot be read"), ("{", "cannot be read"), ("{}", "neither"), (#"{"zones": 5}"#, "cannot be read"),
    (#"{"zones": [{"name": "a", "polygon": [[0, 0], [1, 1]]}]}"#, "3 corners"),
    (#"{"tripLines": [{"name": "a", "from": [0, 0], "to": [2, 2]}]}"#, "0…1"),
  ])
  func whatIsNoZonesFileIsRefused(text: String, reason: String) throws {
    let page = try start()
    defer { page.program.send(SIGKILL) }
    let answer = try page.send("POST", "zones", body: Data(text.utf8))
    #expect(answer.status == 400 && answer.body.contains(reason), "\(answer)")
    #expect(!folder.names.contains("zones.json"))
  }

  @Test func aBodyHasALimit() throws {
    let page = try start()
    defer { page.program.send(SIGKILL) }
    let limit = ZonePageHandler.maximumBodySize
    func text(_ size: Int) -> Data {
      Data(Self.zones.utf8) + Data(repeating: 0x20, count: size - Self.zones.utf8.count)
    }
    #expect(try page.send("POST", "zones", body: text(limit + 1)).status == 413)
    #expect(!folder.names.contains("zones.json"))
    #expect(try page.send("POST", "zones", body: text(limit)).status == 200)
    #expect(folder.names.contains("zones.json"))
  }

  @Test func aFileIsReplacedOnlyOnRequestAndThenEdited() throws {
    try Data(Self.zones.utf8).write(to: output)
    let refused = try Program.run(["zones", video.path, "--output", output.path])
    #expect(refused.status == 1 && refused.errors.contains("--overwrite"))
    let input = try Program.run(["zones", video.path, "--output", video.path, "-y"])
    #expect(input.status == 64 && input.errors.contains("is the input itself"))
    let page = try start(["-y"])
    let known = try page.send("GET", "zones").body
    #expect(known.contains(#""name": "door", "mode": "include""#) && known.contains(#""name": "gate""#), "\(known)")
    page.program.send(SIGINT)
    #expect(try page.program.wait().status == 130)
    #expect(try String(contentsOf: output, encoding: .utf8) == Self.zones)
  }

  @Test func pixelsBecomeFractions() throws {
    let old = folder.file("old.json")
    // The video has 64 × 48 pixels.
    let text =
      #"{"zones": [{"name": "a", "units": "pixels", "polygon": [[16, 0], [64, 0], [32, 60]], "minimumArea": 768}], "#
      + #""tripLines": [{"name": "b", "units": "pixels", "from": [0, 12], "to": [48, 24]}]}"#
    try Data(text.utf8).write(to: old)
    let page = try start(["--zones", old.path])
    defer { page.program.send(SIGKILL) }
    let sent = Data(try page.send("GET", "zones").body.utf8)
    var document = try #require(try JSONSerialization.jsonObject(with: sent) as? [String: Any])
    // The page is told the names of the files, too; a zones file has none.
    #expect(document.removeValue(forKey: "input") != nil && document.removeValue(forKey: "output") != nil)
    let zones = try ZoneSet(json: JSONSerialization.data(withJSONObject: document))
    #expect(
      try zones
        == ZoneSet(
          [Zone(name: "a", polygon: [[0.25, 0], [1, 0], [0.5, 1]], minimumArea: 0.25)],
          tripLines: [TripLine(name: "b", from: [0, 0.25], to: [0.75, 0.5])]))
  }

  @Test func whatCannotWorkIsSaidBeforeThereIsAPage() throws {
    func errors(_ options: [String], status: Int32) throws -> String {
      let result = try Program.run(["zones", video.path, "--output", output.path] + options)
      #expect(result.status == status && result.output.isEmpty, "\(options)")
      return result.errors
    }
    #expect(try errors(["--at", "99"], status: 64).contains("no frame"))
    #expect(try errors(["--zones", folder.file("none.json").path], status: 1).contains("none.json"))
    #expect(try errors(["--port", "70000"], status: 64).contains("--port"))
    #expect(try Program.run(["zones", video.path, "--output", "-"]).status == 64)
    let page = try start()
    defer { page.program.send(SIGKILL) }
    #expect(try errors(["--port", "\(page.port)"], status: 1).contains("cannot be listened to"))
  }
}
