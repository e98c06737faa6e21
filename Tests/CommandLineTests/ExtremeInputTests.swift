import Foundation
import Rheo
import TestSupport
import Testing

/// Inputs at the ends of what there is: the table in docs/Extremes.md, line by line.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ExtremeInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs all commands that take a video; annotate and stabilize write every frame.
  private func expectAllCommands(_ input: URL, frames: Int, size: (Int, Int)) throws {
    let (drawn, steady, flow) = (folder.file("drawn.mkv"), folder.file("steady.mkv"), folder.file("flow"))
    for command in [
      ["annotate", input.path, drawn.path, "--codec", "ffv1", "--accuracy", "low"],
      ["stabilize", input.path, steady.path, "--codec", "ffv1"],
      ["export", input.path, "--output", flow.path, "--accuracy", "low"],
      ["detect", input.path, "--report", folder.file("r.json").path], ["track", input.path, "--auto"],
      ["info", input.path],
    ] {
      let result = try Program.run(command)
      #expect(result.status == 0, "\(command[0]): \(result.errors)")
    }
    for output in [drawn, steady] {
      let row = try FFmpegTools.probe(
        output, "stream=width,height,nb_read_frames", ["-count_frames", "-select_streams", "v:0"])
      #expect(row == [["\(size.0)", "\(size.1)", "\(frames)"]], "\(output.lastPathComponent)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: flow.path).filter { $0.hasSuffix(".flo") }
    #expect(files.count == frames - 1)
    let report = try JSONSerialization.jsonObject(with: try Data(contentsOf: folder.file("r.json"))) as? [String: Any]
    #expect(report != nil)
  }

  private func joined(_ name: String, _ parts: [URL]) throws -> URL {
    let file = folder.file(name)
    try parts.map { try Data(contentsOf: $0) }.reduce(Data(), +).write(to: file)
    return file
  }

  private func elementary(_ name: String, size: String = "64x48", _ encoding: [String] = []) throws -> URL {
    let file = folder.file(name + ".h264")
    try Clips.moving(file, size: size, frames: 4, encoding: ["-c:v", "libx264", "-bf", "0"] + encoding)
    return file
  }

  @Test(arguments: [(1, 1), (1, 4096), (16384, 16)]) func sizes(width: Int, height: Int) throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, size: "\(width)x\(height)", frames: 3, encoding: ["-c:v", "ffv1"])
    try expectAllCommands(input, frames: 3, size: (width, height))
  }

  /// Images are reduced for the analysis, not for what is drawn and written.
  @Test func eightK() throws {
    let (input, drawn) = (folder.file("in.mkv"), folder.file("drawn.mkv"))
    try Clips.moving(input, size: "7680x4320", frames: 2, encoding: ["-c:v", "mjpeg", "-q:v", "2"])
    for command in [
      ["annotate", input.path, drawn.path, "--codec", "mjpeg", "--accuracy", "low", "--max-dimension", "320"],
      ["detect", input.path], ["info", input.path],
    ] {
      let result = try Program.run(command)
      #expect(result.status == 0, "\(command[0]): \(result.errors)")
    }
    let row = try FFmpegTools.probe(
      drawn, "stream=width,height,nb_read_frames", ["-count_frames", "-select_streams", "v:0"])
    #expect(row == [["7680", "4320", "2"]])
  }

  /// A column of pixels with 16 bits a channel, beside one that is shifted.
  @Test func aNarrowImageOfSixteenBits() throws {
    let files = try [0, 2].map { shift in
      let file = folder.file("\(shift).png")
      let image = Plane<RGB16>(width: 1, height: 4096) { _, y in
        let position = Double(y + shift)
        let waves: (Double, Double) = (20000 * sin(position / 7), 10000 * sin(position / 31))
        let value = UInt16(32768 + waves.0 + waves.1)
        return RGB16(value, value, value)
      }
      try StillImage.writePNG(image, to: file.path)
      return file.path
    }
    #expect(try FFmpegTools.videoValue(folder.file("0.png"), "pix_fmt") == "rgb48be")
    let flow = folder.file("a.flo")
    let computed = try Program.run(["flow"] + files + ["--output", flow.path, "--accuracy", "low"])
    #expect(computed.status == 0, "\(computed.errors)")
    let field = try FlowFile.read(contentsOf: flow.path)
    var statistics = FlowStatistics()
    statistics.add(field)
    #expect(field.size == PixelSize(width: 1, height: 4096) && statistics.unknownCount == 0)
    #expect(abs(field.v[0, 2000] + 2) < 0.05)
    for method in ["automatic", "direct", "features"] {
      let result = try Program.run(["register", "--method", method] + files)
      #expect(result.status == 1 && result.text.contains("an image is too small"), "\(method): \(result.errors)")
    }
  }

  @Test func manyFramesASecond() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 24, rate: "240", encoding: ["-c:v", "ffv1"])
    try expectAllCommands(input, frames: 24, size: (64, 48))
  }

  @Test func oneFrame() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 1, encoding: ["-c:v", "ffv1"])
    try expectAllCommands(input, frames: 1, size: (64, 48))
  }

  /// A container with its header and nothing else.
  @Test(arguments: ["annotate", "stabilize", "export", "detect", "track"]) func noFrame(command: String) throws {
    let input = folder.file("in.mkv")
    try MatroskaFile.write([], times: [], nanosecondsPerTick: 1_000_000, to: input)
    let output = folder.file(command == "export" ? "out" : "out.mkv").path
    let arguments =
      switch command {
      case "annotate", "stabilize": [input.path, output]
      case "export": [input.path, "--output", output]
      case "track": [input.path, "--auto"]
      default: [input.path]
      }
    let result = try Program.run([command] + arguments)
    #expect(result.status == 1 && result.errors.contains("in.mkv: "), "\(result.errors)")
    #expect(folder.names == ["in.mkv"])
  }

  // MARK: Changes in the middle

  /// There and back: at the first size again nothing is scaled.
  @Test(arguments: [["64x48", "96x64", "64x48"], ["64x48", "32x96"], ["64x48", "96x64", "33x49", "64x48"]])
  func aSizeThatChanges(sizes: [String]) throws {
    let input = try joined("in.h264", sizes.enumerated().map { try elementary("\($0)", size: $1) })
    try expectAllCommands(input, frames: 4 * sizes.count, size: (64, 48))
  }

  @Test func aSizeThatChangesFromImageToImage() throws {
    let images = try MatroskaFile.images(3) + MatroskaFile.images(3, size: "128x32") + MatroskaFile.images(3)
    let input = folder.file("in.mkv")
    try MatroskaFile.write(
      images, times: (0..<9).map { 40 * $0 }, nanosecondsPerTick: 1_000_000, to: input)
    try expectAllCommands(input, frames: 9, size: (64, 48))
  }

  @Test func aPixelFormatThatChanges() throws {
    let other = try elementary("b", ["-pix_fmt", "yuv444p10le"])
    let first = try elementary("a", ["-pix_fmt", "yuv420p"])
    try expectAllCommands(try joined("in.h264", [first, other, first]), frames: 12, size: (64, 48))
  }

  @Test func aColorRangeThatChanges() throws {
    let other = try elementary("b", ["-pix_fmt", "yuvj420p", "-color_range", "pc"])
    let first = try elementary("a", ["-pix_fmt", "yuv420p"])
    try expectAllCommands(try joined("in.h264", [first, other, first]), frames: 12, size: (64, 48))
  }

  /// The images are turned upright, and brought to the size of the first.
  @Test func aRotationThatChanges() throws {
    let turned = try elementary("b", ["-bsf:v", "h264_metadata=display_orientation=insert:rotate=90"])
    let first = try elementary("a")
    try expectAllCommands(try joined("in.h264", [first, turned, first]), frames: 12, size: (64, 48))
    for name in ["drawn.mkv", "steady.mkv", "flow", "r.json"] {
      try FileManager.default.removeItem(at: folder.file(name))
    }
    try expectAllCommands(try joined("in.h264", [turned, first]), frames: 8, size: (48, 64))
  }

  @Test(arguments: ["annotate", "stabilize", "export", "detect", "track"])
  func aFilterThatChangesTheSizeIsAnError(command: String) throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 6, encoding: ["-c:v", "ffv1"])
    let output = folder.file(command == "export" ? "out" : "out.mkv").path
    let arguments =
      switch command {
      case "annotate", "stabilize": [input.path, output]
      case "export": [input.path, "--output", output]
      case "track": [input.path, "--auto"]
      default: [input.path]
      }
    let result = try Program.run([command] + arguments + ["--filter", "scale=w='64+16*gt(n,2)':h=48:eval=frame"])
    #expect(result.status == 64 && result.errors.contains("80×48 follows those of 64×48"), "\(result.errors)")
  }

  // MARK: Too much

  @Test func imagesOfMorePixelsThanAllowedAreRefused() throws {
    let input = folder.file("in.mkv")
    try Clips.moving(input, frames: 3, encoding: ["-c:v", "ffv1"])
    for command in [["annotate", input.path, folder.file("out.mkv").path], ["detect", input.path]] {
      let result = try Program.run(command + ["--max-pixels", "3071"])
      #expect(result.status == 64 && result.errors.contains("64×48 have more than 3071 pixels"), "\(result.errors)")
      #expect(try Program.run(command + ["--max-pixels", "3072"]).status == 0)
    }
    #expect(try Program.run(["detect", input.path, "--max-pixels", "0"]).status == 64)
    // In the middle it is damage.
    let mixed = folder.file("mixed.mkv")
    let images = try MatroskaFile.images(3) + MatroskaFile.images(3, size: "640x480") + MatroskaFile.images(3)
    try MatroskaFile.write(
      images, times: (0..<9).map { 40 * $0 }, nanosecondsPerTick: 1_000_000, to: mixed)
    let result = try Program.run(["detect", mixed.path, "--max-pixels", "3072"])
    #expect(result.status == 2 && result.errors.contains("6 frames"), "\(result.errors)")
  }

  /// A program with less address space than frames need says so, and leaves nothing: 24 megapixels are 96 MB as floats.
  @Test(arguments: ["annotate", "export", "stabilize"], [400, 500])
  func tooLittleMemoryIsAnError(command: String, megabytes: Int) throws {
    let input = folder.file("in.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:s=6000x4000", "-frames:v", "2", "-c:v", "mjpeg", input.path,
    ])
    let output = command == "export" ? "--output out" : "out.mkv"
    let result = try Program.shell(
      "cd \"$1\"; ulimit -v \(megabytes << 10); ulimit -c 0; exec \"$rheo\" \(command) in.mkv \(output)",
      [folder.url.path])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errorLines.last?.hasPrefix("rheo: ") == true, "\(result.errors)")
    // An export that has begun can be resumed.
    let left = folder.names.filter { $0 != "in.mkv" && !(command == "export" && $0 == "out") }
    #expect(left.isEmpty, "\(left)")
  }

  /// Samples of 576 MB out of a file of a megabyte; and a stream that does not end before the memory does.
  @Test func filesThatNoMemoryHoldsAreErrors() throws {
    let image = folder.file("flow.png")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:s=12000x8000,format=rgb48be", "-frames:v", "1", "-pix_fmt", "rgb48be",
      image.path,
    ])
    for command in [
      #""$rheo" info "$1""#, #""$rheo" convert "$1" "$2""#,
      #"head -c 900000000 /dev/zero | "$rheo" convert - "$2" --from flo"#,
    ] {
      let result = try Program.shell(
        "ulimit -v \(600 << 10); ulimit -c 0; \(command)", [image.path, folder.file("out.pfm").path])
      #expect(result.status == 1 && result.errors.contains("there is no memory for"), "\(command): \(result.errors)")
    }
    #expect(folder.names == ["flow.png"])
  }

  /// The first look at the size comes before all work.
  @Test func imagesThatNoMemoryHoldsAreRefused() throws {
    let input = folder.file("in.mkv")
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:s=12000x8000,format=gray", "-frames:v", "1", "-c:v", "ffv1", input.path,
    ])
    let result = try Program.shell(
      "ulimit -v \(600 << 10); ulimit -c 0; exec \"$rheo\" detect \"$1\"", [input.path])
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("no memory for images of 12000×8000, 366 MB"), "\(result.errors)")
  }
}
