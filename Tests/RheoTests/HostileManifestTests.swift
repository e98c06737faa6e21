import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Manifests of exports with numbers and names that no export writes.
@Suite struct HostileManifestTests {
  private let folder: TemporaryFolder
  private let input: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv").path
    let scene = try Scene(
      SceneParameters(name: .pan, size: PixelSize(width: 80, height: 60), frameCount: 5, frameRate: Rational(25, 1)))
    _ = try SceneRecorder(
      scene: scene, output: input, truthFolder: nil, encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p")
    ).run()
  }

  private func export(
    _ name: String, _ layout: FlowExport.Layout, shard: Int? = nil, existing: FlowExport.Existing = .refuse
  ) throws -> FlowExport.Report {
    var export = FlowExport(
      input: input, output: folder.file(name).path, layout: layout, format: layout == .stack ? .npy : .flo,
      flow: OpticalFlowRequest(computationAccuracy: .low))
    export.shard = try shard.map { try Shard(number: $0, of: 2) }
    export.existing = existing
    return try export.run()
  }

  /// Exports two shards as arrays or folders, and returns their names.
  private func shards(_ layout: FlowExport.Layout) throws -> [String] {
    try [1, 2].map { number in
      let name = "part\(number)" + (layout == .stack ? ".npy" : "")
      _ = try export(name, layout, shard: number)
      return name
    }
  }

  /// The manifest of an export.
  private func manifest(_ name: String) -> URL {
    name.hasSuffix(".npy")
      ? folder.file(String(name.dropLast(4)) + ".manifest.json")
      : folder.file(name).appendingPathComponent("manifest.json")
  }

  private func merge(_ names: [String], _ output: String) throws -> FlowExport.Report {
    try ExportMerge(shards: names.map { folder.file($0).path }, output: folder.file(output).path).run()
  }

  /// Replaces the numbers of a key in a manifest.
  private func replace(_ key: String, by number: Int, in name: String) throws {
    let text = try String(contentsOf: manifest(name), encoding: .utf8)
    let changed = text.replacing(try Regex("\"\(key)\": ?[0-9]+"), with: "\"\(key)\": \(number)")
    try #require(changed != text, "\(key)")
    try Data(changed.utf8).write(to: manifest(name))
  }

  private static let keys = ["offset", "bytes", "frame", "number", "clamped", "lostUnknown"]

  /// Of shards, each of these was a trap but for the number of bytes.
  @Test(arguments: [.max, .min] as [Int]) func shardsWithSuchNumbersAreNotMerged(number: Int) throws {
    let names = try shards(.stack)
    let whole = try String(contentsOf: manifest(names[1]), encoding: .utf8)
    for key in Self.keys {
      try replace(key, by: number, in: names[1])
      let error = thrown(MediaError.self) { try merge(names, "out.npy") }
      #expect(
        error?.code == .cannotOpen && error?.message.contains("\(number)") == true, "\(key): \(error?.message ?? "")")
      try Data(whole.utf8).write(to: manifest(names[1]))
    }
    #expect(try merge(names, "out.npy").pairs == 4)
  }

  @Test func anExportWithSuchNumbersIsNotResumed() throws {
    _ = try export("whole.npy", .stack)
    let whole = try String(contentsOf: manifest("whole.npy"), encoding: .utf8)
    for key in Self.keys {
      try replace(key, by: .max, in: "whole.npy")
      let error = thrown(MediaError.self) { try export("whole.npy", .stack, existing: .resume) }
      #expect(error?.code == .cannotOpen && error?.message.contains("\(key) is ") == true, "\(error?.message ?? "")")
      try Data(whole.utf8).write(to: manifest("whole.npy"))
    }
    #expect(try export("whole.npy", .stack, existing: .resume).notes == ["all pairs are there already"])
  }

  /// The numbers of frames that are lost shift those behind them: these would shift them beyond the end.
  @Test func shardsThatShiftNumbersBeyondTheEndAreNotMerged() throws {
    let names = try shards(.folder)
    try replace("frame", by: 1 << 48, in: names[0])
    #expect(thrown(MediaError.self) { try merge(names, "out") }?.code == .damaged)
    #expect(!folder.names.contains("out"))
  }

  @Test func fieldsOfSizesThatNothingHasAreNotMerged() throws {
    let names = try shards(.stack)
    for number in [0, .max, -5] as [Int] {
      for name in names { try replace("width", by: number, in: name) }
      #expect(thrown(MediaError.self) { try merge(names, "out.npy") }?.code == .cannotOpen)
      for name in names {
        let text = try String(contentsOf: manifest(name), encoding: .utf8)
        try Data(text.replacing("\"width\": \(number)", with: "\"width\": 80").utf8).write(to: manifest(name))
      }
    }
    #expect(try merge(names, "out.npy").pairs == 4)
  }

  /// A merge wrote the files of a shard where their names led.
  @Test(arguments: ["../victim", "victim", "..", "", ".journal", "frame_1/../../victim"])
  func aMergeWritesNowhereElse(name: String) throws {
    let names = try shards(.folder)
    let part = folder.file(names[0])
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: part.path).sorted().first { $0.hasPrefix("frame_") })
    let bytes = try Data(contentsOf: part.appendingPathComponent(file))
    try bytes.write(to: part.appendingPathComponent("victim"))
    let text = try String(contentsOf: manifest(names[0]), encoding: .utf8)
    try Data(text.replacing("\"\(file)\"", with: "\"\(name)\"").utf8).write(to: manifest(names[0]))
    let error = thrown(MediaError.self) { try merge(names, "out") }
    #expect(error?.code == .cannotOpen || error?.code == .damaged, "\(error?.message ?? "")")
    #expect(folder.names == ["in.mkv", "part1", "part2"])
  }
}
