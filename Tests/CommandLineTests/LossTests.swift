import Foundation
import TestSupport
import Testing

/// Nothing that was there is lost, and nothing incomplete is left behind.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct LossTests {
  private let folder: TemporaryFolder
  private let clip: URL

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("clip.mkv")
    try Clips.moving(clip, encoding: ["-c:v", "ffv1"])
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  // MARK: The input stays

  @Test(arguments: ["itself", "symbolic", "hard", "roundabout"], ["annotate", "stabilize", "report", "tracks"])
  func noOutputReplacesItsInput(name: String, command: String) throws {
    // The report's ending decides its kind.
    let input = folder.file(command == "tracks" ? "in.json" : "in.mkv")
    try FileManager.default.copyItem(at: clip, to: input)
    var output = folder.file("other." + input.pathExtension)
    switch name {
    case "symbolic": try FileManager.default.createSymbolicLink(at: output, withDestinationURL: input)
    case "hard": try FileManager.default.linkItem(at: input, to: output)
    case "roundabout": output = URL(fileURLWithPath: folder.url.path + "/./" + input.lastPathComponent)
    default: output = input
    }
    let path = name == "roundabout" ? folder.url.path + "/./" + input.lastPathComponent : output.path
    let arguments =
      switch command {
      case "report": ["detect", input.path, "--report", path]
      case "tracks": ["track", input.path, "--auto", "--report", path]
      default: [command, input.path, path]
      }
    let result = try Program.run(arguments + ["--overwrite"])
    #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(result.errors)")
    #expect(try Data(contentsOf: input) == Data(contentsOf: clip))
  }

  @Test func flowFilesAreNotConvertedOntoThemselves() throws {
    let flow = folder.file("a.flo")
    #expect(try Program.run(["export", clip.path, "--output", folder.file("all").path, "--frames", "2"]).status == 0)
    try FileManager.default.copyItem(at: folder.file("all/frame_000001.flo"), to: flow)
    let result = try Program.run(["convert", flow.path, flow.path, "--overwrite"])
    #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(result.errors)")
  }

  // MARK: Images

  @Test func patternsOfImagesReplaceNothingUnasked() throws {
    let (pattern, first) = (folder.file("image_%03d.png").path, folder.file("image_002.png"))
    try Data("mine".utf8).write(to: first)
    let refused = try Program.run(["annotate", clip.path, pattern, "--frames", "3"])
    #expect(refused.status == 1 && refused.errors.contains("image_002.png is there already"), "\(refused.errors)")
    #expect(try Data(contentsOf: first) == Data("mine".utf8))
    #expect(try names() == ["clip.mkv", "image_002.png"])
    #expect(try Program.run(["annotate", clip.path, pattern, "--frames", "3", "--overwrite"]).status == 0)
    #expect(try names() == ["clip.mkv", "image_001.png", "image_002.png", "image_003.png"])
    #expect(try Data(contentsOf: first) != Data("mine".utf8))
  }

  @Test func oneImageHoldsOneFrame() throws {
    let image = folder.file("image.png")
    try Data("mine".utf8).write(to: image)
    let refused = try Program.run(["annotate", clip.path, image.path, "--frames", "2", "--overwrite"])
    #expect(refused.status == 64 && refused.errors.contains("holds one image"), "\(refused.errors)")
    #expect(try Data(contentsOf: image) == Data("mine".utf8))
    #expect(try Program.run(["annotate", clip.path, image.path, "--frames", "1", "--overwrite"]).status == 0)
    #expect(try FFmpegTools.videoValue(image, "width") == "64")
    #expect(try names() == ["clip.mkv", "image.png"])
  }

  // MARK: Standard descriptors

  @Test(arguments: ["2>/dev/full", "2>&-"]) func unreadableMessagesEndNothing(redirection: String) throws {
    let (output, expected) = (folder.file("out.mkv").path, folder.file("expected.mkv"))
    #expect(try Program.run(["annotate", clip.path, expected.path, "--codec", "ffv1"]).status == 0)
    let result = try Program.shell(
      "\"$rheo\" annotate \"$1\" \"$2\" --codec ffv1 --verbose --progress json \(redirection)", [clip.path, output])
    #expect(result.status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data(contentsOf: expected))
  }

  @Test(
    arguments: [
      "info --json \"$1\"", "info \"$1\"", "register \"$2\" \"$2\"", "evaluate --json \"$3\" \"$3\"",
      "track \"$1\" --auto", "detect \"$1\" --report -", "flow \"$2\" \"$2\" --repeat 1",
    ], [">/dev/full", ">&-"])
  func resultsThatCannotBeWrittenAreAFailure(command: String, redirection: String) throws {
    let (image, flow) = (folder.file("image.png"), folder.file("a.flo"))
    #expect(try Program.run(["annotate", clip.path, image.path, "--frames", "1"]).status == 0)
    #expect(try Program.run(["flow", image.path, image.path, "--output", flow.path]).status == 0)
    let result = try Program.shell("\"$rheo\" \(command) \(redirection)", [clip.path, image.path, flow.path])
    #expect(result.status == 1 && result.errors.contains("standard output: cannot be written"), "\(result.errors)")
  }

  // MARK: What a dead program left

  @Test func leftoversAreRemovedByTheNextRunAndNothingElse() throws {
    let output = folder.file("out.mkv")
    let (dead, other) = (folder.file(".out.mkv.abc123.partial"), folder.file(".out.mkv.notes.partial"))
    for file in [dead, folder.file(".other.mkv.abc123.partial"), folder.file(".out.mkv.a.b.partial"), other] {
      try Data("left".utf8).write(to: file)
    }
    // A live program holds its lock.
    let descriptor = open(other.path, O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(try Program.run(["annotate", clip.path, output.path]).status == 0)
    #expect(
      try names() == [
        ".other.mkv.abc123.partial", ".out.mkv.a.b.partial", ".out.mkv.notes.partial", "clip.mkv", "out.mkv",
      ])
  }

  @Test func temporaryFilesAreTheOwnersAlone() throws {
    let output = folder.file("out.mkv")
    let result = try Program.shell(
      """
      umask 022; "$rheo" annotate "$1" "$2" --quiet & sleep 0.02
      for i in $(seq 400); do ls -l "$3"/.out.mkv.*.partial 2>/dev/null | cut -c1-10; done | sort -u; wait
      ls -l "$2" | cut -c1-10
      """, [clip.path, output.path, folder.url.path])
    let modes = Set(result.text.split(separator: "\n").map(String.init))
    #expect(modes.isSubset(of: ["-rw-------", "-rw-r--r--"]) && modes.contains("-rw-r--r--"), "\(modes)")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: output.path)
    #expect(try Program.run(["annotate", clip.path, output.path, "--overwrite"]).status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }
}
