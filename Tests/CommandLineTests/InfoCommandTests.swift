import Foundation
import Rheo
import TestSupport
import Testing

@Suite(.enabled(if: FFmpegTools.areInstalled)) struct InfoCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func object(_ file: URL) throws -> [String: Any] {
    let result = try Program.run(["info", file.path, "--json"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
  }

  /// FFmpeg's own way to name a file, which keeps colons in its name from being a protocol.
  @Test func addressesOfFilesAreTaken() throws {
    let file = folder.file("a:b.mkv")
    try Clips.moving(folder.file("a.mkv"), frames: 3)
    try FileManager.default.moveItem(at: folder.file("a.mkv"), to: file)
    for address in ["file:" + file.path, file.path] {
      let result = try Program.run(["info", address, "--json"])
      #expect(result.status == 0, "\(result.errors)")
    }
    let relative = try Program.shell(#"cd "$1" && "$rheo" info file:a:b.mkv --json"#, [folder.url.path])
    #expect(relative.status == 0, "\(relative.errors)")
  }

  /// Four vectors: lengths 5, 0 and 10, and one that is unknown.
  @Test func aFlowFileIsSummedUp() throws {
    let file = folder.file("four.flo")
    let vectors: [(u: Float, v: Float)] = [(3, -4), (0, 0), (.nan, .nan), (-6, 8)]
    try MiddleburyFlow.write(FlowField(width: 2, height: 2) { x, y in vectors[2 * y + x] }, to: file.path)
    let found = try object(file)
    #expect(found["kind"] as? String == "flow" && found["format"] as? String == "flo")
    #expect(found["width"] as? Int == 2 && found["height"] as? Int == 2 && found["fields"] as? Int == 1)
    #expect(found["unknownShare"] as? Double == 0.25)
    let (u, v) = (found["u"] as? [String: Double], found["v"] as? [String: Double])
    #expect(u == ["minimum": -6, "maximum": 3, "mean": -1])
    #expect(v?["minimum"] == -4 && v?["maximum"] == 8 && abs((v?["mean"] ?? 0) - 4.0 / 3) < 1e-12)
    let length = try #require(found["length"] as? [String: Double])
    #expect(length["mean"] == 5 && length["maximum"] == 10)
    #expect(abs((length["p50"] ?? 0) - 5) < 0.005 && length["p99"] == 10)
    let table = try Program.run(["info", file.path])
    for text in ["2×2", "25.00 %", "-6 … 3 px", "longest 10 px"] { #expect(table.text.contains(text), "\(text)") }
  }

  @Test func aFieldWithoutAKnownVectorHasNoMotion() throws {
    let file = folder.file("unknown.flo")
    try MiddleburyFlow.write(FlowField(width: 2, height: 1) { _, _ in (.nan, .nan) }, to: file.path)
    let found = try object(file)
    #expect(found["unknownShare"] as? Double == 1)
    #expect((found["length"] as? [String: Any])?["mean"] is NSNull)
    #expect(try Program.run(["info", file.path]).text.contains("100.00 %"))
  }

  @Test func aVideoIsDescribedAsFFprobeDoes() throws {
    let (file, chapters) = (folder.file("in.mp4"), folder.file("chapters.txt"))
    try ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=480\ntitle=The \"whole\"\n"
      .write(to: chapters, atomically: true, encoding: .utf8)
    try FFmpegTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=66x50:rate=30000/1001", "-f", "lavfi", "-i", "sine=sample_rate=22050", "-i",
      chapters.path, "-frames:v", "12", "-t", "0.4", "-vf",
      "format=yuv420p,setsar=4/3,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709", "-c:v",
      "libx264", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
      "-c:a", "aac", file.path,
    ])
    let found = try object(file)
    let streams = try #require(found["streams"] as? [[String: Any]])
    #expect(
      found["kind"] as? String == "media" && streams.prefix(2).map { $0["kind"] as? String } == ["video", "audio"])
    let names = [
      "codec": "codec_name", "pixelFormat": "pix_fmt", "timeBase": "time_base", "width": "width", "height": "height",
      "frames": "nb_frames", "frameRate": "avg_frame_rate", "colorRange": "color_range", "colorMatrix": "color_space",
      "colorPrimaries": "color_primaries", "colorTransfer": "color_transfer", "chromaLocation": "chroma_location",
      "profile": "profile", "bitRate": "bit_rate",
    ]
    for (name, probed) in names {
      let value = try FFmpegTools.videoValue(file, probed)
      #expect(streams[0][name].map { "\($0)" } == value, "\(name)")
    }
    #expect(streams[0]["sampleAspectRatio"] as? String == "4/3")
    #expect(streams[0]["rotation"] as? Int == 0 && streams[0]["mirrored"] as? Bool == false)
    let length = try FFmpegTools.videoValue(file, "duration").flatMap { Double($0) }
    #expect(abs((streams[0]["duration"] as? Double ?? 0) - (length ?? 99)) < 1e-6)
    #expect(streams[1]["sampleRate"] as? Int == 22050 && streams[1]["channels"] as? Int == 1)
    #expect(streams[1]["channelLayout"] as? String == "mono")
    let marks = try #require(found["chapters"] as? [[String: Any]])
    let end = try FFmpegTools.probe(file, "chapter=end_time").first?.first.flatMap { Double($0) }
    #expect(marks.count == 1 && marks[0]["title"] as? String == "The \"whole\"" && marks[0]["end"] as? Double == end)
    let table = try Program.run(["info", file.path])
    for text in ["66×50", "yuv420p", "29.97 fps", "4:3", "12 frames", "h264", "aac", "22050 Hz", "chapter 1"] {
      #expect(table.text.contains(text), "\(text)")
    }
  }

  /// A camera that was held upright stores its image lying: 90° clockwise, EXIF's 6, puts it up.
  @Test func thePhotographsOrientationIsShown() throws {
    let file = folder.file("photograph.jpg")
    try FFmpegTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=64x48", "-frames:v", "1", file.path])
    let plain = try #require((try object(file)["streams"] as? [[String: Any]])?.first)
    #expect(plain["exifOrientation"] as? Int == 1 && plain["rotation"] as? Int == 0)
    try Photographs.tag(file, with: .right)
    let stream = try #require((try object(file)["streams"] as? [[String: Any]])?.first)
    #expect(stream["exifOrientation"] as? Int == 6 && stream["rotation"] as? Int == 90)
    #expect(stream["mirrored"] as? Bool == false && stream["width"] as? Int == 64)
    let table = try Program.run(["info", file.path])
    for text in ["EXIF 6 (right)", "turned by 90° clockwise", "64×48"] { #expect(table.text.contains(text), "\(text)") }
  }

  @Test func whatIsNoMediaFileIsAnError() throws {
    let file = folder.file("text.mp4")
    try Data("no video".utf8).write(to: file)
    for name in [file.path, folder.file("absent.mp4").path, folder.file("absent.flo").path] {
      let result = try Program.run(["info", name])
      #expect(result.status == 1 && result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
    }
    #expect(try Program.run(["info"]).status == 64)
  }
}
