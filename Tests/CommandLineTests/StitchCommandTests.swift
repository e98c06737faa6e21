import Foundation
import Rheo
import TestSupport
import Testing

/// `rheo stitch` and `rheo stack` as scripts see them.
@Suite struct StitchCommandTests {
  private let folder: TemporaryFolder
  private let parts: [String]

  init() throws {
    folder = try TemporaryFolder()
    let texture = Texture(seed: 6, waveCount: 40)
    let folder = folder
    parts = try [0, 70, 140].map { start in
      let image = Plane<UInt8>(width: 160, height: 130) { x, y in UInt8(texture.value(Double(x + start), Double(y))) }
      let file = folder.file("part\(start).png")
      try StillImage.writePNG(image, to: file.path)
      return file.path
    }
  }

  private var output: URL { folder.file("out.png") }

  @Test func imagesAreStitched() throws {
    let result = try Program.run(["stitch"] + parts + ["--output", output.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.isEmpty && result.errors.contains("3 images"), "\(result.errors)")
    #expect(abs(try StillImage.rgb(contentsOf: output.path).width - 300) <= 1)
    let again = try Program.run(["stitch"] + parts + ["--output", output.path])
    #expect(again.status == 1 && again.errors.contains("--overwrite") && again.errorLines.count == 1)
    let quiet = try Program.run(["stitch", "-y", "-q"] + parts + ["--output", output.path])
    #expect(quiet.status == 0 && quiet.errors.isEmpty)
    #expect(folder.names.filter { $0.contains("partial") }.isEmpty)
  }

  @Test func unrelatedImagesAreNamed() throws {
    let other = folder.file("other.png")
    let texture = Texture(seed: 91, waveCount: 40)
    try StillImage.writePNG(
      Plane<UInt8>(width: 160, height: 130) { UInt8(texture.value(Double($0), Double($1))) }, to: other.path)
    let result = try Program.run(["stitch", parts[0], parts[1], other.path, "--output", output.path])
    #expect(result.status == 0)
    #expect(result.errorLines.count { $0.contains("other.png") && $0.contains("left out") } == 1, "\(result.errors)")
    let none = try Program.run(["stitch", parts[0], other.path, "-y", "--output", output.path])
    #expect(none.status == 1 && none.errorLines.count == 1, "\(none.errors)")
    #expect(none.errors.contains("nothing can be stitched"))
    let stack = try Program.run(["stack", parts[0], other.path, "-y", "--output", output.path])
    #expect(stack.status == 1 && stack.errors.contains("nothing to stack"), "\(stack.errors)")
  }

  /// There is nothing that one could register them by, which is soon found.
  @Test func veryNarrowImagesAreRefusedAtOnce() throws {
    let files = try (1...2).map { number in
      let file = folder.file("narrow\(number).pgm")
      let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * (number + 6) / 5) }
      try (Data("P5 1 1000000 255\n".utf8) + Data(bytes)).write(to: file)
      return file.path
    }
    for command in [
      ["stack"] + files + ["--output", output.path], ["register", "--method", "features"] + files,
    ] {
      let result = try Program.run(command)
      #expect(result.status == 1 && result.errorLines.count == 1, "\(command[0]): \(result.errors)")
    }
    #expect(!folder.names.contains("out.png"))
  }

  @Test(arguments: ["stitch", "stack"]) func missingFilesAreNamed(command: String) throws {
    let result = try Program.run([command, parts[0], folder.file("absent.png").path, "--output", output.path])
    #expect(result.status == 1 && result.errorLines.count == 1 && result.errors.contains("absent.png"))
    #expect(!folder.names.contains("out.png"))
  }

  @Test(arguments: [
    ["stitch", "--output", "a.jpg"], ["stitch", "--output", "a.png", "--max-size", "3"],
    ["stitch", "--output", "a.png", "--projection", "sphere"], ["stitch"],
    ["stack", "--output", "a.png", "--depth", "12"],
    ["stack", "--output", "a.png", "--method", "mode"], ["stack", "--output", "a.png", "--reference", "3"],
  ])
  func wrongOptionsAreUsageErrors(arguments: [String]) throws {
    let result = try Program.run(arguments + parts)
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test func aPipeIsRefusedWhereItWouldBeReadTwice() throws {
    let result = try Program.run(["stitch", "-", "--output", output.path])
    #expect(result.status == 1 && result.errors.contains("a pipe cannot be read twice"), "\(result.errors)")
    let stack = try Program.run(["stack", "-", "--output", output.path, "--method", "median"])
    #expect(stack.status == 1 && stack.errors.contains("a pipe is read once"), "\(stack.errors)")
  }

  @Test func processorsAndThreadsDoNotChangeTheBytes() throws {
    for command in ["stitch", "stack"] {
      let bytes = try [("baseline", "1"), ("v3", "2"), ("v4", "3")].map { level, threads in
        let inputs = command == "stitch" ? parts : [parts[0], parts[0], parts[1]]
        let result = try Program.run(
          [command, "-y", "--threads", threads, "--output", output.path] + inputs, environment: ["RHEO_CPU": level])
        #expect(result.status == 0, "\(result.errors)")
        return try Data(contentsOf: output)
      }
      #expect(Set(bytes).count == 1, "\(command)")
    }
  }

  @Test(.enabled(if: FFmpegTools.areInstalled)) func aRangeOfAVideoIsStacked() throws {
    let video = folder.file("in.mkv")
    try Clips.moving(video, size: "160x120", frames: 12, encoding: ["-c:v", "ffv1"])
    let result = try Program.run(
      ["stack", video.path, "--output", output.path, "--model", "translation", "--start", "2f", "--frames", "5"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("mean of"), "\(result.errors)")
    #expect(try StillImage.rgb(contentsOf: output.path).size == PixelSize(width: 160, height: 120))
  }
}
