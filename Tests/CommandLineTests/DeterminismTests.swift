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

@Suite struct SelfTestTests {
  /// The digests of an installation do not depend on the processor or the number of threads.
  @Test func digestsAreTheSameEverywhere() throws {
    let usual = try Program.run(["selftest"])
    #expect(usual.status == 0, "\(usual.errors)")
    let lines = usual.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    #expect(lines.count > 20 && lines.allSatisfy { $0.count == 2 && $0[0].count == 64 }, "\(usual.text)")
    #expect(Set(lines.map { $0[1] }).count == lines.count)
    let changed = Set(usual.text.split(separator: "\n")).symmetricDifference(
      SelfTestDigests.text.split(separator: "\n"))
    #expect(changed.isEmpty, "see SelfTestDigests: \(changed.sorted())")
    for (processor, threads) in [("baseline", "1"), ("v3", "2"), ("v4", "3")] {
      let other = try Program.run(["selftest", "--threads", threads], environment: ["RHEO_CPU": processor])
      #expect(other.text == usual.text, "\(processor), \(threads) threads")
    }
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func digestsOfFramesAndNothingAtAll() throws {
    let folder = try TemporaryFolder()
    let clip = folder.file("clip.mkv")
    try Clips.moving(clip)
    let nothing = try Program.run(["annotate", clip.path, "null:"])
    #expect(nothing.status == 0 && nothing.text.isEmpty, "\(nothing.errors)")
    let digests = try Program.run(["annotate", clip.path, "md5:", "--quiet", "--threads", "1"])
    #expect(digests.text.split(separator: "\n").count { !$0.hasPrefix("#") } == 10, "\(digests.errors)")
    #expect(try Program.run(["annotate", clip.path, "md5:", "--quiet", "--threads", "2"]).text == digests.text)
    #expect(folder.names == ["clip.mkv"])
  }
}
