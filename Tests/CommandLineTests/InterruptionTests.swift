import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct InterruptionTests {
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mp4")
    // Far more than is ever worked through here.
    try Clips.moving(input, size: "320x240", frames: 400, encoding: ["-c:v", "mpeg4"])
  }

  private func start(_ output: URL) throws -> ChildProcess {
    let program = try ChildProcess(
      Program.path,
      ["annotate", input.path, output.path, "--progress", "json", "--accuracy", "very-high", "--preset", "ultrafast"])
    let deadline = ContinuousClock.now + .seconds(60)
    while !program.errorsSoFar.contains("\"frames\""), ContinuousClock.now < deadline { usleep(5000) }
    return program
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["mp4", "mkv"])
  func theOutputIsValidUpToTheInterruption(signal: Int32, ending: String) throws {
    let output = folder.file("out.\(ending)")
    let program = try start(output)
    program.send(signal)
    let result = try program.wait()
    #expect(result.status == 130, "\(result.errors)")
    let times = try FFmpegTools.frameTimes(output)
    #expect(times.count > 0 && times.count < 400)
    #expect(result.errors.contains("out.\(ending): \(times.count) frames"), "\(result.errorLines.suffix(2))")
    let expected = try FFmpegTools.frameTimes(input).prefix(times.count)
    #expect(times == Array(expected))
    #expect(folder.names == ["in.mp4", "out.\(ending)"])
  }

  @Test func anInterruptionBeforeTheFirstFrameIsNoCrash() throws {
    // Standard input that never says anything.
    let result = try Program.shell(
      "mkfifo \"$1\"; sleep 20 > \"$1\" & pause=$!; \"$rheo\" annotate - \"$2\" < \"$1\" & program=$!; sleep 0.4; "
        + "kill -INT $program; sleep 0.1; kill -INT $program; wait $program; status=$?; kill $pause; exit $status",
      [folder.file("pipe").path, folder.file("out.mp4").path])
    #expect(result.status == 130, "\(result.errors)")
    #expect(!folder.names.contains("out.mp4"))
  }

  /// A hang-up that is ignored, as `nohup` asks for, ends nothing.
  @Test func aHangUpThatIsIgnoredStaysSo() throws {
    let output = folder.file("out.mkv")
    let result = try Program.shell(
      "trap '' HUP; \"$rheo\" annotate \"$1\" \"$2\" --frames 60 & program=$!; "
        + "sleep 0.3; kill -HUP $program; wait $program",
      [input.path, output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 60)
  }

  /// A limit on the size of files (`ulimit -f`, in blocks of 512 or 1024 bytes).
  @Test func aFileThatMayNotGrowIsAnError() throws {
    let output = folder.file("out.avi")
    let result = try Program.shell(
      "ulimit -f 20; exec \"$rheo\" annotate \"$1\" \"$2\" --codec rawvideo --frames 30", [input.path, output.path])
    #expect(result.status == 1, "\(result.status): \(result.errors)")
    #expect(result.errors.contains("File too large"), "\(result.errors)")
    #expect(folder.names == ["in.mp4"])
  }

  @Test func theSecondSignalEndsTheProgramAtOnce() throws {
    let output = folder.file("out.mp4")
    let program = try start(output)
    program.send(SIGSTOP)
    program.send(SIGINT)
    program.send(SIGTERM)
    program.send(SIGCONT)
    let result = try program.wait()
    #expect(result.status == 130, "\(result.errors)")
    #expect(!folder.names.contains { $0.contains("partial") }, "\(folder.names)")
  }
}
