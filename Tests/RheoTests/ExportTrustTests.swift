import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Files of an export that others may have prepared, cut off, or named.
@Suite struct ExportTrustTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func manifest(at path: String) throws {
    let journal = folder.file("journal").path
    try Data("{}\n{\"pair\": 1}\n{\"pair\": 2}\n".utf8).write(to: URL(fileURLWithPath: journal))
    let head = JSONText.object([("version", .integer(ExportManifest.version))])
    try ExportManifest(head: head).write(
      to: path, overwrites: false, journal: journal, isComplete: true, gaps: [], notes: [])
  }

  @Test func theManifestFollowsNoLinkThatWasMadeBefore() throws {
    let (path, victim) = (folder.file("manifest.json").path, folder.file("victim"))
    try Data("precious".utf8).write(to: victim)
    try FileManager.default.createSymbolicLink(atPath: path + ".partial", withDestinationPath: victim.path)
    try manifest(at: path)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("\"pairs\": [\n    {\"pair\": 1},\n    {\"pair\": 2}\n  ]"), "\(text)")
    #expect(folder.names == ["journal", "manifest.json", "manifest.json.partial", "victim"])
  }

  @Test func aManifestThatCannotBeWrittenLeavesNothing() throws {
    #expect(throws: MediaError.self) { try manifest(at: folder.file("absent/manifest.json").path) }
    #expect(folder.names == ["journal"])
  }

  /// A descriptor that is closed twice may be another thread's by then.
  @Test func aJournalThatCannotBeHadClosesNoFileOfOthers() throws {
    let path = folder.file("journal").path
    let held = try ExportJournal(path: path)
    let taker = Thread {
      for _ in 0..<3000 { #expect(throws: MediaError.self) { try ExportJournal(path: path) } }
    }
    taker.start()
    var lost = 0
    while !taker.isFinished {
      let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if file < 0 || close(file) != 0 { lost += 1 }
    }
    #expect(lost == 0)
    withExtendedLifetime(held) {}
  }

  /// Numbers of files are added up: those that no export has end no program.
  @Test(arguments: ["number", "frame", "offset", "bytes", "clamped"], ["-1", "9223372036854775807", "1e300", "0.5"])
  func numbersThatNoExportHasAreRefused(key: String, number: String) throws {
    func record(_ key: String, _ number: String) -> String {
      let fields = ["number": "1", "frame": "0", "offset": "128", "bytes": "64", "clamped": "0"]
      func value(_ name: String) -> String { name == key ? number : fields[name] ?? "" }
      let previous = #"{"frame": \#(value("frame")), "ticks": 0, "timeBase": "1/25", "seconds": 0}"#
      let current = #"{"frame": 1, "ticks": 1, "timeBase": "1/25", "seconds": 0.04}"#
      let part = #"{"name": "a.npy", "holds": "flow", "offset": \#(value("offset")), "bytes": \#(value("bytes")), "#
      return #"{"number": \#(value("number")), "previous": \#(previous), "current": \#(current), "#
        + #""files": [\#(part)"sha256": ""}], "clamped": \#(value("clamped")), "lostUnknown": 0}"#
    }
    let usual = record("", "")
    #expect(PairRecord(line: usual)?.files.first?.offset == 128)
    #expect(PairRecord(line: record(key, number)) == nil)
    let (manifest, gaps) = (folder.file("manifest.json"), #"[{"seconds": 0, "frame": 3, "reason": "lost"}]"#)
    for (pair, gaps, isRead) in [
      (usual, gaps, true), (record(key, number), gaps, false), (usual, gaps.replacing("3", with: number), false),
    ] {
      let text = #"{"version": 2, "complete": true, "gaps": \#(gaps), "notes": [], "pairs": [\#(pair)]}"#
      try Data(text.utf8).write(to: manifest)
      if isRead {
        #expect(try ExportManifest.read(manifest.path).pairs.count == 1)
      } else {
        #expect(thrown(MediaError.self) { try ExportManifest.read(manifest.path) }?.code == .cannotOpen)
      }
    }
  }

  // MARK: Other users

  @Test func aJournalIsItsOwnersAlone() throws {
    let journal = try ExportJournal(path: folder.file(".journal").path)
    try journal.append("{}")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(".journal").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(thrown(MediaError.self) { try ExportJournal(path: folder.file(".journal").path) }?.code == .cannotWrite)
  }

  /// Names that are known beforehand may be taken by others, where a folder is for all.
  @Test(.enabled(if: geteuid() == 0)) func whatOthersMadeIsNotTakenOver() throws {
    _ = try export(false).run()
    var resumed = try export(false)
    resumed.existing = .resume
    let replacement = folder.file(".out.new")
    try FileManager.default.createDirectory(at: replacement, withIntermediateDirectories: false)
    try Data().write(to: replacement.appendingPathComponent(".journal"))
    #expect(chown(replacement.path, 1, 1) == 0)
    let taken = thrown(MediaError.self) { try export(true).run() }
    #expect(taken?.code == .cannotWrite && taken?.message.contains("another user's") == true)
    #expect(try resumed.run().notes.contains("all pairs are there already"))
    try FileManager.default.removeItem(at: replacement)
    let journal = folder.file("out/.journal").path
    try Data().write(to: URL(fileURLWithPath: journal))
    #expect(chown(journal, 1, 1) == 0)
    #expect(thrown(MediaError.self) { try resumed.run() }?.message == "is no journal of this user")
    // It is locked, and then replaced.
    #expect(try export(true).run().pairs == 2)
  }

  // MARK: Digests

  /// Longer than a block, not by whole blocks.
  @Test func digestsOfPartsAreThoseOfTheirBytes() throws {
    let bytes = Data((0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
    let file = folder.file("bytes").path
    try bytes.write(to: URL(fileURLWithPath: file))
    for range in [0..<700_001, 0..<0, 5..<6, 262_143..<262_145, 100..<524_388, 700_001..<700_001] {
      let expected = bytes[range].withUnsafeBytes { FileDigest($0) }
      let found = FileDigest(of: file, range: range)
      #expect(found?.text == expected?.text && found?.byteCount == range.count, "\(range)")
    }
    #expect(FileDigest(of: file)?.byteCount == 700_001)
    for range in [0..<700_002, 700_001..<700_002] { #expect(FileDigest(of: file, range: range) == nil) }
    #expect(FileDigest(of: folder.file("absent").path) == nil && FileDigest(of: folder.url.path) == nil)
  }

  /// Mapped, this ended the program with SIGBUS.
  @Test func aFileThatIsCutOffMeanwhileHasNoDigest() throws {
    let file = folder.file("large").path
    let length = 256 << 20
    for _ in 0..<4 {
      #expect(FileManager.default.createFile(atPath: file, contents: nil) && truncate(file, off_t(length)) == 0)
      let cutter = Thread {
        usleep(5000)
        truncate(file, 4096)
      }
      cutter.start()
      let found = FileDigest(of: file, range: 0..<length)
      while !cutter.isFinished { usleep(1000) }
      // Read to its end before, or not at all.
      #expect(found == nil || found?.byteCount == length)
    }
  }

  // MARK: Names that are not UTF-8

  private let oddName: [UInt8] = Array("caf".utf8) + [0xE9, 0x2E] + Array("txt".utf8)

  private func makeOddFile(in folder: URL) throws {
    let path = (Array((folder.path + "/").utf8) + oddName + [0]).map { CChar(bitPattern: $0) }
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
    try #require(descriptor >= 0)
    #expect(write(descriptor, "mine", 4) == 4)
    close(descriptor)
  }

  @Test func namesAreListedByteByByte() throws {
    try Data().write(to: folder.file("é.txt"))
    try makeOddFile(in: folder.url)
    let listing = try FileNames.list(folder.url.path)
    #expect(listing.names == ["é.txt"] && listing.others == [oddName])
    #expect(FileNames.escaped(oddName) == #"caf\xE9.txt"#)
    #expect(FileNames.escaped(Array("é€😀".utf8) + [0xC3, 0x28, 0xF0, 0x9F]) == #"é€😀\xC3(\xF0\x9F"#)
    #expect(throws: MediaError.self) { try FileNames.list(folder.file("absent").path) }
  }

  private func export(_ overwrites: Bool) throws -> FlowExport {
    let input = folder.file("in.mkv")
    if !folder.names.contains("in.mkv") {
      let scene = try Scene(
        SceneParameters(name: .pan, size: PixelSize(width: 80, height: 60), frameCount: 3, frameRate: Rational(25, 1)))
      _ = try SceneRecorder(
        scene: scene, output: input.path, truthFolder: nil,
        encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p")
      ).run()
    }
    var export = FlowExport(
      input: input.path, output: folder.file("out").path, layout: .folder, format: .flo,
      flow: OpticalFlowRequest(computationAccuracy: .low))
    if overwrites { export.existing = .replace }
    return export
  }

  /// The times of an array are written last, when somebody may have made a file of their name.
  @Test func aManifestThatAppearsMeanwhileStays() throws {
    var task = try export(false)
    task.layout = .stack
    task.output = folder.file("out.npy").path
    let other = folder.file("out.manifest.json")
    let isMade = SharedValue(false)
    let error = thrown(MediaError.self) {
      try task.run { _ in
        guard !isMade.value else { return }
        isMade.value = true
        do { try Data("mine".utf8).write(to: other) } catch { Issue.record(error) }
      }
    }
    #expect(isMade.value && error?.code == .outputExists)
    #expect(try Data(contentsOf: other) == Data("mine".utf8))
    // Out of the way, the export goes on where it was.
    try FileManager.default.removeItem(at: other)
    task.existing = .resume
    #expect(try task.run().pairs == 2)
    #expect(try ExportManifest.read(other.path).pairs.count == 2)
  }

  /// A folder in which only such a file lies is not empty.
  @Test func anExportDoesNotTakeAFolderWithSuchAFile() throws {
    try FileManager.default.createDirectory(at: folder.file("out"), withIntermediateDirectories: true)
    try makeOddFile(in: folder.file("out"))
    let error = thrown(MediaError.self) { try export(false).run() }
    #expect(error?.code == .outputExists)
    #expect(try FileNames.list(folder.file("out").path).names.isEmpty)
  }

  @Test func suchAFileIsKeptWhenAnExportIsReplaced() throws {
    _ = try export(false).run()
    try makeOddFile(in: folder.file("out"))
    _ = try export(true).run()
    let listing = try FileNames.list(folder.file("out").path)
    #expect(listing.others == [oddName] && listing.names.contains("manifest.json"))
    #expect(folder.names == ["in.mkv", "out"])
  }
}
