import Foundation
import TestSupport
import Testing

/// Mistakes about the files that users name give one line that says what is wrong, and leave nothing behind.
@Suite struct BadInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expectFailure(
    _ result: ChildProcess.Result, status: Int32 = 1, naming name: String, because reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output.isEmpty, sourceLocation: sourceLocation)
    #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errors.contains(name), "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errors.contains(reason), "\(result.errors)", sourceLocation: sourceLocation)
  }

  private func write(_ data: Data, _ name: String) throws -> String {
    let file = folder.file(name)
    try data.write(to: file)
    return file.path
  }

  @Test func aMissingFileIsNamed() throws {
    let result = try Program.run(["annotate", folder.file("absent.mp4").path, folder.file("out.mp4").path])
    expectFailure(result, naming: "absent.mp4", because: "No such file")
    #expect(folder.names.isEmpty)
  }

  @Test func aFolderIsNoVideo() throws {
    let result = try Program.run(["annotate", folder.url.path, folder.file("out.mp4").path])
    expectFailure(result, naming: folder.url.path, because: "is a folder")
    #expect(folder.names.isEmpty)
  }

  @Test func anEmptyFileIsNoVideo() throws {
    let result = try Program.run(["annotate", try write(Data(), "empty.mp4"), folder.file("out.mp4").path])
    expectFailure(result, naming: "empty.mp4", because: "is empty")
    #expect(folder.names == ["empty.mp4"])
  }

  @Test(arguments: ["notes.txt", "notes.mp4", "notes.mkv"]) func textIsNoVideo(name: String) throws {
    let text = try write(Data(String(repeating: "Dear diary, nothing moved today.\n", count: 50).utf8), name)
    let result = try Program.run(["annotate", text, folder.file("out.mp4").path])
    #expect(result.status == 1)
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(name))
    #expect(folder.names == [name])
  }

  @Test func emptyStandardInputIsNoVideo() throws {
    let result = try Program.run(["annotate", "-", folder.file("out.mp4").path])
    expectFailure(result, naming: "standard input", because: "cannot be opened")
    #expect(folder.names.isEmpty)
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func soundAloneIsNoVideo() throws {
    let sound = folder.file("sound.m4a")
    try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "sine=duration=0.5", sound.path])
    let result = try Program.run(["annotate", sound.path, folder.file("out.mp4").path])
    expectFailure(result, naming: "sound.m4a", because: "holds no video, only audio")
    #expect(folder.names == ["sound.m4a"])
  }

  @Test(.enabled(if: FFmpegTools.areInstalled), arguments: ["mp4", "mkv"])
  func aFileWithoutItsHeaderIsRefused(ending: String) throws {
    let whole = folder.file("whole.\(ending)")
    try Clips.moving(whole, size: "128x96")
    let cut = try write(try Data(contentsOf: whole).dropFirst(1024), "cut.\(ending)")
    let result = try Program.run(["annotate", cut, folder.file("out.mp4").path])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("cut.\(ending)"))
    #expect(folder.names == ["cut.\(ending)", "whole.\(ending)"])
  }

  @Test(
    .enabled(if: TestData.has("broken"), "needs the test data"),
    arguments: [
      "chunk_out_of_range.mp4", "invalid_userdata.mp4", "test_case_1185230.mp4", "valid.m4v", "valid.flv",
      "corrupted.tiff", "corrupted.mp4", "sample_audio_only.mp4", "valid.wav",
    ])
  func filesWithoutAnyImageAreRefused(name: String) throws {
    let file = try TestData.url("broken/\(name)")
    let result = try Program.run(["annotate", file.path, folder.file("out.mp4").path])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(name))
    #expect(folder.names.isEmpty)
  }

  @Test(
    .enabled(if: TestData.has("broken"), "needs the test data"),
    arguments: [
      ("minimal.mp4", 1, 0), ("h264_white_frame_sar_16_9.mp4", 1, 0), ("video_rotation_90.mp4", 1, 0),
      ("corrupted.avi", 192, 0), ("corrupted.gif", 22, 0), ("corrupted.webm", 35, 2),
      ("sample_mdat_too_long.mp4", 30, 0),
      ("sample_missing_stsd.mp4", 30, 0), ("Megamind_bugy.avi", 270, 0),
    ])
  func damagedFilesKeepEveryFrameThatCanBeDecoded(name: String, frames: Int, status: Int32) throws {
    let file = try TestData.url("broken/\(name)")
    let output = folder.file("out.mkv")
    // Half the size, and the fastest of everything: what counts here are the frames.
    let result = try Program.run([
      "annotate", file.path, output.path, "--preset", "ultrafast", "--accuracy", "low", "--filter", "scale=iw/4:-2",
    ])
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.contains(": \(frames) frame\(frames == 1 ? "" : "s") in "), "\(result.errors)")
    #expect(result.errors.contains("damaged at") == (status == 2), "\(result.errors)")
    #expect(!result.errors.contains("1 places"))
    #expect(folder.names == ["out.mkv"])
  }
}
