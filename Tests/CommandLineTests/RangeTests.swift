import Foundation
import TestSupport
import Testing

/// Thirty frames at 25 a second that begin at 1.4 s: times of the range count from the first frame.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct RangeTests {
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Clips.moving(input, frames: 30, encoding: ["-c:v", "ffv1", "-output_ts_offset", "1.4"])
  }

  private func times(_ options: [String]) throws -> [Double] {
    let output = folder.file("out.mkv")
    let result = try Program.run(["annotate", input.path, output.path, "-y", "--accuracy", "low"] + options)
    #expect(result.status == 0, "\(result.errors)")
    return try FFmpegTools.frameTimes(output).compactMap(Double.init)
  }

  private func seconds(_ frames: [Int], from origin: Int) -> [Double] {
    frames.map { Double(40 * ($0 - origin)) / 1000 }
  }

  @Test(arguments: [
    (["--start", "0.4"], Array(10..<30)), (["--start", "10f"], Array(10..<30)),
    (["--start", "00:00:00.400"], Array(10..<30)),
    (["--start", "0.4", "--end", "0.6"], Array(10..<15)), (["--start", "10f", "--end", "00:00.6"], Array(10..<15)),
    (["--start", "5f", "--duration", "0.2"], Array(5..<10)), (["--start", "5f", "--duration", "5f"], Array(5..<10)),
    (["--start", "5f", "--frames", "3"], [5, 6, 7]), (["--start", "5f", "--every", "10"], [5, 15, 25]),
    (["--start", "5f", "--every", "10", "--frames", "2"], [5, 15]),
    (["--start", "5f", "--every", "4", "--duration", "9f"], [5, 9, 13]), (["--start", "29f"], [29]),
  ])
  func aRangeWithAStartBeginsAtZero(options: [String], frames: [Int]) throws {
    #expect(try times(options) == seconds(frames, from: frames[0]))
  }

  @Test(arguments: [
    (["--end", "0.2"], Array(0..<5)), (["--end", "5f"], Array(0..<5)), (["--duration", "5f"], Array(0..<5)),
    (["--frames", "1"], [0]), (["--every", "7"], [0, 7, 14, 21, 28]), (["--duration", "0:00.08"], [0, 1]),
  ])
  func aRangeWithoutAStartKeepsTheTimes(options: [String], frames: [Int]) throws {
    #expect(try times(options) == seconds(frames, from: -35))
  }

  @Test(arguments: ["30f", "1.2", "00:01:00"]) func aStartBehindTheEndIsAnError(start: String) throws {
    let result = try Program.run(["annotate", input.path, folder.file("out.mkv").path, "--start", start])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("in.mkv") && result.errors.contains("no frame lies in the asked range"))
    #expect(folder.names == ["in.mkv"])
  }

  @Test func anEndBeforeTheStartIsAnError() throws {
    let result = try Program.run([
      "annotate", input.path, folder.file("out.mkv").path, "--start", "10f", "--end", "10f",
    ])
    #expect(result.status == 1)
    #expect(result.errors.contains("no frame lies in the asked range"), "\(result.errors)")
  }

  @Test func oneFrameIsCopiedWithANote() throws {
    let output = folder.file("out.mkv")
    let result = try Program.run(["annotate", input.path, output.path, "--frames", "1"])
    #expect(result.status == 0)
    #expect(result.errors.contains("one frame only"), "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 1)
  }
}
