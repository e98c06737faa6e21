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
      let error = #expect(throws: MediaError.self, "\(filter)") { try annotation.run() }
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
    let error = #expect(throws: MediaError.self) {
      try annotation.run { progress in
        // The place of the output goes away before it is complete.
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
      let error = #expect(throws: MediaError.self) { try annotation.run() }
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
}
