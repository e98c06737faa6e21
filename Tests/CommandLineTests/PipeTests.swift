import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct PipeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func y4m() throws -> URL {
    let file = folder.file("in.y4m")
    try Clips.moving(file, encoding: ["-pix_fmt", "yuv420p"])
    return file
  }

  @Test func y4mThroughStandardInput() throws {
    let (input, output) = (try y4m(), folder.file("out.mp4"))
    let result = try Program.shell("cat \"$1\" | \"$rheo\" annotate - \"$2\"", [input.path, output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 10)
  }

  @Test func y4mThroughBothEnds() throws {
    let output = folder.file("out.y4m")
    let result = try Program.run(
      ["annotate", "-", "-", "--format", "yuv4mpegpipe", "--filter", "null"], input: try y4m().path,
      output: output.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.videoValue(output, "width") == "64")
    #expect(try FFmpegTools.frameTimes(output).count == 10)
  }

  @Test(arguments: ["matroska", "mp4", "nut", "mpegts"]) func standardOutputHoldsAWholeFile(format: String) throws {
    let output = folder.file("out")
    let result = try Program.shell(
      "\"$rheo\" annotate \"$1\" - --format \(format) | cat > \"$2\"", [try y4m().path, output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 10)
  }

  @Test func transportStreamsThroughStandardInput() throws {
    let (input, output) = (folder.file("in.ts"), folder.file("out.mkv"))
    try Clips.moving(input)
    let result = try Program.shell("cat \"$1\" | \"$rheo\" annotate - \"$2\"", [input.path, output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 10)
  }

  @Test func anIndexAtTheEndCannotBeReachedThroughAPipe() throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.mkv"))
    try Clips.moving(input, size: "320x240", encoding: ["-c:v", "mjpeg", "-q:v", "1"])
    let piped = try Program.shell("cat \"$1\" | \"$rheo\" annotate - \"$2\"", [input.path, output.path])
    #expect(piped.status == 1)
    #expect(piped.errorLines.count == 1)
    #expect(piped.errors.contains("give it as a file"), "\(piped.errors)")
    let redirected = try Program.run(["annotate", "-", output.path], input: input.path)
    #expect(redirected.status == 0, "\(redirected.errors)")
  }

  @Test func standardOutputNeedsAFormat() throws {
    let result = try Program.run(["annotate", try y4m().path, "-"])
    #expect(result.status == 64)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("standard output") && result.errors.contains("--format"), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func aReaderThatGoesAwayEndsTheWork() throws {
    let input = folder.file("in.y4m")
    try Clips.moving(input, size: "640x480", frames: 60, encoding: ["-pix_fmt", "yuv420p"])
    let status = folder.file("status")
    let line =
      "{ \"$rheo\" annotate \"$1\" - --format yuv4mpegpipe --accuracy low; echo $? > \"$2\"; } | head -c 1000 > \"$3\""
    let result = try Program.shell(line, [input.path, status.path, folder.file("head").path])
    #expect(try String(contentsOf: status, encoding: .utf8) == "1\n")
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("standard output") && result.errors.contains("Broken pipe"), "\(result.errors)")
  }

  @Test(
    arguments: [["detect", "--report", "-", "-q"], ["detect", "--json-lines", "-q"], ["track", "--auto", "-q"]])
  func aReaderThatIsGoneGetsNoReport(command: [String]) throws {
    let (input, status) = (folder.file("in.mkv"), folder.file("status"))
    try Clips.moving(input, frames: 30)
    let line = "{ sleep 0.2; \"$rheo\" \(command.joined(separator: " ")) \"$1\"; echo $? > \"$2\"; } | true"
    let result = try Program.shell(line, [input.path, status.path])
    #expect(try String(contentsOf: status, encoding: .utf8) == "1\n")
    #expect(result.errors == "rheo: standard output: cannot be written: Broken pipe\n")
  }

  @Test func nothingButTheVideoGoesToStandardOutput() throws {
    let result = try Program.run([
      "annotate", try y4m().path, "-", "--format", "matroska", "--progress", "json", "--verbose",
    ])
    #expect(result.status == 0)
    #expect(result.output.prefix(4) == Data([0x1A, 0x45, 0xDF, 0xA3]))
    #expect(!result.errors.isEmpty)
  }
}
