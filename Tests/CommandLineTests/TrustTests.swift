import Foundation
import Rheo
import TestSupport
import Testing

/// Files and addresses from elsewhere give no secrets away, steer no terminal, and open no other files and hosts.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct TrustTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Secrets

  @Test func noOutputHoldsThePasswordOfAnAddress() throws {
    let inner = folder.file("password=hunter2")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    let clip = inner.appendingPathComponent("clip.mkv")
    _ = try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-c:v", "ffv1", clip.path])
    let server = try LocalServer([.status(200)])
    defer { server.stop() }
    let reports = ["r.json", "r.csv", "r.html", "s.csv"].map { folder.file($0) }
    let address = "file://" + clip.path
    let options = reports.dropLast().flatMap { ["--report", $0.path] } + ["--statistics", reports[3].path]
    let result = try Program.run(
      [
        "detect", address, "--json-lines", "--frames-too", "--threshold", "0.01", "--min-duration", "0", "-v",
        "--on-end", "sh -c 'echo got $0' {input}", "--webhook", server.address,
      ] + options)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("password=***/clip.mkv") && !result.errors.contains("hunter2"), "\(result.errors)")
    #expect(result.text.contains("password=***/clip.mkv") && !result.text.contains("hunter2"))
    #expect(result.errors.contains("got file://"), "an event was found")
    for report in reports {
      let text = try String(contentsOf: report, encoding: .utf8)
      #expect(text.contains("clip.mkv") && !text.contains("hunter2"), "\(report.lastPathComponent)")
    }
    #expect(!server.requests.isEmpty && server.requests.allSatisfy { !$0.body.contains("hunter2") })
    let full = try Program.run(["detect", address, "--threshold", "0.01", "--on-end", "echo {input:full}"])
    #expect(full.errors.contains("password=hunter2/clip.mkv"), "\(full.errors)")
  }

  @Test func messagesHoldNoPassword() throws {
    let address = "rtsp://admin:hunter2@127.0.0.1:1/live?token=hunter2"
    for command in [["info", address], ["detect", address], ["annotate", address, folder.file("o.mp4").path]] {
      let result = try Program.run(command + ["-v"])
      #expect(result.status == 1 && !result.errors.contains("hunter2"), "\(result.errors)")
      #expect(result.errors.contains("rtsp://***@127.0.0.1:1/live?token=***"), "\(result.errors)")
    }
    #expect(
      EventOutputs.stems(of: ["rtsp://a:hunter2@cam", "rtsp://h/user=a&password=hunter2&c=1"]) == [
        "cam", "user=a&password=___&c=1",
      ])
  }

  /// FFmpeg quotes the options that it refuses, whole or from where it cannot read on.
  @Test(arguments: ["cryptokey=hunter2", "probesize=12hunter2", "probesize=hu2", "decryption_key=hunter2:probesize=x"])
  func noMessageHoldsAnOptionOfTheInput(options: String) throws {
    let clip = folder.file("clip.mp4")
    _ = try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "mpeg4", clip.path])
    let result = try Program.run(["detect", clip.path, "--input-options", options, "-v"])
    #expect(result.status == 1 && result.errors.contains("Error setting option"), "\(result.errors)")
    #expect(!result.errors.contains("hunter2") && !result.errors.contains("hu2"), "\(result.errors)")
    #expect(result.errors.contains("to value ***"), "\(result.errors)")
  }

  @Test(arguments: [
    ["--input-options", "hunter2"], ["--input-options=key:hunter2"], ["--webhook", "ftp://hooks/services/hunter2"],
    ["--webhook=https:///services/hunter2"], ["--webhook", "hunter2"],
  ])
  func refusedSecretsAreNotShown(options: [String]) throws {
    let file = folder.file("c.toml")
    let option = options[0].split(separator: "=", maxSplits: 1).map(String.init) + options.dropFirst()
    try Data("\(option[0].dropFirst(2)) = '\(option[1])'\n".utf8).write(to: file)
    for arguments in [options, ["--config", file.path], ["--dump-config"] + options] {
      let result = try Program.run(["detect", "v.mkv"] + arguments)
      #expect(result.status == 64 && result.errors.contains("'***' is invalid"), "\(result.errors)")
      #expect(!result.errors.contains("hunter2") && result.output.isEmpty, "\(result.errors)")
    }
  }

  // MARK: Terminals

  @Test(arguments: [
    ["annotate", "a", "b", "http://u:pw@h/x"], ["annotate", "a", "b", "--start", "http://u:pw@h/x"],
    ["detect", "v", "--webhook", "ftp://u:pw@h/?key=pw"], ["convert", "http://u:pw@h/x.png", "x.flo"],
    ["annotate", "a", "b", "\u{1B}]0;X\u{7}.mp4"], ["annotate", "a", "b", "--style", "\u{1B}]0;X"],
  ])
  func refusedWordsAreShownSafely(arguments: [String]) throws {
    let result = try Program.run(arguments)
    #expect(result.status != 0 && !result.errors.isEmpty)
    #expect(!result.errors.contains("pw@") && !result.errors.contains("key=pw"), "\(result.errors)")
    #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{7}"), "\(result.errors)")
  }

  @Test func namesAndTitlesDoNotSteerTheTerminal() throws {
    let absent = try Program.run(["info", "no\u{1B}[2J\u{9B}31m\u{7F}\u{202E}4pm.mp4"])
    #expect(absent.errors.contains(#"no\u{1B}[2J\u{9B}31m\u{7F}\u{202E}4pm.mp4: No such file"#), "\(absent.errors)")
    let file = folder.file("titled.mkv")
    _ = try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "color=s=16x16:d=0.2", "-metadata", "title=a\u{1B}]0;b\u{7}c\u{202E}d", "-c:v", "ffv1",
      file.path,
    ])
    let table = try Program.run(["info", file.path])
    #expect(table.text.contains(#"a\u{1B}]0;b\u{7}c\u{202E}d"#), "\(table.text)")
    let json = try Program.run(["info", file.path, "--json"])
    #expect(json.text.contains(#"a\u001b]0;b\u0007c\u202ed"#), "\(json.text)")
    let read = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    let title = (read["metadata"] as? [String: String])?.first { $0.key.lowercased() == "title" }?.value
    #expect(title == "a\u{1B}]0;b\u{7}c\u{202E}d")
  }

  @Test func namesAreNoFormulas() throws {
    let table = folder.file("s.csv")
    let zones = try ZoneSet([Zone(name: "@SUM(1)", polygon: [[0, 0], [1, 0], [1, 1]])])
    try DetectStatistics.write(DetectStatistics.twoEvents, to: table, input: "=HYPERLINK(\"http://h\")", zones: zones)
    let result = try Program.run(["detect", "--from-statistics", table.path, "--report", folder.file("r.csv").path])
    #expect(result.status == 0, "\(result.errors)")
    let text = try String(contentsOf: folder.file("r.csv"), encoding: .utf8)
    #expect(text.contains(#""'=HYPERLINK(""http://h"")",1,"#) && text.contains(#","'@SUM(1)","#), "\(text)")
    #expect(text.contains(",-") == false)
  }

  // MARK: Playlists

  private func playlist(_ name: String, _ segment: String) throws -> URL {
    let file = folder.file(name)
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(segment)\n#EXT-X-ENDLIST\n"
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test func aPlaylistIsReadUnderItsOwnNameOnly() throws {
    _ = try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "mpeg2video", folder.file("a.ts").path,
    ])
    let named = try Program.run(["info", try playlist("list.m3u8", "a.ts").path, "--json"])
    #expect(named.status == 0 && named.text.contains("mpeg2video"), "\(named.errors)")
    let hidden = try Program.run(["info", try playlist("holiday.mp4", "a.ts").path, "--json"])
    // FFmpeg 7.1 no longer takes it for one by its contents.
    let words = ["is a playlist", "cannot be opened as a video"]
    #expect(hidden.status == 1 && hidden.output.isEmpty && words.contains(where: hidden.errors.contains))
    #expect(hidden.errorLines.count == 1 && hidden.errors.utf8.count < 400)
    let concat = folder.file("holiday.mkv")
    try Data("ffconcat version 1.0\nfile a.ts\n".utf8).write(to: concat)
    #expect(try Program.run(["info", concat.path]).errors.contains("is a playlist"))
    let told = try Program.run(["detect", concat.path, "--input-format", "concat", "-q"])
    #expect(told.status == 0, "\(told.errors)")
  }

  @Test func aPlaylistOpensNoHostUnlessItMay() throws {
    let server = try LocalServer([.body("nothing")])
    defer { server.stop() }
    let list = try playlist("list.m3u8", server.address + "/a.ts").path
    let refused = try Program.run(["info", list])
    #expect(refused.status == 1 && refused.errors.contains("--allow-protocols"), "\(refused.errors)")
    #expect(server.requests.isEmpty)
    _ = try Program.run(["info", list, "--allow-protocols", "file,http,tcp"])
    #expect(!server.requests.isEmpty)
    #expect(try Program.run(["info", list, "--allow-protocols", "file,"]).status == 64)
  }

  @Test func aPlaylistFromTheNetworkOpensNoFile() throws {
    let file = folder.file("a.ts")
    _ = try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "mpeg2video", file.path])
    let text = try String(contentsOf: try playlist("l.m3u8", "file://\(file.path)"), encoding: .utf8)
    let server = try LocalServer([.body(text)])
    defer { server.stop() }
    let result = try Program.run(["info", server.address + "/l.m3u8"])
    #expect(result.status == 1 && result.output.isEmpty && !server.requests.isEmpty, "\(result.errors)")
  }
}
