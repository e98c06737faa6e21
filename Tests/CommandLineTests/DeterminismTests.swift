import Foundation
import TestSupport
import Testing

/// Same input, same options: the same bytes.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct DeterminismTests {
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mp4")
    try Clips.moving(
      input, size: "322x242", frames: 8, encoding: ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"])
  }

  private func bytes(_ name: String, _ options: [String], cpu: String? = nil) throws -> Data {
    let output = folder.file(name)
    let result = try Program.run(
      ["annotate", input.path, output.path, "-y"] + options, environment: cpu.map { ["RHEO_CPU": $0] } ?? [:])
    #expect(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: output)
  }

  @Test(arguments: [
    ("out.mp4", []), ("out.mkv", ["--style", "arrows", "--hud", "--legend"]), ("out.webm", ["--style", "wheel"]),
    ("out.gif", ["--style", "side-by-side"]), ("out.mkv", ["--style", "side-by-side", "--codec", "ffv1"]),
    ("out.mkv", ["--style", "confidence", "--legend", "--codec", "ffv1"]),
    ("out.mkv", ["--filter", "scale=200:-2,hqdn3d", "--codec", "ffv1", "--style", "flowview"]),
  ])
  func threadsDoNotChangeTheBytes(name: String, options: [String]) throws {
    let expected = try bytes(name, options + ["--threads", "1"])
    #expect(expected.count > 1000)
    for threads in ["2", "3", "0"] { #expect(try bytes(name, options + ["--threads", threads]) == expected) }
  }

  @Test(arguments: [
    ("out.mp4", "overlay"), ("out.mkv", "magnitude"), ("out.mkv", "flowview"), ("out.mkv", "confidence"),
  ])
  func instructionSetsDoNotChangeTheBytes(name: String, style: String) throws {
    let options = ["--style", style, "--accuracy", "high", "--hud"]
    let expected = try bytes(name, options, cpu: "baseline")
    for cpu in ["v3", "v4"] { #expect(try bytes(name, options, cpu: cpu) == expected, "\(cpu)") }
  }
}
