import Foundation
import Rheo
import TestSupport
import Testing

/// Sizes, shapes, colours and kinds of images on their way through the pipeline.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct ImagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func values(_ file: URL, _ names: String) throws -> [String] {
    let output = try ChildProcess.run(
      "ffprobe",
      ["-loglevel", "quiet", "-select_streams", "v:0", "-of", "default=nk=0:nw=1", "-show_entries", "stream=\(names)"]
        + [file.path])
    let pairs = output.text.split(whereSeparator: \.isNewline).map { $0.split(separator: "=", maxSplits: 1) }
    let byName = Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    return names.split(separator: ",").map { byName[String($0)] ?? "absent" }
  }

  // MARK: Sizes

  @Test(arguments: [("101x67", "102", "68"), ("642x641", "642", "642"), ("64x47", "64", "48"), ("1x1", "2", "2")])
  func oddSizesArePaddedForH264(size: String, width: String, height: String) throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mp4"))
    try Clips.still(input, format: "yuv420p", size: size)
    let report = try Annotation.quick(input, output)
    #expect(report.notes.contains { $0.contains("is padded to \(width)×\(height)") }, "\(report.notes)")
    #expect(try values(output, "width,height") == [width, height])
  }

  /// A lossless encoder shows the padding as it is; its quantiser is the one asked for.
  @Test func paddingRepeatsTheLastColumnAndRow() throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try Clips.still(input, format: "yuv420p", size: "101x67")
    _ = try Annotation.quick(input, output) {
      $0.encoding.codec = "libx264"
      $0.encoding.encoderOptions = [("qp", "0")]
    }
    let inside = try FFmpegTools.samples(input, as: "gray", ["extractplanes=y"])
    let padded = [UInt8](try FFmpegTools.samples(output, as: "gray", ["extractplanes=y"]))
    let image = (0..<67).map { y in Array([UInt8](inside)[101 * y..<101 * y + 101]) }
    let rows = (0..<68).map { y in Array(padded[102 * y..<102 * y + 102]) }
    for y in 0..<67 {
      #expect(Array(rows[y].prefix(101)) == image[y])
      #expect(rows[y][101] == image[y][100])
    }
    #expect(rows[67] == rows[66])
  }

  @Test(arguments: [
    ("101x67", "mkv", "ffv1"), ("642x641", "webm", "libvpx-vp9"), ("1x1", "mkv", "ffv1"), ("1x9", "png", nil),
  ])
  func otherEncodersKeepOddSizes(size: String, ending: String, codec: String?) throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.\(ending)"))
    try Clips.still(input, format: "yuv420p", size: size, frames: ending == "png" ? 1 : 2)
    let report = try Annotation.quick(input, output) {
      $0.encoding.codec = codec
      $0.encoding.preset = nil
    }
    #expect(!report.notes.contains { $0.contains("padded") }, "\(report.notes)")
    #expect(try values(output, "width,height").joined(separator: "x") == size)
  }

  @Test(arguments: RenderingStyle.allCases, ["1x1", "2x1", "1x2", "3x5", "17x16"])
  func everyStyleDrawsOnSmallImages(style: RenderingStyle, size: String) throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try Clips.still(input, format: "yuv420p", size: size)
    let report = try Annotation.quick(input, output) {
      $0.rendering = RenderingOptions(style: style)
      $0.rendering.legend = true
      $0.rendering.hud = true
      $0.encoding.codec = "ffv1"
      $0.encoding.preset = nil
    }
    #expect(report.frames == 3)
  }

  @Test func aChangeOfSizeInMidStreamIsScaledToTheFirstSize() throws {
    let (first, second, both) = (folder.file("1.ts"), folder.file("2.ts"), folder.file("both.ts"))
    let encoding = ["-c:v", "libx264", "-preset", "ultrafast"]
    try Clips.moving(first, size: "96x64", encoding: encoding)
    try Clips.moving(second, size: "160x120", encoding: encoding + ["-output_ts_offset", "0.4"])
    try (Data(contentsOf: first) + Data(contentsOf: second)).write(to: both)
    let output = folder.file("out.mkv")
    let report = try Annotation.quick(both, output)
    #expect(report.frames == 20)
    #expect(try FFmpegTools.probe(output, "frame=width,height").allSatisfy { $0.prefix(2) == ["96", "64"] })
    #expect(try FFmpegTools.frameTimes(output).count == 20)
    // With a filter of the user's, too.
    let filtered = try Annotation.quick(both, folder.file("filtered.mkv")) { $0.reading.filter = "scale=iw/2:-2" }
    #expect(filtered.frames == 20)
    #expect(try values(folder.file("filtered.mkv"), "width,height") == ["48", "32"])
  }

  // MARK: Tags

  @Test(arguments: ["mp4", "mkv", "mov"]) func theShapeOfPixelsIsKept(ending: String) throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.\(ending)"))
    try Clips.moving(input, filters: ["setsar=16/11"], encoding: ["-c:v", "libx264"])
    _ = try Annotation.quick(input, output)
    #expect(try values(output, "sample_aspect_ratio") == ["16:11"])
  }

  @Test(arguments: ["mp4", "mkv", "webm", "mov"]) func colourTagsAreKept(ending: String) throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.\(ending)"))
    // FFmpeg up to 6 takes them from the options of the encoder, later ones from the images.
    let tags = [
      "-color_primaries", "bt2020", "-color_trc", "arib-std-b67", "-colorspace", "bt2020nc", "-color_range", "tv",
    ]
    let filter = "setparams=color_primaries=bt2020:color_trc=arib-std-b67:colorspace=bt2020nc:range=tv"
    try Clips.moving(input, filters: [filter], encoding: ["-c:v", "libx264"] + tags)
    _ = try Annotation.quick(input, output)
    let names = "color_space,color_transfer,color_primaries,color_range"
    #expect(try values(output, names) == ["bt2020nc", "arib-std-b67", "bt2020", "tv"])
  }

  @Test func fullRangeIsKept() throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.mkv"))
    try Clips.still(folder.file("still.nut"), format: "yuv420p")
    try FFmpegTools.ffmpeg(["-i", folder.file("still.nut").path, "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", input.path])
    _ = try Annotation.quick(input, output) {
      $0.encoding.codec = "ffv1"
      $0.encoding.preset = nil
    }
    #expect(try values(output, "color_range") == ["pc"])
    #expect(try FFmpegTools.samples(output, as: "yuvj420p") == FFmpegTools.samples(input, as: "yuvj420p"))
  }

  @Test(arguments: [("1", "tt"), ("0", "bb")], [("mp4", "libx264"), ("mkv", "libx264"), ("mpg", "mpeg2video")])
  func interlacedImagesStayInterlaced(top: (flag: String, order: String), output: (ending: String, codec: String))
    throws
  {
    let (input, file) = (folder.file("in.ts"), folder.file("out.\(output.ending)"))
    try Clips.moving(
      input, size: "128x96", encoding: ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", top.flag])
    _ = try Annotation.quick(input, file) {
      $0.encoding.codec = output.codec
      if output.codec != "libx264" { $0.encoding.preset = nil }
    }
    let frames = try FFmpegTools.probe(file, "frame=interlaced_frame,top_field_first").map { Array($0.prefix(2)) }
    #expect(frames.count == 10 && frames.allSatisfy { $0 == ["1", top.flag] }, "\(frames)")
  }

  @Test(arguments: [("1", "tt"), ("0", "bb")]) func theContainerKnowsTheOrderOfTheFields(top: String, order: String)
    throws
  {
    let (input, output) = (folder.file("in.ts"), folder.file("out.mkv"))
    try Clips.moving(input, size: "128x96", encoding: ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", top])
    _ = try Annotation.quick(input, output) {
      $0.encoding.codec = "ffv1"
      $0.encoding.preset = nil
    }
    #expect(try values(output, "field_order") == [order])
  }

  @Test func deinterlacingMakesProgressiveImages() throws {
    let (input, output) = (folder.file("in.mp4"), folder.file("out.mp4"))
    try Clips.moving(
      input, size: "128x96", filters: ["setfield=tff"], encoding: ["-c:v", "libx264", "-flags", "+ildct+ilme"])
    _ = try Annotation.quick(input, output) { $0.reading.filter = "yadif" }
    #expect(try FFmpegTools.probe(output, "frame=interlaced_frame").allSatisfy { $0.first == "0" })
  }

  @Test(.enabled(if: TestData.has("video/hlg10-color-test.mp4"), "needs the test data"))
  func tenBitsOfHighDynamicRangeStayTenBits() throws {
    let input = try TestData.url("video/hlg10-color-test.mp4")
    let output = folder.file("out.mkv")
    let report = try Annotation.quick(input, output) {
      $0.reading.filter = "crop=320:200"
      $0.encoding.codec = "ffv1"
      $0.encoding.preset = nil
    }
    #expect(report.frames == 9)
    #expect(try values(output, "pix_fmt,color_transfer,color_primaries") == ["yuv420p10le", "arib-std-b67", "bt2020"])
  }

  // MARK: Still images

  /// Nothing moves, so nothing is drawn: the samples are those of the input.
  @Test(arguments: [
    "gray", "gray10le", "yuv410p", "yuv411p", "yuv420p", "yuv422p", "yuv440p", "yuv444p", "yuv420p10le", "yuv444p12le",
    "gbrp10le",
  ])
  func imagesThatDoNotMoveComeThroughUnchanged(format: String) throws {
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try Clips.still(folder.file("still.nut"), format: format, size: "101x67")
    try FFmpegTools.ffmpeg(["-i", folder.file("still.nut").path, "-c:v", "ffv1", input.path])
    _ = try Annotation.quick(input, output) {
      $0.encoding.codec = "ffv1"
      $0.encoding.preset = nil
      $0.encoding.pixelFormat = format
    }
    #expect(try FFmpegTools.samples(output, as: format) == FFmpegTools.samples(input, as: format))
  }

  @Test(arguments: ["png", "bmp", "jpg", "tiff"]) func anImageBecomesAnImage(ending: String) throws {
    let (input, output) = (folder.file("in.\(ending)"), folder.file("out.\(ending)"))
    try Clips.moving(input, size: "101x67", frames: 1)
    let report = try Annotation.quick(input, output) { $0.encoding.preset = nil }
    #expect(report.frames == 1)
    #expect(report.notes.contains { $0.contains("one frame only") })
    #expect(try values(output, "width,height") == ["101", "67"])
    if ending != "jpg" {
      #expect(try FFmpegTools.samples(output, as: "rgb24") == FFmpegTools.samples(input, as: "rgb24"))
    }
  }

  @Test func sequencesOfImagesInAndOut() throws {
    try Clips.moving(folder.file("in%03d.png"))
    let output = folder.file("out%02d.png")
    let report = try Annotation.quick(folder.file("in%03d.png"), output) { $0.encoding.preset = nil }
    #expect(report.frames == 10)
    let names = folder.names.filter { $0.hasPrefix("out") }
    #expect(names == (1...10).map { String(format: "out%02d.png", $0) })
    let back = try Annotation.quick(output, folder.file("back.mp4"))
    #expect(back.frames == 10)
  }

  @Test func animatedGIFsInAndOut() throws {
    let (input, output) = (folder.file("in.gif"), folder.file("out.gif"))
    try Clips.moving(input, rate: "10")
    let report = try Annotation.quick(input, output) { $0.encoding.preset = nil }
    #expect(report.frames == 10)
    #expect(try FFmpegTools.frameTimes(output) == FFmpegTools.frameTimes(input))
    let video = folder.file("out.mp4")
    #expect(try Annotation.quick(input, video).frames == 10)
    #expect(try FFmpegTools.frameTimes(video) == FFmpegTools.frameTimes(input))
  }
}
