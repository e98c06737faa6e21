import CFFmpeg
import Foundation
import Imaging
import TestSupport
import Testing

@testable import VideoIO

/// Frames of every layout become luma and canvases without a change of their samples.
@Suite(.enabled(if: FFmpegTools.areInstalled)) struct PixelFormatTests {
  /// A still image with many colours, 16 bits deep: filters make all other formats of it.
  private static let source = Result {
    let folder = try TemporaryFolder()
    let file = folder.file("source.nut")
    try Clips.still(file, format: "yuv444p16le", size: "67x47", frames: 2)
    return (folder, file)
  }

  private func copy(through format: String, to encoded: String, _ output: URL) throws {
    let input = try Self.source.get().1
    let reader = try VideoReader(input.path, options: VideoReader.Options(filter: "format=\(format)"))
    #expect(try reader.videoFormat().pixelFormat == format)
    let options = EncoderOptions(codec: "ffv1", pixelFormat: encoded)
    let writer = try VideoWriter(output.path, options: options, source: reader)
    let maker = CanvasMaker(format: writer.canvasFormat)
    while let frame = try reader.nextFrame() { try writer.append(maker.canvas(for: frame)) }
    try writer.finish()
  }

  /// The format, the one to encode in, and the one in which both are compared.
  @Test(arguments: [
    ("gray", "gray", "gray"), ("gray10le", "gray10le", "gray10le"), ("gray12le", "gray12le", "gray12le"),
    ("gray16le", "gray16le", "gray16le"), ("gray16be", "gray16le", "gray16le"), ("ya8", "gray", "gray"),
    ("ya16le", "gray16le", "gray16le"), ("monob", "gray", "gray"),
    ("yuv410p", "yuv410p", "yuv410p"), ("yuv411p", "yuv411p", "yuv411p"), ("yuv420p", "yuv420p", "yuv420p"),
    ("yuv422p", "yuv422p", "yuv422p"), ("yuv440p", "yuv440p", "yuv440p"), ("yuv444p", "yuv444p", "yuv444p"),
    ("yuvj420p", "yuv420p", "yuvj420p"), ("yuvj444p", "yuv444p", "yuvj444p"), ("yuva420p", "yuv420p", "yuv420p"),
    ("yuv420p10le", "yuv420p10le", "yuv420p10le"), ("yuv422p10le", "yuv422p10le", "yuv422p10le"),
    ("yuv444p10le", "yuv444p10le", "yuv444p10le"), ("yuv420p12le", "yuv420p12le", "yuv420p12le"),
    ("yuv440p10le", "yuv440p10le", "yuv440p10le"), ("yuv420p16le", "yuv420p16le", "yuv420p16le"),
    ("yuv444p16be", "yuv444p16le", "yuv444p16le"), ("yuva444p10le", "yuv444p10le", "yuv444p10le"),
    ("nv12", "yuv420p", "yuv420p"), ("nv21", "yuv420p", "yuv420p"), ("nv24", "yuv444p", "yuv444p"),
    ("yuyv422", "yuv422p", "yuv422p"), ("uyvy422", "yuv422p", "yuv422p"), ("p010le", "yuv420p10le", "yuv420p10le"),
    ("p016le", "yuv420p16le", "yuv420p16le"), ("p210le", "yuv422p10le", "yuv422p10le"),
    ("ayuv64le", "yuv444p16le", "yuv444p16le"), ("rgb24", "bgr0", "rgb24"), ("bgr24", "bgr0", "rgb24"),
    ("rgba", "bgr0", "rgb24"), ("argb", "bgr0", "rgb24"), ("0rgb", "bgr0", "rgb24"), ("gbrp", "bgr0", "rgb24"),
    ("gbrap", "bgr0", "rgb24"), ("pal8", "bgr0", "rgb24"), ("rgb8", "bgr0", "rgb24"), ("rgb4_byte", "bgr0", "rgb24"),
    ("rgb565le", "bgr0", "rgb24"), ("rgb555le", "bgr0", "rgb24"), ("gbrp10le", "gbrp10le", "gbrp10le"),
    ("x2rgb10le", "gbrp10le", "gbrp10le"), ("rgb48le", "gbrp16le", "rgb48le"), ("bgr48be", "gbrp16le", "rgb48le"),
    ("rgba64le", "gbrp16le", "rgb48le"),
  ])
  func samplesComeThroughUnchanged(format: String, encoded: String, compared: String) throws {
    let folder = try TemporaryFolder()
    let output = folder.file("out.mkv")
    try copy(through: format, to: encoded, output)
    let expected = try FFmpegTools.samples(Self.source.get().1, as: compared, ["format=\(format)"])
    let actual = try FFmpegTools.samples(output, as: compared)
    #expect(actual.count == expected.count)
    #expect(actual == expected)
  }

  @Test(arguments: [
    ("yuv420p", "gray"), ("nv12", "gray"), ("yuyv422", "gray"), ("yuv410p", "gray"), ("yuvj444p", "gray"),
  ])
  func lumaIsTheStoredPlane(format: String, compared: String) throws {
    let reader = try VideoReader(
      try Self.source.get().1.path, options: VideoReader.Options(filter: "format=\(format)"))
    let luma = try LumaExtractor().luma(of: try #require(try reader.nextFrame()))
    let planes = ["format=\(format)", "format=yuv444p", "extractplanes=y"]
    let stored =
      format == "yuvj444p"
      ? try FFmpegTools.samples(try Self.source.get().1, as: "gray", ["format=yuvj444p", "extractplanes=y"])
      : try FFmpegTools.samples(try Self.source.get().1, as: "gray", planes)
    #expect(luma.pixels == stored.prefix(67 * 47).map { Float($0) })
  }

  @Test func deepLumaHasFractions() throws {
    let reader = try VideoReader(
      try Self.source.get().1.path, options: VideoReader.Options(filter: "format=yuv420p10le"))
    let luma = try LumaExtractor().luma(of: try #require(try reader.nextFrame()))
    let bytes = try FFmpegTools.samples(
      try Self.source.get().1, as: "gray10le", ["format=yuv420p10le", "extractplanes=y"])
    let words = stride(from: 0, to: 2 * 67 * 47, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    #expect(luma.pixels == words.map { Float($0) / 4 })
  }

  @Test func lumaOfRGBIsWeightedAndRounded() throws {
    for format in ["rgb24", "bgra", "pal8", "gbrp"] {
      let reader = try VideoReader(
        try Self.source.get().1.path, options: VideoReader.Options(filter: "format=\(format)"))
      let luma = try LumaExtractor().luma(of: try #require(try reader.nextFrame()))
      let bytes = try FFmpegTools.samples(try Self.source.get().1, as: "rgb24", ["format=\(format)"]).map { Float($0) }
      let expected = (0..<67 * 47).map { index -> Float in
        let (red, green, blue) = (bytes[3 * index], bytes[3 * index + 1], bytes[3 * index + 2])
        let sum: Float = 0.299 * red + 0.587 * green + 0.114 * blue
        return (sum + 0.5).rounded(.down)
      }
      #expect(luma.pixels == expected, "\(format)")
    }
  }

  /// The channels of the last frame are kept: those of another one must not be taken for them.
  @Test func anExtractorTellsFramesApart() throws {
    let reader = try VideoReader(
      try Self.source.get().1.path,
      options: VideoReader.Options(filter: "format=yuv444p,negate=enable='gt(n,0)',format=bgr0"))
    let extractor = LumaExtractor()
    let frames = [try #require(try reader.nextFrame()), try #require(try reader.nextFrame())]
    for frame in frames + frames.reversed() {
      let (luma, colors) = (try extractor.luma(of: frame), try #require(try extractor.chrominance(of: frame)))
      let alone = try #require(try LumaExtractor().chrominance(of: frame))
      #expect(luma.pixels == (try LumaExtractor().luma(of: frame)).pixels)
      #expect(colors.blueDifference.pixels == alone.blueDifference.pixels)
      #expect(colors.redDifference.pixels == alone.redDifference.pixels)
    }
    #expect(try extractor.luma(of: frames[0]).pixels != extractor.luma(of: frames[1]).pixels)
  }
}
