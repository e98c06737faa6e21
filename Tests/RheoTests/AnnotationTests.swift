import Foundation
import Rheo
import Synchronization
import TestSupport
import Testing

/// The pipeline as a whole, on clips that it draws itself.
@Suite struct AnnotationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(
    _ name: String = "in.mkv", frames: Int = 8, size: PixelSize = PixelSize(width: 64, height: 48)
  ) throws -> URL {
    let file = folder.file(name)
    let scene = try Scene(SceneParameters(name: .pan, size: size, frameCount: frames))
    _ = try SceneRecorder(
      scene: scene, output: file.path, truthFolder: nil, encoding: EncoderOptions(preset: "ultrafast")
    ).run()
    return file
  }

  @Test func progressIsReportedOncePerFrame() throws {
    let annotation = Annotation(input: try clip().path, output: folder.file("out.mp4").path)
    var frames: [Int] = []
    var seconds: [Double] = []
    let report = try annotation.run { progress in
      frames.append(progress.frames)
      seconds.append(progress.mediaSeconds)
      #expect(progress.estimatedFrames == 8)
      #expect(progress.elapsed > 0)
    }
    #expect(frames == Array(1...8))
    #expect(zip(seconds, (0..<8).map { Double($0) / 25 }).allSatisfy { abs($0 - $1) < 1e-6 }, "\(seconds)")
    #expect(report.frames == 8)
    #expect(report.pairs == 7)
    #expect(report.gaps.isEmpty && !report.wasInterrupted)
    #expect(Set(report.stageSeconds.keys) == Set(PipelineStage.allCases))
  }

  @Test func anInterruptionCompletesTheOutput() throws {
    let output = folder.file("out.mkv")
    let annotation = Annotation(input: try clip(frames: 60).path, output: output.path)
    let interruption = Interruption()
    let report = try annotation.run(interruption: interruption) { if $0.frames == 3 { interruption.set() } }
    #expect(report.wasInterrupted)
    #expect(report.frames >= 3 && report.frames < 60)
    let reader = try VideoReader(output.path)
    var count = 0
    while try reader.nextFrame() != nil { count += 1 }
    #expect(count == report.frames)
  }

  @Test func workThatWasInterruptedBeforeItBeganStillEndsProperly() throws {
    let output = folder.file("out.mkv")
    let interruption = Interruption()
    interruption.set()
    let report = try Annotation(input: try clip().path, output: output.path).run(interruption: interruption)
    #expect(report.wasInterrupted)
    #expect(report.frames <= 1)
  }

  @Test func aFilterThatDoesNotWorkLeavesNoOutput() throws {
    var annotation = Annotation(input: try clip().path, output: folder.file("out.mp4").path)
    for filter in ["sparkle", "crop=1000:1000", "", "split"] {
      annotation.reading.filter = filter
      let error = thrown(MediaError.self, "\(filter)") { try annotation.run() }
      #expect(error?.code == .invalidOption, "\(filter): \(String(describing: error))")
      #expect(folder.names == ["in.mkv"])
    }
  }

  /// The failure comes while all stages are busy.
  @Test func aStageThatFailsInMidStreamLeavesNoOutput() throws {
    let output = folder.file("nowhere")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    let annotation = Annotation(
      input: try clip(frames: 30).path, output: output.appendingPathComponent("out.mp4").path)
    let error = thrown(MediaError.self) {
      try annotation.run { progress in
        // The folder of the output goes away before it is complete.
        if progress.frames == 3 { try? FileManager.default.removeItem(at: output) }
      }
    }
    #expect(error?.code == .cannotWrite)
    #expect(error?.file?.hasSuffix("out.mp4") == true)
    #expect(folder.names == ["in.mkv"])
  }

  @Test func anEncoderThatRefusesLeavesNoOutput() throws {
    let input = try clip(size: PixelSize(width: 66, height: 50))
    let refusals: [(EncoderOptions, MediaError.Code)] = [
      (EncoderOptions(codec: "h263"), .noEncoder), (EncoderOptions(codec: "sparkle"), .invalidOption),
      (EncoderOptions(pixelFormat: "pal8"), .invalidOption), (EncoderOptions(codec: "mpeg4", crf: 20), .invalidOption),
      (EncoderOptions(codec: "mpeg4", preset: "fast"), .invalidOption),
    ]
    for (options, code) in refusals {
      let annotation = Annotation(input: input.path, output: folder.file("out.avi").path, encoding: options)
      let error = thrown(MediaError.self) { try annotation.run() }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.file?.hasSuffix("out.avi") == true)
      #expect(folder.names == ["in.mkv"])
    }
  }

  @Test func everyStyleWritesEveryFrame() throws {
    let input = try clip()
    for style in RenderingStyle.allCases {
      let report = try Annotation(
        input: input.path, output: folder.file("\(style.rawValue).mp4").path,
        rendering: RenderingOptions(style: style)
      ).run()
      #expect(report.frames == 8)
      let width = try VideoReader(folder.file("\(style.rawValue).mp4").path).videoFormat().size.width
      #expect(width == (style == .sideBySide ? 128 : 64))
    }
  }

  @Test func threadsDoNotChangeTheBytes() throws {
    let input = try clip(size: PixelSize(width: 160, height: 120))
    let files = try [1, 2, 3, 7].map { threads in
      let output = folder.file("out\(threads).mkv")
      _ = try Annotation(
        input: input.path, output: output.path, parallelism: Parallelism(threadCount: threads)
      ).run()
      return try Data(contentsOf: output)
    }
    #expect(files.dropFirst().allSatisfy { $0 == files[0] })
  }

  /// A still camera before a still wall: nothing is drawn over it.
  @Test func aStillSceneIsLeftAlone() throws {
    let file = folder.file("still.mkv")
    let lossless = EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p")
    let scene = try Scene(SceneParameters(name: .still, size: PixelSize(width: 64, height: 48), frameCount: 3))
    _ = try SceneRecorder(scene: scene, output: file.path, truthFolder: nil, encoding: lossless).run()
    let output = folder.file("out.mkv")
    _ = try Annotation(input: file.path, output: output.path, encoding: lossless).run()
    let (before, after) = (try VideoReader(file.path), try VideoReader(output.path))
    let extractor = LumaExtractor()
    for _ in 0..<3 {
      let (a, b) = (try #require(try before.nextFrame()), try #require(try after.nextFrame()))
      #expect(try extractor.luma(of: a).bits == extractor.luma(of: b).bits)
      #expect(a.presentationTime == b.presentationTime)
    }
    #expect(try before.nextFrame() == nil)
    #expect(try after.nextFrame() == nil)
  }

  /// Draws frames of a clip of two scenes, whose second one begins with frame 6, as they are.
  private func cutClip() throws -> URL {
    let file = folder.file("cut.mkv")
    let size = PixelSize(width: 96, height: 64)
    let scenes = [
      try Scene(SceneParameters(name: .pan, size: size, frameCount: 12)),
      try Scene(SceneParameters(name: .pan, size: size, frameCount: 12, seed: 9)),
    ]
    let writer = try VideoWriter(
      file.path, options: EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p"), size: size,
      frameRate: Rational(25, 1))
    let maker = CanvasMaker(format: writer.canvasFormat)
    for frame in 0..<12 {
      let image = scenes[frame < 6 ? 0 : 1].frame(frame)
      try writer.append(
        maker.canvas(
          for: VideoFrame(
            image: image, number: frame, presentationTime: MediaTime(value: Int64(frame), timeBase: Rational(1, 25)))))
    }
    try writer.finish()
    return file
  }

  private func lumas(_ file: URL) throws -> [Plane<Float>] {
    let (reader, extractor) = (try VideoReader(file.path), LumaExtractor())
    var found: [Plane<Float>] = []
    while let frame = try reader.nextFrame() { found.append(try extractor.luma(of: frame)) }
    return found
  }

  /// The last frame before a cut shows no motion: from one scene to another nothing moves.
  @Test func theLastFrameBeforeACutIsLeftAlone() throws {
    let (input, output) = (try cutClip(), folder.file("out.mkv"))
    _ = try Annotation(
      input: input.path, output: output.path, encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p")
    ).run()
    let (before, after) = (try lumas(input), try lumas(output))
    #expect(before.count == 12 && after.count == 12)
    let untouched = before.indices.filter { before[$0].bits == after[$0].bits }
    #expect(untouched == [5, 11])
  }

  @Test(arguments: [RenderingStyle.occlusion, .contours, .saliency])
  func whatMovesBeforeAStillGroundIsMarked(style: RenderingStyle) throws {
    let file = folder.file("objects.mkv")
    let lossless = EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p", overwrites: true)
    let scene = try Scene(SceneParameters(name: .objects, size: PixelSize(width: 320, height: 180), frameCount: 3))
    _ = try SceneRecorder(scene: scene, output: file.path, truthFolder: nil, encoding: lossless).run()
    let bytes = try [1, 3].map { threads in
      let output = folder.file("out.mkv")
      _ = try Annotation(
        input: file.path, output: output.path, rendering: RenderingOptions(style: style), encoding: lossless,
        parallelism: Parallelism(threadCount: threads)
      ).run()
      let (before, after) = (try lumas(file)[0], try lumas(output)[0])
      var changed = 0
      for y in 0..<180 { for x in 0..<320 where before[x, y] != after[x, y] { changed += 1 } }
      #expect((100...(320 * 180 / 2)).contains(changed), "\(style): \(changed) pixels")
      return try Data(contentsOf: output)
    }
    #expect(bytes[0] == bytes[1])
  }

  @Test func trailsGrowWithTheVideo() throws {
    let file = folder.file("objects.mkv")
    let lossless = EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p", overwrites: true)
    let scene = try Scene(SceneParameters(name: .objects, size: PixelSize(width: 320, height: 180), frameCount: 8))
    _ = try SceneRecorder(scene: scene, output: file.path, truthFolder: nil, encoding: lossless).run()
    var rendering = RenderingOptions(style: .contours)
    func drawn(threads: Int) throws -> [Plane<Float>] {
      let output = folder.file("out.mkv")
      _ = try Annotation(
        input: file.path, output: output.path, rendering: rendering, encoding: lossless,
        parallelism: Parallelism(threadCount: threads)
      ).run()
      return try lumas(output)
    }
    let without = try drawn(threads: 2)
    rendering.trails = true
    let with = try drawn(threads: 1)
    let changed = without.indices.map { frame in
      zip(without[frame].bits, with[frame].bits).count { $0 != $1 }
    }
    #expect(changed[0] == 0 && changed[2] > 0 && changed[7] > 2 * changed[2], "\(changed)")
    #expect(try drawn(threads: 3).map(\.bits) == with.map(\.bits))
  }

  /// The analysis sees what the filter makes of the frames, the output shows the frames.
  @Test func theAnalysisFilterIsForTheAnalysisAlone() throws {
    let input = try clip()
    let lossless = EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p", overwrites: true)
    var annotation = Annotation(input: input.path, output: folder.file("out.mkv").path, encoding: lossless)
    // An even image does not move.
    annotation.analysisFilter = "geq=lum=128:cb=128:cr=128"
    _ = try annotation.run()
    let (before, after) = (try lumas(input), try lumas(folder.file("out.mkv")))
    #expect(before.map(\.bits) == after.map(\.bits))
    annotation.analysisFilter = nil
    _ = try annotation.run()
    #expect(try lumas(folder.file("out.mkv"))[0].bits != before[0].bits)
  }

  @Test(arguments: ["sparkle", "scale=32:24", "tmix=frames=3,select=gt(n\\,3)", "split"])
  func anAnalysisFilterThatDoesNotFitLeavesNoOutput(filter: String) throws {
    var annotation = Annotation(input: try clip().path, output: folder.file("out.mkv").path)
    annotation.analysisFilter = filter
    let error = thrown(MediaError.self, "\(filter)") { try annotation.run() }
    #expect(error?.code == .invalidOption, "\(String(describing: error))")
    #expect(folder.names == ["in.mkv"])
  }

  @Test func theContactSheetHasMomentsOfTheOutput() throws {
    let sheet = folder.file("sheet.png")
    var annotation = Annotation(input: try clip(frames: 20).path, output: folder.file("out.mkv").path)
    (annotation.contactSheet, annotation.momentCount) = (sheet.path, 4)
    _ = try annotation.run()
    // Two by two images of 64×48, with 6 pixels around each, are the nearest to the shape of a screen.
    #expect(try StillImage.rgb(contentsOf: sheet.path).size == PixelSize(width: 2 * 70 + 6, height: 2 * 54 + 6))
    annotation.encoding.overwrites = false
    annotation.output = folder.file("other.mkv").path
    let error = thrown(MediaError.self) { try annotation.run() }
    #expect(error?.code == .outputExists)
    #expect(!folder.names.contains("other.mkv"))
  }

  /// Depth and chroma of the source are kept where the encoder takes them, or a note says what was lost.
  @Test(arguments: [
    ("yuv420p10le", "libx264", "yuv420p10le", nil), ("yuv422p", "libx264", "yuv422p", nil),
    ("yuv444p10le", "libx264", "yuv444p10le", nil), ("yuv444p", "ffv1", "yuv444p", nil),
    ("yuv422p12le", "ffv1", "yuv422p12le", nil), ("yuv420p12le", "libx264", "yuv420p10le", "12 bits become 10"),
    ("yuv444p10le", "mpeg4", "yuv420p", "10 bits become 8, colours become smaller"),
    ("yuv420p", "libx264", "yuv420p", nil),
  ])
  func theSourceKeepsItsDepthAndChroma(source: String, codec: String, expected: String, note: String?) throws {
    let file = folder.file("deep.mkv")
    let scene = try Scene(SceneParameters(name: .pan, size: PixelSize(width: 64, height: 48), frameCount: 3))
    _ = try SceneRecorder(
      scene: scene, output: file.path, truthFolder: nil, encoding: EncoderOptions(codec: "ffv1", pixelFormat: source)
    ).run()
    #expect(try VideoReader(file.path).videoFormat().pixelFormat == source)
    let encoding = EncoderOptions(codec: codec, overwrites: true)
    let annotated = folder.file("annotated.mkv")
    let notes = try Annotation(input: file.path, output: annotated.path, encoding: encoding).run().notes
    let steady = folder.file("steady.mkv")
    let steadyNotes = try Stabilization(input: file.path, output: steady.path, encoding: encoding).run().notes
    for (output, notes) in [(annotated, notes), (steady, steadyNotes)] {
      #expect(try VideoReader(output.path).videoFormat().pixelFormat == expected)
      let losses = notes.filter { $0.contains("is stored as") }
      #expect(losses == (note.map { ["\(source) is stored as \(expected): \($0)"] } ?? []), "\(notes)")
    }
  }
}
