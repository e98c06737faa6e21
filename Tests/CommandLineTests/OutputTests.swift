import Foundation
import TestSupport
import Testing

/// Mistakes with outputs and options are told.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct OutputTests {
  private let folder: TemporaryFolder
  private let input: URL

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mp4")
    try Clips.moving(input, size: "128x96", encoding: ["-c:v", "libx264", "-preset", "ultrafast"])
  }

  private func expectFailure(
    _ result: ChildProcess.Result, status: Int32, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    for word in words {
      #expect(result.errors.contains(word), "\(word) in \(result.errors)", sourceLocation: sourceLocation)
    }
    #expect(folder.names == ["in.mp4"], sourceLocation: sourceLocation)
  }

  @Test func anExistingOutputIsNotTouched() throws {
    let output = folder.file("out.mp4")
    try Data("precious".utf8).write(to: output)
    let refused = try Program.run(["annotate", input.path, output.path])
    #expect(refused.status == 1)
    #expect(refused.errorLines.count == 1)
    #expect(refused.errors.contains("out.mp4") && refused.errors.contains("--overwrite"))
    #expect(try Data(contentsOf: output) == Data("precious".utf8))
    let replaced = try Program.run(["annotate", input.path, output.path, "-y"])
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(try FFmpegTools.frameTimes(output).count == 10)
    #expect(folder.names == ["in.mp4", "out.mp4"])
  }

  @Test func aFailedReplacementLeavesTheOldOutput() throws {
    let output = folder.file("out.mp4")
    try Data("precious".utf8).write(to: output)
    let result = try Program.run(["annotate", folder.file("absent.mp4").path, output.path, "-y"])
    #expect(result.status == 1)
    #expect(try Data(contentsOf: output) == Data("precious".utf8))
  }

  @Test func theInputCannotBeItsOwnOutput() throws {
    let before = try Data(contentsOf: input)
    let result = try Program.run(["annotate", input.path, input.path, "-y"])
    expectFailure(result, status: 64, input.path, "is the input itself")
    #expect(try Data(contentsOf: input) == before)
    #expect(folder.names == ["in.mp4"])
  }

  @Test func aFolderIsNoOutput() throws {
    let result = try Program.run(["annotate", input.path, folder.url.path, "--format", "mp4", "-y"])
    expectFailure(result, status: 1, folder.url.path, "is a folder")
    #expect(result.errorLines.count == 1)
  }

  @Test func aMissingFolderIsNamed() throws {
    let result = try Program.run(["annotate", input.path, folder.file("nowhere/out.mp4").path])
    expectFailure(result, status: 1, "nowhere", "No such file")
    #expect(result.errorLines.count == 1)
  }

  @Test func aFolderWithoutPermissionIsNamed() throws {
    // Root may write anywhere but into the kernel's own folders.
    let position = getuid() == 0 ? "/proc/out.mp4" : "/out.mp4"
    let result = try Program.run(["annotate", input.path, position])
    expectFailure(result, status: 1, position)
    #expect(result.errorLines.count == 1, "\(result.errors)")
  }

  @Test func aFullDeviceIsReported() throws {
    let result = try Program.run(["annotate", input.path, "/dev/full", "--format", "matroska", "-y"])
    expectFailure(result, status: 1, "/dev/full", "No space left")
    #expect(result.errorLines.count == 1, "\(result.errors)")
  }

  @Test(arguments: ["mp4", "mkv", "avi", "y4m"]) func aFullDiskLeavesNothingBehind(ending: String) throws {
    let output = folder.file("out.\(ending)")
    // At most eight blocks of 512 bytes may be written.
    let result = try Program.shell(
      "trap '' XFSZ; ulimit -f 8; exec \"$rheo\" annotate \"$1\" \"$2\" 2>/dev/stdout", [input.path, output.path])
    #expect(result.status == 1, "\(result.text)")
    #expect(result.text.contains("out.\(ending)") && result.text.contains("File too large"), "\(result.text)")
    #expect(result.text.split(separator: "\n").count == 1, "\(result.text)")
    #expect(folder.names == ["in.mp4"])
  }

  @Test(arguments: [
    (["--style", "sparkles"], "side-by-side"), (["--accuracy", "extreme"], "very-high"),
    (["--algorithm", "magic"], "farneback"), (["--progress", "loud"], "json"), (["--codec", "h999"], "libx264"),
    (["--codec", "libx264", "--format", "webm"], "libvpx-vp9"), (["--pixel-format", "pink"], "yuv420p"),
    (["--pixel-format", "pal8"], "yuv420p"), (["--encoder-options", "sparkle=1"], "ffmpeg -h encoder=libx264"),
    (["--encoder-options", "sparkle"], "key=value"), (["--crf", "abc"], "crf"),
    (["--preset", "warp"], "ultrafast, superfast"),
    (["--stream", "3"], "0"), (["--start", "soon"], "--start"), (["--every", "0"], "1 or more"),
    (["--frames", "0"], "1 or more"), (["--threads", "-1"], "threads"), (["--threads", "9999"], "1024"),
    (["--filter", "sparkle"], "sparkle"), (["--filter", "scale=nonsense"], "scale=nonsense"),
    (["--filter", "showwaves"], "showwaves"), (["--opacity", "2"], "1.0"), (["--cell", "1"], "512"),
    (["--tip-angle", "500"], "120"), (["--min-length", "-1"], "min"), (["--max-length", "big"], "auto"),
    (["--parameters", "levels=-1"], "levels"),
    (["--format", "sparkle"], "sparkle"), (["--sparkle"], "--sparkle"), (["another"], "another"),
    (["--parameters", "warps=99"], "0…20"),
    (["--algorithm", "farneback", "--parameters", "levels=-1"], "0…20"),
    (["--algorithm", "farneback", "--parameters", "sparkle=1"], "pyramid-scale"),
    (["--parameters", "sparkle=1"], "patch-stride"), (["--region", "0,0,1"], "--region"),
    (["--region", "0.5,0,0.6,1"], "within 0,0,1,1"), (["--region", "0,0,0,0"], "region"),
    (["--max-dimension", "0"], "16…65536"), (["--format", "sparkle"], "sparkle"), (["--sparkle"], "--sparkle"),
    (["another"], "another"),
  ])
  func wrongOptionsAreUsageErrors(options: [String], word: String) throws {
    let result = try Program.run(["annotate", input.path, folder.file("out.mp4").path] + options)
    expectFailure(result, status: 64, word)
  }

  @Test func anUnknownEndingIsAUsageError() throws {
    let result = try Program.run(["annotate", input.path, folder.file("out.sparkle").path])
    expectFailure(result, status: 64, "out.sparkle", ".mp4", "--format")
    #expect(result.errorLines.count == 1)
  }

  @Test(arguments: [[], ["annotate"], ["annotate", "in.mp4"], ["sparkle"]]) func missingArgumentsAreUsageErrors(
    arguments: [String]
  ) throws {
    let result = try Program.run(arguments)
    #expect(result.status == 64 || arguments.isEmpty)
    #expect(arguments.isEmpty ? result.text.contains("SUBCOMMANDS") : result.errors.contains("Usage"))
  }

  @Test func anEncoderThatRefusesTheSizeSaysSo() throws {
    let result = try Program.run([
      "annotate", input.path, folder.file("out.3gp").path, "--codec", "h263", "--filter", "scale=130:98",
    ])
    expectFailure(result, status: 1, "out.3gp", "h263", "130×98")
  }

  @Test func anEncoderThatRefusesAnOptionSaysSo() throws {
    for option in ["profile=sparkle", "g=sparkle"] {
      let result = try Program.run(["annotate", input.path, folder.file("out.mp4").path, "--encoder-options", option])
      // x264 has a line of its own about profiles.
      expectFailure(result, status: 64, "out.mp4", "libx264", "sparkle")
    }
  }
}
