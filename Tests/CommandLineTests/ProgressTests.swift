import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ProgressTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(frames: Int) throws -> URL {
    let file = folder.file("in\(frames).mp4")
    try Clips.moving(file, size: "320x240", frames: frames, encoding: ["-c:v", "mpeg4"])
    return file
  }

  @Test func progressLinesAreJSON() throws {
    let result = try Program.run([
      "annotate", try clip(frames: 40).path, folder.file("out.mp4").path, "--progress", "json", "--quiet",
    ])
    #expect(result.status == 0)
    let objects = try result.errorLines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    #expect(objects.count >= 2)
    let frames = objects.compactMap { $0["frames"] as? Int }
    #expect(frames.count == objects.count)
    #expect(frames == frames.sorted() && frames.last == 40)
    let last = try #require(objects.last)
    #expect(last["share"] as? Double == 1)
    #expect(last["left"] as? Double == 0)
    #expect(last["seconds"] as? Double == 1.56)
    for key in ["fps", "elapsed"] { #expect((last[key] as? Double ?? 0) > 0, "\(key)") }
  }

  @Test func thereIsNoBarWithoutATerminal() throws {
    let input = try clip(frames: 10)
    let result = try Program.run(["annotate", input.path, folder.file("out.mp4").path])
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("10 frames"))
    #expect(!result.errors.contains("\u{1B}"))
    let quiet = try Program.run(["annotate", input.path, folder.file("out.mp4").path, "-y", "--quiet"])
    #expect(quiet.status == 0)
    #expect(quiet.errors.isEmpty)
  }

  /// The work on ten times the frames needs no more memory. Measured with one thread: how much the allocator keeps
  /// for each thread differs from run to run.
  @Test func memoryDoesNotGrowWithTheVideo() throws {
    let peaks = try [40, 400].map { frames in
      let result = try Program.run([
        "annotate", try clip(frames: frames).path, folder.file("out\(frames).mp4").path, "--accuracy", "low",
        "--preset", "ultrafast", "--threads", "1",
      ])
      #expect(result.status == 0)
      return result.peakMemory
    }
    #expect(peaks[0] > 10_000)
    #expect(Double(peaks[1]) < 1.1 * Double(peaks[0]), "\(peaks) KiB")
  }
}
