import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Exported flow is that of the engine, however often the work was interrupted.
@Suite struct FlowExportTests {
  private let folder: TemporaryFolder
  private let input: URL
  private static let size = PixelSize(width: 80, height: 60)
  /// More than the queues hold: an interruption after the second pair comes before the end.
  private static let frameCount = 20
  private static let pairCount = frameCount - 1

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Self.record(Self.frameCount, to: input)
  }

  private static func record(_ frames: Int, rate: Rational = Rational(25, 1), to output: URL) throws {
    let scene = try Scene(SceneParameters(name: .pan, size: size, frameCount: frames, frameRate: rate))
    _ = try SceneRecorder(
      scene: scene, output: output.path, truthFolder: nil,
      encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p")
    ).run()
  }

  private func export(_ name: String, _ change: (inout FlowExport) -> Void = { _ in }) -> FlowExport {
    let output = folder.file(name)
    let isStack = name.hasSuffix(".npy")
    var export = FlowExport(
      input: input.path, output: output.path, layout: isStack ? .stack : .folder, format: isStack ? .npy : .flo,
      flow: OpticalFlowRequest(computationAccuracy: .low))
    change(&export)
    return export
  }

  /// All files below a name, with what they hold; the name itself left out.
  private func contents(_ name: String) throws -> [String: Data] {
    let base = (name as NSString).deletingPathExtension
    let all = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
    var files: [String: Data] = [:]
    for file in all where file.hasPrefix("\(base).") || file.hasPrefix("\(base)/") || file.hasPrefix(".\(base).") {
      files[String(file.replacing(base, with: "", maxReplacements: 1))] = try? Data(contentsOf: folder.file(file))
    }
    return files
  }

  private func frames() throws -> [Plane<Float>] {
    let (reader, extractor) = (try VideoReader(input.path), LumaExtractor())
    var frames: [Plane<Float>] = []
    while let frame = try reader.nextFrame() { frames.append(try extractor.luma(of: frame)) }
    return frames
  }

  private func manifest(_ path: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.file(path))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test func everyPairIsThatOfTheEngine() throws {
    let report = try export("out").run()
    #expect(report.pairs == Self.pairCount && report.resumedPairs == 0 && !report.wasInterrupted && report.gaps.isEmpty)
    let frames = try frames()
    for index in 0..<8 {
      let handler = try ImageRequestHandler(frames[index])
      let expected = try handler.perform(
        OpticalFlowRequest(computationAccuracy: .low), targeting: frames[index + 1]
      ).flow
      #expect(try FlowFile.read(contentsOf: folder.file("out/frame_00000\(index + 1).flo").path).bits == expected.bits)
    }
    #expect(try contents("out").count == Self.pairCount + 1)
  }

  @Test func aGridHoldsTheMeansOfItsCells() throws {
    _ = try export("out") { $0.includesConfidence = true }.run()
    _ = try export("grid") {
      $0.cellSize = 16
      $0.includesConfidence = true
    }.run()
    let all = try FlowFile.read(contentsOf: folder.file("out/frame_000003.flo").path)
    let cells = try FlowFile.read(contentsOf: folder.file("grid/frame_000003.flo").path)
    #expect(cells.size == PixelSize(width: 5, height: 4))
    // The last row of cells is cut off: 60 rows are three cells and three quarters of one.
    for (column, row) in [(0, 0), (4, 3), (2, 1)] {
      var (sum, count) = (SIMD2<Double>(), 0.0)
      for y in row * 16..<min(60, row * 16 + 16) {
        for x in column * 16..<column * 16 + 16 {
          sum += SIMD2(Double(all[x, y].u), Double(all[x, y].v))
          count += 1
        }
      }
      #expect(abs(Double(cells[column, row].u) - sum.x / count) < 1e-5)
      #expect(abs(Double(cells[column, row].v) - sum.y / count) < 1e-5)
    }
    #expect(try manifest("grid/manifest.json")["size"] as? [String: Int] == ["width": 5, "height": 4])
    #expect(throws: MediaError.self) { try export("none") { $0.cellSize = 0 }.run() }
  }

  @Test func aStackHoldsTheSameFields() throws {
    _ = try export("out").run()
    _ = try export("out.npy").run()
    let stack = folder.file("out.npy").path
    #expect(try FlowFile.fieldCount(ofPath: stack) == Self.pairCount)
    for field in 0..<8 {
      let flow = try FlowFile.read(contentsOf: stack, options: FlowReadingOptions(field: field))
      #expect(try flow.bits == FlowFile.read(contentsOf: folder.file("out/frame_00000\(field + 1).flo").path).bits)
    }
    let (a, b) = (try manifest("out/manifest.json"), try manifest("out.manifest.json"))
    #expect((a["pairs"] as? [Any])?.count == Self.pairCount && (b["pairs"] as? [Any])?.count == Self.pairCount)
  }

  @Test func theManifestTellsHowItCameAbout() throws {
    _ = try export("out") { $0.reading.range = MediaRange(start: .frame(1), frameCount: 4, every: 2) }.run()
    let found = try manifest("out/manifest.json")
    #expect(found["complete"] as? Bool == true && found["version"] as? Int == 2)
    #expect(found["generator"] as? String == "rheo \(RheoVersion.number)")
    #expect(found["size"] as? [String: Int] == ["width": 80, "height": 60])
    let flow = try #require(found["flow"] as? [String: Any])
    #expect(flow["algorithm"] as? String == "dis" && flow["accuracy"] as? String == "low")
    #expect(flow["direction"] as? String == "forward")
    let parameters = try #require(flow["parameters"] as? [String: Double])
    #expect(parameters["finest-level"] == Double(InverseSearchParameters.low.finestLevel))
    let pairs = try #require(found["pairs"] as? [[String: Any]])
    let times = pairs.map { pair in
      ["previous", "current"].map { (pair[$0] as? [String: Any])?["seconds"] as? Double ?? -1 }
    }
    #expect(times == [[0.04, 0.12], [0.12, 0.2], [0.2, 0.28]])
    let files = pairs.flatMap { $0["files"] as? [[String: Any]] ?? [] }
    #expect(files.map { $0["name"] as? String } == [2, 4, 6].map { "frame_00000\($0).flo" })
    #expect(pairs.map { ($0["previous"] as? [String: Any])?["frame"] as? Int } == [1, 3, 5])
    #expect(files.allSatisfy { $0["bytes"] as? Int == 12 + 8 * 80 * 60 })
  }

  @Test func bothDirectionsAndTheirConfidence() throws {
    _ = try export("both") {
      $0.flow.direction = .both
      $0.includesConfidence = true
    }.run()
    _ = try export("back") {
      $0.flow.direction = .backward
      $0.includesConfidence = true
    }.run()
    _ = try export("both.npy") {
      $0.flow.direction = .both
      $0.includesConfidence = true
    }.run()
    let (both, back) = (try contents("both"), try contents("back"))
    #expect(both["/backward_000003.flo"] != nil && both["/backward_000003.flo"] == back["/frame_000003.flo"])
    #expect(both["/backward_confidence_000003.pfm"] == back["/confidence_000003.pfm"])
    let frames = try frames()
    var request = OpticalFlowRequest(computationAccuracy: .low)
    request.direction = .both
    let observation = try ImageRequestHandler(frames[2]).perform(request, targeting: frames[3])
    let map = try #require(both["/confidence_000003.pfm"])
    let header = Data("Pf\n80 60\n-1.0\n".utf8)
    #expect(map.prefix(header.count) == header && map.count == header.count + 4 * 80 * 60)
    let rows = map.dropFirst(header.count)
    let expected = try #require(observation.confidence)
    for (x, y) in [(0, 0), (79, 0), (40, 30), (3, 59)] {
      let offset = rows.startIndex + 4 * ((59 - y) * 80 + x)
      let word = rows[offset..<offset + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      #expect(Float(bitPattern: word) == expected[x, y])
    }
    let stack = try #require(try contents("both")[".confidence.npy"])
    #expect(stack.count == 128 + Self.pairCount * 4 * 80 * 60)
    #expect(String(decoding: stack.prefix(128), as: UTF8.self).contains("(\(Self.pairCount), 60, 80)"))
  }

  @Test(arguments: [FlowFormat.kitti, .npy, .pfm, .images]) func otherFormats(format: FlowFormat) throws {
    _ = try export("flo").run()
    _ = try export("out") { $0.format = format }.run()
    let name = (format == .images ? "flow" : "frame") + "_000005.\(format.fileExtension)"
    let flow = try FlowFile.read(contentsOf: folder.file("out/\(name)").path)
    let exact = try FlowFile.read(contentsOf: folder.file("flo/frame_000005.flo").path)
    #expect(
      try FlowMetrics(estimate: flow, truth: exact).endpointErrors.percentile(1) ?? 9
        < (format == .images ? 0.12 : 0.02))
  }

  @Test func aFrameAloneMakesNoPair() throws {
    for name in ["out", "out.npy"] {
      let report = try export(name) { $0.reading.range.frameCount = 1 }.run()
      #expect(report.pairs == 0 && report.notes.contains { $0.contains("one frame") })
    }
    #expect(try contents("out").keys.sorted() == [".manifest.json", ".npy", "/manifest.json"])
    #expect(try FlowFile.fieldCount(ofPath: folder.file("out.npy").path) == 0)
  }

  // MARK: Resuming

  /// Interrupts after the second pair of this run.
  private func interrupted(_ export: FlowExport) throws -> FlowExport.Report {
    let interruption = Interruption()
    var pairs = 0
    return try export.run(interruption: interruption) { _ in
      pairs += 1
      if pairs == 2 { interruption.set() }
    }
  }

  private static let variants: [(String, @Sendable (inout FlowExport) -> Void)] = [
    ("folder", { _ in }), ("stack.npy", { $0.writing.halfPrecision = true }),
    ("kitti", { $0.format = .kitti }),
    (
      "pictures",
      {
        $0.format = .images
        $0.flow.direction = .both
        $0.writing.imageBound = 1
      }
    ),
    (
      "both.npy",
      {
        $0.flow.direction = .both
        $0.includesConfidence = true
      }
    ),
    (
      "warm",
      {
        $0.flow.startsFromLastFlow = true
        $0.includesConfidence = true
      }
    ),
    (
      "compensated",
      {
        $0.compensation = .homography
        $0.flow.direction = .both
        $0.includesConfidence = true
      }
    ),
  ]

  @Test(arguments: FlowExportTests.variants.indices) func aResumedExportIsThatOfOneRun(variant: Int) throws {
    // Long enough that an interruption comes before the end: three frames wait in each queue.
    let clip = folder.file("long.mkv")
    try Self.record(36, to: clip)
    let (name, change) = Self.variants[variant]
    let straight = export("a-\(name)") {
      change(&$0)
      $0.input = clip.path
    }
    var broken = straight
    broken.output = folder.file("b-\(name)").path
    _ = try straight.run()
    let first = try interrupted(broken)
    #expect(first.wasInterrupted && first.pairs >= 2)
    #expect(
      try manifest(name.hasSuffix("npy") ? "b-\(name.dropLast(4)).manifest.json" : "b-\(name)/manifest.json")[
        "complete"] as? Bool == false)
    broken.existing = .resume
    let second = try interrupted(broken)
    #expect(second.wasInterrupted && second.resumedPairs == first.pairs && second.pairs >= first.pairs + 2)
    let third = try broken.run()
    #expect(!third.wasInterrupted && third.resumedPairs == second.pairs && third.pairs == 35)
    let (one, other) = (try contents("a-\(name)"), try contents("b-\(name)"))
    #expect(one.keys.sorted() == other.keys.sorted())
    for (file, data) in one {
      #expect(other[file.replacing("a-", with: "b-")].map { renamed($0) } == renamed(data), "\(file)")
    }
    // And once more: there is nothing left to do.
    let fourth = try broken.run()
    #expect(fourth.pairs == 35 && fourth.resumedPairs == 35)
    #expect(try contents("b-\(name)") == other)
  }

  /// The manifest of a stack holds its file's name.
  private func renamed(_ data: Data) -> Data {
    guard data.first == UInt8(ascii: "{") else { return data }
    return Data(String(decoding: data, as: UTF8.self).replacing("\"a-", with: "\"b-").utf8)
  }

  @Test func whatIsNotWholeIsWrittenAnew() throws {
    _ = try export("a").run()
    let expected = try contents("a")
    let damages: [(String, (URL) throws -> Void)] = [
      ("a file is gone", { try FileManager.default.removeItem(at: $0.appendingPathComponent("frame_000004.flo")) }),
      (
        "a file is cut off",
        {
          let file = $0.appendingPathComponent("frame_000004.flo")
          try Data(contentsOf: file).dropLast().write(to: file)
        }
      ),
      (
        "one bit is wrong",
        {
          let file = $0.appendingPathComponent("frame_000002.flo")
          var data = try Data(contentsOf: file)
          data[12345] ^= 1
          try data.write(to: file)
        }
      ),
      (
        "the manifest alone is left",
        { folder in
          for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("frame") {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
          }
        }
      ),
    ]
    for (what, damage) in damages {
      try damage(folder.file("a"))
      let report = try export("a") { $0.existing = .resume }.run()
      #expect(report.pairs == Self.pairCount && report.resumedPairs < 4, "\(what)")
      #expect(report.notes.contains { $0.contains("not as it was written") }, "\(what)")
      #expect(try contents("a") == expected, "\(what)")
    }
  }

  /// Each file of a folder, and each pair's part of an array.
  @Test(arguments: ["out", "out.npy"]) func sha256sumVerifiesTheManifest(name: String) throws {
    _ = try export(name) {
      $0.flow.direction = .both
      $0.includesConfidence = true
    }.run()
    let isStack = name.hasSuffix("npy")
    let pairs = try #require(
      try manifest(isStack ? "out.manifest.json" : "out/manifest.json")["pairs"] as? [[String: Any]])
    var lines: [String] = []
    for file in pairs.flatMap({ $0["files"] as? [[String: Any]] ?? [] }) {
      let (sum, bytes) = (try #require(file["sha256"] as? String), try #require(file["bytes"] as? Int))
      var path = try #require(file["name"] as? String)
      if isStack {
        let start = try #require(file["offset"] as? Int)
        let part = try Data(contentsOf: folder.file(path))[start..<start + bytes]
        path = "part\(lines.count)"
        try part.write(to: folder.file(path))
      }
      lines.append("\(sum)  \(folder.file(isStack ? path : "out/" + path).path)\n")
    }
    #expect(lines.count == 4 * Self.pairCount)
    let list = folder.file("sums")
    try Data(lines.joined().utf8).write(to: list)
    let result = try ChildProcess.run("sha256sum", ["--check", "--strict", "--quiet", list.path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    try Data(lines.joined().replacing("a", with: "b").utf8).write(to: list)
    #expect(try ChildProcess.run("sha256sum", ["--check", "--quiet", list.path]).status != 0)
  }

  @Test func aDamagedManifestIsNamedWithItsFault() throws {
    _ = try export("a").run()
    let file = folder.file("a/manifest.json")
    let whole = try String(contentsOf: file, encoding: .utf8)
    let damages = [
      (String(whole.dropLast(20)), "manifest.json"), ("[]", "manifest.json"),
      (whole.replacing("\"complete\": true", with: "\"complete\": 7"), "complete is no Bool"),
      (whole.replacing("\"pairs\"", with: "\"pears\""), "pairs is missing"),
      (whole.replacing("\"sha256\"", with: "\"sum\"", maxReplacements: 1), "pairs[0].files[0].sha256 is missing"),
    ]
    for (text, words) in damages {
      try Data(text.utf8).write(to: file)
      let error = thrown(MediaError.self) { try export("a") { $0.existing = .resume }.run() }
      let message = error?.description ?? ""
      #expect(error?.code == .cannotOpen && message.contains(words), "\(message)")
      #expect(message.contains("is no manifest of an export"))
    }
    // What a program makes of the same JSON is the same manifest.
    let object = try JSONSerialization.jsonObject(with: Data(whole.utf8))
    try JSONSerialization.data(withJSONObject: object, options: .sortedKeys).write(to: file)
    #expect(try export("a") { $0.existing = .resume }.run().notes == ["all pairs are there already"])
  }

  @Test(arguments: ["out", "done"]) func anExportOfAnotherVersionIsNotContinued(name: String) throws {
    _ = name == "out" ? try interrupted(export(name)) : try export(name).run()
    let file = folder.file(name == "out" ? "out/.journal" : "done/manifest.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let older = text.replacing("\"version\": 2", with: "\"version\": 1").replacing("sha256", with: "checksum")
    try Data(older.utf8).write(to: file)
    let before = try contents(name)
    let error = thrown(MediaError.self) { try export(name) { $0.existing = .resume }.run() }
    #expect(error?.code == .outputExists && error?.message.contains("version 1, not 2") == true)
    #expect(try contents(name) == before)
  }

  @Test func aJournalMayBeCutAnywhere() throws {
    _ = try export("a").run()
    let expected = try contents("a")
    _ = try interrupted(export("b"))
    let journal = folder.file("b/.journal")
    let whole = try Data(contentsOf: journal)
    #expect(whole.count > 500)
    for count in [0, 1, whole.count / 2, whole.count - 1, whole.count] {
      try whole.prefix(count).write(to: journal)
      let stray = folder.file("b/.frame_000007.flo.123.partial")
      try Data("unfinished".utf8).write(to: stray)
      let report = try export("b") { $0.existing = .resume }.run()
      #expect(report.pairs == Self.pairCount)
      #expect(try contents("b") == expected, "cut at \(count) of \(whole.count)")
    }
  }

  @Test func anExportIsResumedOnlyAsItWasBegun() throws {
    _ = try interrupted(export("out"))
    let changes: [(String, (inout FlowExport) -> Void)] = [
      ("accuracy", { $0.flow = OpticalFlowRequest(computationAccuracy: .medium) }),
      ("direction", { $0.flow.direction = .backward }), ("confidence", { $0.includesConfidence = true }),
      ("format", { $0.format = .kitti }), ("every", { $0.reading.range.every = 2 }),
    ]
    let before = try contents("out")
    for (name, change) in changes {
      let error = thrown(MediaError.self) {
        try export("out") {
          change(&$0)
          $0.existing = .resume
        }.run()
      }
      #expect(
        error?.code == .outputExists && error?.message.contains(name) == true, "\(name): \(String(describing: error))")
      #expect(try contents("out") == before)
    }
  }

  @Test func anotherInputIsNoticed() throws {
    _ = try interrupted(export("out"))
    // The same name and length, but the frames show at other times.
    let other = folder.file("other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    var resumed = export("out") { $0.existing = .resume }
    resumed.input = other.appendingPathComponent("in.mkv").path
    try Self.record(Self.frameCount, rate: Rational(20, 1), to: URL(fileURLWithPath: resumed.input))
    let sizes = try [input.path, resumed.input].map { try Data(contentsOf: URL(fileURLWithPath: $0)).count }
    try #require(sizes[0] == sizes[1])
    let late = thrown(MediaError.self) { try resumed.run() }
    #expect(late?.code == .outputExists && late?.message.contains("other times") == true)
    // Cut off, it has fewer bytes.
    try Data(contentsOf: input).dropLast(10).write(to: URL(fileURLWithPath: resumed.input))
    let shorter = thrown(MediaError.self) { try resumed.run() }
    #expect(shorter?.code == .outputExists && shorter?.message.contains("input.bytes") == true)
    #expect(try export("out") { $0.existing = .resume }.run().pairs == Self.pairCount)
  }

  @Test func whatIsThereIsKeptUnlessAskedOtherwise() throws {
    let export = export("out")
    _ = try export.run()
    let before = try contents("out")
    let error = thrown(MediaError.self) { try export.run() }
    #expect(error?.code == .outputExists)
    #expect(try contents("out") == before)
    try Data("precious".utf8).write(to: folder.file("out/notes.txt"))
    var shorter = export
    shorter.existing = .replace
    shorter.reading.range.frameCount = 3
    _ = try shorter.run()
    #expect(
      try contents("out").keys.sorted() == ["/frame_000001.flo", "/frame_000002.flo", "/manifest.json", "/notes.txt"])
    try FileManager.default.removeItem(at: folder.file("out/manifest.json"))
    for existing in [FlowExport.Existing.refuse, .resume] {
      var again = export
      again.existing = existing
      let error = thrown(MediaError.self) { try again.run() }
      #expect(error?.code == .outputExists)
    }
  }

  @Test(arguments: ["out", "out.npy"]) func anInterruptedReplacementLeavesTheOldOutput(name: String) throws {
    let clip = folder.file("long.mkv")
    try Self.record(36, to: clip)
    _ = try export(name).run()
    if name == "out" { try Data("precious".utf8).write(to: folder.file("out/notes.txt")) }
    let names = try Set(contents(name).keys)
    func old() throws -> [String: Data] { try contents(name).filter { names.contains($0.key) } }
    let before = try old()
    let replacing = export(name) {
      $0.input = clip.path
      $0.existing = .replace
    }
    // Twice: the second begins anew what the first one left.
    for _ in 0..<2 {
      let report = try interrupted(replacing)
      #expect(report.wasInterrupted && report.resumedPairs == 0)
      #expect(try old() == before)
    }
    var failing = replacing
    failing.reading.filter = "crop=1000:1000"
    #expect(throws: MediaError.self) { try failing.run() }
    #expect(try old() == before)
    var resumed = replacing
    resumed.existing = .resume
    let second = try interrupted(resumed)
    #expect(second.wasInterrupted && second.resumedPairs >= 2)
    #expect(try old() == before)
    let last = try resumed.run()
    #expect(last.pairs == 35 && last.resumedPairs == second.pairs)
    let straight = name.replacing("out", with: "straight")
    _ = try export(straight) { $0.input = clip.path }.run()
    let kept = name == "out" ? ["/notes.txt": Data("precious".utf8)] : [:]
    let expected = try contents(straight).merging(kept) { $1 }
    let found = try contents(name)
    #expect(found.keys.sorted() == expected.keys.sorted())
    for (file, data) in expected where !file.hasSuffix("manifest.json") { #expect(found[file] == data, "\(file)") }
    #expect(!folder.names.contains { $0.hasPrefix(".") }, "\(folder.names)")
  }

  @Test func aLinkToAFolderStaysOne() throws {
    _ = try export("real").run()
    try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("real"))
    _ = try export("link") {
      $0.existing = .replace
      $0.reading.range.frameCount = 3
    }.run()
    #expect(try contents("real").keys.sorted() == ["/frame_000001.flo", "/frame_000002.flo", "/manifest.json"])
    #expect(folder.names == ["in.mkv", "link", "real"])
  }

  @Test(arguments: ["out", "out.npy"]) func anExportUnderWayIsNotReplaced(name: String) throws {
    _ = try interrupted(export(name))
    let before = try contents(name)
    let journal = open(folder.file(name == "out" ? "out/.journal" : ".out.npy.journal").path, O_RDWR)
    defer { close(journal) }
    #expect(flock(journal, LOCK_EX) == 0)
    let error = thrown(MediaError.self) { try export(name) { $0.existing = .replace }.run() }
    #expect(error?.message.contains("another program") == true)
    #expect(try contents(name) == before)
  }

  @Test func twoProgramsDoNotWriteToOneOutput() throws {
    _ = try interrupted(export("out"))
    let journal = open(folder.file("out/.journal").path, O_RDWR)
    defer { close(journal) }
    #expect(flock(journal, LOCK_EX) == 0)
    let error = thrown(MediaError.self) { try export("out") { $0.existing = .resume }.run() }
    #expect(error?.message.contains("another program") == true)
  }

  @Test func aFailureBeforeTheFirstPairLeavesNothing() throws {
    var export = export("out")
    export.reading.filter = "crop=1000:1000"
    #expect(throws: MediaError.self) { try export.run() }
    #expect(folder.names == ["in.mkv"])
  }
}
