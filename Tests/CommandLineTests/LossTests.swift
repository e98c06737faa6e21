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

  @Test func signalsLeaveNothingOfShortCommands() throws {
    let flow = folder.file("a.flo")
    #expect(try Program.run(["export", clip.path, "--output", folder.file("all").path, "--frames", "2"]).status == 0)
    try FileManager.default.copyItem(at: folder.file("all/frame_000001.flo"), to: flow)
    let result = try Program.shell(
      #"ulimit -f 1; "$rheo" convert "$1" "$2""#, [flow.path, folder.file("a.pfm").path])
    #expect(result.status == 1 && result.errors.contains("File too large"), "\(result.errors)")
    #expect(try names().allSatisfy { !$0.contains("a.pfm") })
  }

  @Test func flowFilesAreNotConvertedOntoThemselves() throws {
    let flow = folder.file("a.flo")
    #expect(try Program.run(["export", clip.path, "--output", folder.file("all").path, "--frames", "2"]).status == 0)
    try FileManager.default.copyItem(at: folder.file("all/frame_000001.flo"), to: flow)
    let result = try Program.run(["convert", flow.path, flow.path, "--overwrite"])
    #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(result.errors)")
  }

  @Test(arguments: ["zones", "run", "statistics", "list", "array"])
  func noOutputReplacesWhatElseIsRead(what: String) throws {
    let file = folder.file(what == "array" ? "x.npy" : "beside.csv")
    let zones = #"{"zones":[{"name":"a","polygon":[[0,0],[1,1],[0.5,0]]}]}"#
    let arguments: [String]
    switch what {
    case "zones", "run":
      try Data(zones.utf8).write(to: file)
      arguments =
        what == "zones"
        ? ["detect", clip.path, "--zones", file.path, "--report", file.path]
        : ["run", clip.path, "--zones", file.path, "--detect", file.path]
    case "statistics":
      #expect(try Program.run(["detect", clip.path, "--statistics", file.path]).status == 0)
      arguments = ["detect", "--from-statistics", file.path, "--report", file.path]
    case "list":
      try Data((clip.path + "\n").utf8).write(to: file)
      arguments = ["detect", "--list", file.path, "--report", file.path]
    default:
      try FileManager.default.linkItem(at: clip, to: file)
      arguments = ["export", clip.path, "--output", file.path]
    }
    let before = try Data(contentsOf: file)
    let result = try Program.run(arguments + ["--overwrite"])
    #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(result.errors)")
    #expect(try Data(contentsOf: file) == before)
  }

  /// The inputs beside the one that an output is of, and files of options.
  @Test(
    arguments: ["clips", "snapshots", "tracks", "arrays", "merged", "mergedArray", "images", "options"])
  func noOutputReplacesAnotherInput(what: String) throws {
    let (file, arguments) = try outputOverInput(what)
    let before = try Data(contentsOf: file)
    let result = try Program.run(arguments + ["--overwrite"])
    #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(result.errors)")
    #expect(try Data(contentsOf: file) == before)
  }

  /// Returns a file that is read, and a command one of whose outputs would replace or delete it.
  private func outputOverInput(_ what: String) throws -> (file: URL, arguments: [String]) {
    let here = folder.url.path
    let finding = ["--threshold", "0.01", "--min-duration", "0"]
    func export(_ output: String, _ options: [String]) throws {
      let arguments = ["export", clip.path, "--accuracy", "low", "--output", folder.file(output).path]
      #expect(try Program.run(arguments + options).status == 0)
    }
    switch what {
    case "clips":
      // Long enough for an event, of which there would be a clip of this name.
      try Clips.moving(clip, frames: 20, rate: "10", encoding: ["-c:v", "ffv1"])
      let file = folder.file("clip-event-0001.mkv")
      try Clips.moving(file, frames: 20, rate: "10", filters: ["hue=h=90"], encoding: ["-c:v", "ffv1"])
      return (file, ["detect", here, "--clips", here] + finding)
    case "snapshots":
      try Clips.moving(clip, frames: 20, rate: "10", encoding: ["-c:v", "ffv1"])
      let file = folder.file("clip-event-0001.png")
      try Clips.moving(file, frames: 1)
      return (file, ["detect", clip.path, file.path, "--snapshots", here] + finding)
    case "tracks":
      let file = folder.file("boxes.mkv")
      try Data("1,-1,10,10,20,20,0.9\n".utf8).write(to: file)
      return (file, ["track", clip.path, file.path, "--detections", file.path, "--report", here + "/r.json"])
    case "arrays":
      try export("all", ["--format", "npy", "--frames", "3"])
      let file = folder.file("all/frame_000002.npy")
      return (file, ["convert", here + "/all/frame_%06d.npy", file.path])
    case "merged", "mergedArray":
      let ending = what == "merged" ? "" : ".npy"
      for number in 1...2 { try export("part\(number)\(ending)", ["--shard", "\(number)/2"]) }
      let parts = (1...2).map { "\(here)/part\($0)\(ending)" }
      let file = folder.file(what == "merged" ? "part1/manifest.json" : "part1.npy")
      return (file, ["merge"] + parts + ["--output", parts[0]])
    case "images":
      // The names are those that an export gives its files.
      try export("all", ["--frames", "3"])
      let images = here + "/all/frame_%06d.png"
      #expect(try Program.run(["annotate", clip.path, images, "--frames", "3"]).status == 0)
      return (folder.file("all/frame_000002.png"), ["export", images, "--output", here + "/all"])
    default:
      let file = folder.file("options.json")
      try Data("threshold = 0.5\n".utf8).write(to: file)
      return (file, ["detect", clip.path, "--config", file.path, "--report", file.path])
    }
  }

  /// The index of one video has the name of another one.
  @Test func anIndexReplacesNoVideo() throws {
    let other = folder.file("clip.mkv.rheo-index")
    try FileManager.default.copyItem(at: clip, to: other)
    let result = try Program.run(["plan", clip.path, other.path, "--index", "--shards", "2"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Data(contentsOf: other) == Data(contentsOf: clip))
  }

  @Test func whatStandardInputIsStays() throws {
    let before = try Data(contentsOf: clip)
    let replaced = try Program.shell(#""$rheo" annotate - "$1" --overwrite < "$1""#, [clip.path])
    #expect(replaced.status == 64 && replaced.errors.contains("is the input itself"), "\(replaced.errors)")
    let appended = try Program.shell(#""$rheo" annotate "$1" - --format matroska >> "$1""#, [clip.path])
    #expect(appended.status == 64 && appended.errors.contains("is the input itself"), "\(appended.errors)")
    #expect(try Data(contentsOf: clip) == before)
  }

  /// A file that another program makes while the work goes on is not replaced unasked.
  @Test(arguments: ["annotate", "export"]) func aFileThatAppearsMeanwhileStays(command: String) throws {
    let output = folder.file(command == "annotate" ? "out.mkv" : "out.npy")
    let words = command == "annotate" ? "annotate -" : "export - --accuracy low --output"
    // The input does not end before the file is there.
    let script = #"""
      (cat "$1"; until [ -e "$3/seen" ]; do sleep 0.02; done) | "$rheo" \#(words) "$2" --quiet & program=$!
      for i in $(seq 1000); do ls -A "$3" | grep -q partial && break; sleep 0.02; done
      echo mine > "$2"; touch "$3/seen"; wait $program
      """#
    let result = try Program.shell(script, [clip.path, output.path, folder.url.path])
    #expect(result.status == 1 && result.errors.contains("is there already"), "\(result.errors)")
    #expect(try Data(contentsOf: output) == Data("mine\n".utf8))
    // An export is left to be resumed.
    let left = command == "annotate" ? [] : [".out.npy.journal", "out.npy.partial"]
    #expect(try names().filter { $0.contains("out.") && $0 != output.lastPathComponent } == left)
  }

  @Test func anOutputIsNamedOnce() throws {
    let path = folder.file("x.json").path
    let result = try Program.run(["detect", clip.path, "--report", path, "--report", path])
    #expect(result.status == 64 && result.errors.contains("is named twice"), "\(result.errors)")
    #expect(try Program.run(["detect", clip.path, "--report", "/dev/null", "--report", "/dev/null"]).status == 0)
  }

  // MARK: Images

  @Test func aPatternsFilesStayByAnyName() throws {
    let folder = self.folder.url.path
    #expect(try Program.run(["annotate", clip.path, "\(folder)/s_%03d.png", "--frames", "3"]).status == 0)
    let before = try Data(contentsOf: self.folder.file("s_002.png"))
    let input = "\(folder)/s_%03d.png"
    for arguments in [
      ["annotate", input, "\(folder)/./s_%03d.png"], ["annotate", input, "\(folder)/s_00%d.png"],
      ["stack", input, "--output", "\(folder)/s_002.png"],
      ["annotate", input, "\(folder)/x.mkv", "--contact-sheet", "\(folder)/s_002.png"],
      ["detect", input, "--heat-map", "\(folder)/s_002.png"],
    ] {
      let result = try Program.run(arguments + ["--overwrite"])
      #expect(result.status == 64 && result.errors.contains("is the input itself"), "\(arguments): \(result.errors)")
    }
    #expect(try Data(contentsOf: self.folder.file("s_002.png")) == before)
  }

  @Test func imagesFollowNoLinkAndLeaveNothingHalf() throws {
    let victim = folder.file("victim")
    try Data("mine".utf8).write(to: victim)
    try FileManager.default.createSymbolicLink(at: folder.file("a_001.png.tmp"), withDestinationURL: victim)
    #expect(try Program.run(["annotate", clip.path, folder.file("a_%03d.png").path, "--frames", "2"]).status == 0)
    #expect(try Data(contentsOf: victim) == Data("mine".utf8))
    let kind = try FileManager.default.attributesOfItem(atPath: folder.file("a_001.png").path)[.type]
    #expect(kind as? FileAttributeType == .typeRegular)
    // A limit of a few kilobytes on the size of files; what a program that died left is removed meanwhile.
    try Data().write(to: folder.file(".b_001.png.0abc.partial"))
    let limited = try Program.shell(
      #"ulimit -f 1; "$rheo" annotate "$1" "$2" --frames 2"#, [clip.path, folder.file("b_%03d.png").path])
    #expect(limited.status == 1 && limited.errors.contains("File too large"), "\(limited.errors)")
    #expect(try names().filter { $0.contains("b_0") } == [])
  }

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
    // The input does not end before the file was looked at.
    let result = try Program.shell(
      """
      umask 022
      (cat "$1"; until [ -e "$3/seen" ]; do sleep 0.02; done) | "$rheo" annotate - "$2" --quiet &
      for i in $(seq 1000); do
        ls -l "$3"/.out.mkv.*.partial 2>/dev/null | cut -c1-10 | grep . && break
        sleep 0.02
      done
      touch "$3/seen"; wait
      ls -l "$2" | cut -c1-10
      """, [clip.path, output.path, folder.url.path])
    #expect(result.text.split(separator: "\n") == ["-rw-------", "-rw-r--r--"], "\(result.text)\(result.errors)")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: output.path)
    #expect(try Program.run(["annotate", clip.path, output.path, "--overwrite"]).status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }
}
