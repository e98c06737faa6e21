import Foundation
import TestSupport
import Testing

/// Mistakes that are easily made are told in a line that says what is allowed.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct MistakeTests {
  private let folder: TemporaryFolder
  private let video: String

  init() throws {
    folder = try TemporaryFolder()
    let file = folder.file("a.mkv")
    video = file.path
    try Clips.moving(file, frames: 3)
  }

  private func errors(_ arguments: [String], status: Int32 = 64) throws -> String {
    let result = try Program.run(arguments)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    return result.errors
  }

  @Test(arguments: ["--start", "--end", "--duration"]) func aTimeBeforeTheBeginningIsNamed(option: String) throws {
    let text = try errors(["annotate", video, folder.file("b.mp4").path, option, "-5"])
    #expect(text.contains("'-5' is invalid for '\(option)"), "\(text)")
  }

  @Test(arguments: [("libx264", "51", "99"), ("libvpx-vp9", "63", "64"), ("libx264", "51", "-2")])
  func qualitiesThatAnEncoderHasNot(codec: String, largest: String, asked: String) throws {
    let output = folder.file("b.mkv").path
    let text = try errors(["annotate", video, output, "--codec", codec, "--crf=\(asked)"])
    #expect(text.contains("0…\(largest)") && text.contains(asked), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: output))
    #expect(try Program.run(["annotate", video, output, "--codec", codec, "--crf", largest]).status == 0)
  }

  @Test(arguments: [("h265", "libx265"), ("H.264", "libx264"), ("hevc", "libx265"), ("x264", "libx264")])
  func namesOfVideoAreNoEncoders(name: String, encoder: String) throws {
    let text = try errors(["annotate", video, folder.file("b.mkv").path, "--codec", name])
    #expect(text.contains("named \(name): did you mean \(encoder)?"), "\(text)")
    #expect(!(try errors(["annotate", video, folder.file("b.mkv").path, "--codec", "zzz"]).contains("did you mean")))
  }

  @Test(arguments: ["--opacity", "--cell", "--every", "--threads", "--crf"])
  func negativeNumbersAreValues(option: String) throws {
    let text = try errors(["annotate", video, folder.file("b.mp4").path, option, "-4"])
    #expect(text.contains("-4") && !text.contains("Missing value"), "\(text)")
  }

  @Test func commandsThatThereAreNotAreNamed() throws {
    #expect(try errors(["detct", video]).contains("there is no command 'detct': did you mean 'detect'?"))
    let text = try errors(["frobnicate"])
    #expect(text.contains("there is no command 'frobnicate'; there are annotate, "), "\(text)")
    #expect(try errors(["help", "foo"]).contains("no command 'foo'"))
  }

  @Test func helpThatCannotBeWrittenIsAFailure() throws {
    for words in ["--help", "--version", "annotate --help", "help"] {
      #expect(try Program.shell("\"$rheo\" \(words) > /dev/full").status == 1, "\(words)")
      #expect(try Program.shell("\"$rheo\" \(words) >&-").status == 1, "\(words)")
    }
  }

  @Test(arguments: [
    (["export"], "--output", "x.npz"), (["detect"], "--clips", "x.mp4"), (["detect"], "--snapshots", "x.png"),
  ])
  func filesAreNoFolders(command: [String], option: String, name: String) throws {
    let path = folder.file(name).path
    let text = try errors(command + [video, option, path])
    #expect(text.contains("is the name of a file") && text.contains(name), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func optionsThatNothingFollowsAreNamed() throws {
    let text = try errors(["detect", video, "--clips", folder.file("c").path, "--format", "webm"], status: 0)
    #expect(text.contains("--format is for what is encoded"), "\(text)")
    #expect(try errors(["detect", video, "--heat-map", folder.file("h.jpg").path]).contains(".png"))
    #expect(try errors(["detect", video, "--start", "2f", "--explain", "1f"]).contains("before --start"))
  }

  @Test func faultsOfTransformsAreNamed() throws {
    let (path, output) = (folder.file("t.json"), folder.file("s.mkv").path)
    #expect(try Program.run(["stabilize", video, output, "--transforms", path.path]).status == 0)
    let good = try String(contentsOf: path, encoding: .utf8)
    for (old, new, words) in [
      ("\"warpTransform\"", "\"warpTransfrom\"", "line 2: frames[0]: the key \"warpTransform\" is missing"),
      ("\"confidence\":", "\"confidence\":7", "confidence is 0…1"),
    ] {
      try good.replacing(old, with: new, maxReplacements: 1).write(to: path, atomically: true, encoding: .utf8)
      let text = try errors(["stabilize", video, output, "--transforms", path.path, "--overwrite"], status: 1)
      #expect(text.contains(words) && !text.contains("CodingKey"), "\(text)")
    }
  }

  @Test func numbersThatJSONHasNotAreNamed() throws {
    let zones = folder.file("z.json")
    for number in ["01", "1e400", "NaN", "+1", ".5"] {
      try Data("{\"zones\":[{\"name\":\"a\",\n\"threshold\":\(number)}]}".utf8).write(to: zones)
      let text = try errors(["detect", video, "--zones", zones.path], status: 1)
      #expect(text.contains("line 2: \"threshold\": '"), "\(text)")
    }
  }

  @Test(arguments: [
    (#""polygon":[[0,0],[1,1],[0.5,0.5]]"#, "lie on one line"),
    (#""polygon":[[0,0],[1,1],[0.5,0]],"minimumArea":0.5,"maximumArea":0.1"#, "is more than maximumArea"),
    (#""polygon":[[0,0],[1,1],[0.5,0]],"minimumArea":2"#, "0…1 of the image"),
    (#""units":"pixels","polygon":[[0,0],[1e7,1],[0.5,0]]"#, "-1000000…1000000"),
  ])
  func zonesInWhichNothingCanCountAreRefused(fields: String, words: String) throws {
    let zones = folder.file("z.json")
    try Data("{\"zones\":[{\"name\":\"a\",\(fields)}]}".utf8).write(to: zones)
    let text = try errors(["detect", video, "--zones", zones.path], status: 1)
    #expect(text.contains("line 1: zone 'a'") && text.contains(words), "\(text)")
  }

  @Test func reportsHaveKnownEndingsOrAreFolders() throws {
    let text = try errors(["detect", video, "--report", folder.file("out.pdf").path])
    #expect(text.contains(".json, .csv or .html") && text.contains("out.pdf") && !folder.names.contains("out.pdf"))
    #expect(try Program.run(["detect", video, "--report", folder.file("new").path]).status == 0)
    #expect(FileManager.default.fileExists(atPath: folder.file("new/a.html").path))
  }

  @Test func anExportIsNoFlowFile() throws {
    let text = try errors(["export", video, "--output", folder.file("x.flo").path])
    #expect(text.contains("x.flo") && text.contains("rheo flow"), "\(text)")
    #expect(try Program.run(["export", video, "--output", folder.file("x.flo").path + "/"]).status == 0)
  }

  @Test func flowWantsImagesOfOneSize() throws {
    for (name, size) in [("a.png", "64x48"), ("b.png", "80x48")] {
      try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=\(size)", "-frames:v", "1", folder.file(name).path])
    }
    let names = [folder.file("a.png").path, folder.file("b.png").path]
    let text = try errors(["flow"] + names + ["--output", folder.file("f.flo").path], status: 1)
    #expect(text.contains("64×48") && text.contains("80×48") && text.contains("b.png") && !text.contains("reset()"))
  }

  @Test(arguments: [
    ("{\"zones\": [{\"name\": \"a\",\n \"treshold\": 3, \"polygon\": []}]}", 2, "\"treshold\" (3)"),
    ("{\"zones\": [\n{\"name\": \"a\", \"mode\": \"exlude\", \"polygon\": []}]}", 2, "\"exlude\""),
    ("{\"zones\": [\n\n{\"name\": \"a\", \"polygon\": [[0, 0], [1, 0], [1, \"x\"]]}]}", 3, "zones[0].polygon[2][1]"),
    ("{\"zones\": [\n{\"name\": \"a\"\n \"polygon\": []}]}", 3, "a comma or }"),
    ("{\"zones\": [{\"name\": \"a\", \"polygon\": []},\n{\"name\": \"b\"}]}", 2, "\"polygon\" is missing"),
    ("{\"zones\": [],\n\"zones\": []}", 2, "twice"),
    ("{\"tripLines\": [\n{\"name\": \"a\", \"from\": [0, 0], \"to\": [2, 2]}]}", 2, "0…1"),
  ])
  func zonesAreReadStrictly(text: String, line: Int, part: String) throws {
    let zones = folder.file("zones.json")
    try Data(text.utf8).write(to: zones)
    let told = try errors(["detect", video, "--zones", zones.path], status: 1)
    #expect(told.contains("zones.json: ") && told.contains("line \(line): ") && told.contains(part), "\(told)")
  }

  @Test func aMistakeTellsWhatIsAllowed() throws {
    let zones = folder.file("zones.json")
    for (text, allowed) in [
      (#"{"zones": [{"nam": "a"}]}"#, "name, units, mode, polygon, threshold"),
      (#"{"zones": [{"name": "a", "mode": "x", "polygon": []}]}"#, #""include", "exclude", "privacy""#),
      (#"{"zone": []}"#, "zones, tripLines"),
    ] {
      try Data(text.utf8).write(to: zones)
      let told = try errors(["detect", video, "--zones", zones.path], status: 1)
      #expect(told.contains(allowed), "\(told)")
    }
  }

  @Test func pathsInReportsGoFromTheReport() throws {
    let walkers = folder.file("walkers.mkv").path
    _ = try Program.run([
      "synthesize", walkers, "--scene", "walkers", "--size", "320x180", "--frames", "140", "--codec", "ffv1",
    ])
    let reports = folder.file("reports")
    let result = try Program.run([
      "detect", walkers, "--report", reports.appendingPathComponent("deep/").path + "/", "--report",
      folder.file("e.csv").path, "--clips", reports.appendingPathComponent("clips").path,
    ])
    #expect(result.status == 0, "\(result.errors)")
    let report = try String(contentsOf: reports.appendingPathComponent("deep/walkers.json"), encoding: .utf8)
    #expect(report.contains(#""clip": "../clips/walkers-event-0001.mkv""#), "\(report.suffix(500))")
    #expect(
      try String(contentsOf: folder.file("e.csv"), encoding: .utf8).contains(",reports/clips/walkers-event-0001.mkv"))
  }
}
