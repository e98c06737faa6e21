// Damaged videos by the ten thousand, through the library's entry points: no input may crash it or keep it busy for
// ever. Workers do the reading, so that a crash ends a worker only; it is counted, its file is kept, and the next
// worker goes on.

import ArgumentParser
import Foundation

MediaFuzz.main()

struct MediaFuzz: ParsableCommand {
  @Option(help: "Damaged files.")
  var count = 20_000

  @Option(help: "Another number makes other files.")
  var seed: UInt64 = 1

  @Option(help: "The number of the first file.")
  var from = 0

  @Option(help: "The folder for the files that crashed or hung, with what was said of them.")
  var keep = "demo/media-fuzz"

  @Option(help: "Make and read this file alone, in this process, and leave it in the folder.")
  var only: Int?

  @Option(
    help: ArgumentHelp("Do the work of a worker, with the samples and the note in this folder.", visibility: .hidden))
  var worker: String?

  func run() throws {
    if let worker {
      let folder = URL(fileURLWithPath: worker)
      try FuzzWorker(samples: MediaSample.load(from: folder), seed: seed, folder: folder).run(from..<from + count)
      return
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rheo-media-fuzz-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = URL(fileURLWithPath: keep)
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    let samples = try MediaSample.make(in: folder)
    print("\(samples.count) samples")
    if let only {
      let worker = try FuzzWorker(samples: samples, seed: seed, folder: folder)
      let file = try worker.makeInput(only)
      let copy = kept.appendingPathComponent("\(only).\(file.pathExtension)")
      try Data(contentsOf: file).write(to: copy)
      print("\(copy.path): \(worker.description(of: only))")
      try worker.run(only..<only + 1)
      return
    }
    let findings = try FuzzSupervisor(folder: folder, kept: kept, seed: seed).run(from..<from + count)
    if findings > 0 { throw ExitCode.failure }
  }
}
