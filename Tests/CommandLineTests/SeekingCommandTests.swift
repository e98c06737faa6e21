import Foundation
import TestSupport
import Testing

/// `--start` says how it got there when it is asked to, and tells of a frame what a whole run tells.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct SeekingCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ name: String) throws -> URL {
    let file = folder.file(name)
    try Clips.moving(
      file, size: "128x96", frames: 60,
      encoding: ["-c:v", "libx264", "-bf", "3", "-g", "10", "-x264-params", "open-gop=1"])
    return file
  }

  private func run(_ arguments: [String]) throws -> ChildProcess.Result {
    let result = try Program.run(arguments)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    return result
  }

  @Test func theWayIsToldOnRequest() throws {
    let input = try clip("in.mp4")
    let arguments = ["annotate", input.path, "md5:", "--start", "45f", "--frames", "3", "--accuracy", "low"]
    let (quiet, verbose) = (try run(arguments), try run(arguments + ["--verbose"]))
    #expect(verbose.errors.contains("decoding begins with frame 40, a key frame"), "\(verbose.errors)")
    #expect(!quiet.errors.contains("key frame") && quiet.output == verbose.output)
    let filtered = try run(arguments + ["--verbose", "--filter", "null"])
    #expect(filtered.errors.contains("decoding from the beginning to reach the range: filters"), "\(filtered.errors)")
    #expect(filtered.output == quiet.output)
    let piped = try Program.run(
      ["annotate", "-"] + arguments.dropFirst(2) + ["--verbose"], input: clip("in.mkv").path)
    #expect(piped.errors.contains("only a file is searched"), "\(piped.errors)")
  }

  @Test func theIndexIsKeptBesideTheVideoOnRequest() throws {
    let input = try clip("in.mkv")
    let arguments = ["export", input.path, "-q", "--start", "33f", "--frames", "2", "--output"]
    _ = try run(arguments + [folder.file("plain").path])
    #expect(!folder.names.contains("in.mkv.rheo-index"))
    for output in ["first", "second"] {
      _ = try run(arguments + [folder.file(output).path, "--index"])
      #expect(folder.names.contains("in.mkv.rheo-index"))
    }
    let fields = try ["plain", "first", "second"].map { name in
      try Data(contentsOf: folder.file(name).appendingPathComponent("frame_000034.flo"))
    }
    #expect(fields[0] == fields[1] && fields[0] == fields[2])
  }
}
