import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Handlers take images in whatever form a program has them, and find the same in all of them.
@Suite struct ImageSourceTests {
  private static let size = PixelSize(width: 96, height: 64)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A coloured texture, shifted by some pixels.
  private static func colors(_ shift: Double) -> Plane<RGBA8> {
    let channels = [Texture(seed: 3), Texture(seed: 4), Texture(seed: 5)]
    return Plane(width: size.width, height: size.height) { x, y in
      let values = channels.map { UInt8($0.value(Double(x) - shift, Double(y))) }
      return RGBA8(values[0], values[1], values[2])
    }
  }

  private static func frame(_ number: Int) throws -> VideoFrame {
    try VideoFrame(
      image: colors(1.5 * Double(number)), number: number,
      presentationTime: MediaTime(value: Int64(number), timeBase: Rational(1, 25)))
  }

  /// The pixels of an image with rows `stride` bytes apart.
  private static func bytes(_ image: Plane<RGBA8>, stride: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 99, count: stride * image.height)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let pixel = image[x, y]
        bytes.replaceSubrange(y * stride + 4 * x..<y * stride + 4 * x + 4, with: [pixel.r, pixel.g, pixel.b, 7])
      }
    }
    return bytes
  }

  @Test func everyFormOfAnImageHasOneLuma() throws {
    let frame = try Self.frame(1)
    let luma = try LumaExtractor().luma(of: frame)
    #expect(try frame.luma(parallelism: .serial) == luma)
    let stride = 4 * Self.size.width + 12
    let plane = try Self.bytes(Self.colors(1.5), stride: stride).withUnsafeBytes {
      try Plane.luma(of: $0, layout: .rgba8, size: Self.size, stride: stride)
    }
    #expect(plane == luma)
    let file = folder.file("image.png")
    try StillImage.writePNG(Self.colors(1.5), to: file.path)
    #expect(try file.luma(parallelism: .serial) == luma)
    #expect(try Data(contentsOf: file).luma(parallelism: .serial) == luma)
  }

  /// Nobody else can open the bytes, and nothing of them stays when the program is killed.
  @Test func encodedImagesLieUnderNoName() throws {
    let file = folder.file("large.png")
    let image = Plane<RGBA8>(width: 3000, height: 2000) { x, y in
      RGBA8(UInt8(truncatingIfNeeded: x * y), UInt8(truncatingIfNeeded: x ^ y), UInt8(truncatingIfNeeded: x + y))
    }
    try StillImage.writePNG(image, to: file.path)
    let data = try Data(contentsOf: file)
    let (isDone, seen) = (SharedValue(false), SharedValue<[String]>([]))
    let watcher = Thread {
      while !isDone.value {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())) ?? []
        seen.value += names.filter { UUID(uuidString: $0) != nil }
      }
    }
    watcher.start()
    let luma = try data.luma(parallelism: .serial)
    isDone.value = true
    while !watcher.isFinished { usleep(1000) }
    let expected = try file.luma(parallelism: .serial)
    #expect(luma == expected && seen.value.isEmpty)
    let error = thrown(AnalysisError.self) { try Data("no image".utf8).luma(parallelism: .serial) }
    #expect(error?.code == .unreadableImage)
  }

  /// A decoded NV12 frame has the luma of its buffer: Y as it is stored.
  @Test func framesOfNV12AgreeWithTheirBuffers() throws {
    let clip = URL(fileURLWithPath: #filePath)  // Tests/RheoTests/ImageSourceTests.swift
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Samples/clip.mp4").path
    func first(_ format: String) throws -> VideoFrame {
      let reader = try VideoReader(clip, options: VideoReader.Options(filter: "format=\(format)"))
      return try #require(try reader.nextFrame())
    }
    let (packed, planar) = (try first("nv12"), try LumaExtractor().luma(of: first("yuv420p")))
    #expect(packed.pixelFormat == "nv12")
    let stride = planar.width + 20
    var bytes = [UInt8](repeating: 128, count: stride * (planar.height + (planar.height + 1) / 2))
    for y in 0..<planar.height { for x in 0..<planar.width { bytes[y * stride + x] = UInt8(planar[x, y]) } }
    let buffer = try bytes.withUnsafeBytes {
      try Plane.luma(of: $0, layout: .nv12, size: planar.size, stride: stride)
    }
    #expect(try packed.luma(parallelism: .serial) == buffer)
  }

  @Test func handlersTakeFramesFilesAndData() async throws {
    let files = (0..<3).map { folder.file("\($0).png") }
    for (index, file) in files.enumerated() { try StillImage.writePNG(Self.colors(1.5 * Double(index)), to: file.path) }
    let request = OpticalFlowRequest()
    let planes = try files.map { try StillImage.luma(contentsOf: $0.path) }
    let expected = try await ImageRequestHandler(planes[0]).perform(request, targeting: planes[1]).flow.bits
    let byFile = try ImageRequestHandler(files[0])
    #expect(try byFile.performed(request, files[1]).flow.bits == expected)
    #expect(try await byFile.perform(request, targeting: Data(contentsOf: files[1])).flow.bits == expected)

    let handler = SequenceRequestHandler()
    #expect(try await handler.perform(request, on: Self.frame(0)) == nil)
    let motion = try #require(try await handler.perform(request, on: Self.frame(1)))
    #expect(motion.flow.bits == expected)
    #expect(motion.previousTime?.value == 0 && motion.currentTime?.value == 1, "frames know their times")
    let last = try await handler.perform(request, on: files[2], at: MediaTime(value: 9, timeBase: Rational(1, 25)))
    #expect(last?.previousTime?.value == 1 && last?.currentTime?.value == 9)
    let (u, v) = motion.flow.meanVector
    #expect(abs(u - 1.5) < 0.1 && abs(v) < 0.1)
  }

  @Test func whatIsNoImageIsToldByName() throws {
    func message(_ source: some ImageSource) -> String? {
      do {
        _ = try ImageRequestHandler(source)
        return nil
      } catch {
        #expect(error.code == .unreadableImage)
        return error.message
      }
    }
    #expect(message(URL(fileURLWithPath: "/nowhere/absent.png"))?.contains("/nowhere/absent.png") == true)
    #expect(message(Data("no image".utf8))?.hasPrefix("an image of 8 encoded bytes: ") == true)
    #expect(message(Data()) != nil)
    #expect(message(try Self.frame(0)) == nil)
  }

  /// A program draws on a canvas what the renderer's own image shows.
  @Test func renderersDrawOnCanvases() throws {
    let flow = FlowField(width: Self.size.width, height: Self.size.height) { x, y in (Float(x) / 10, 2) }
    let options = RenderingOptions(style: .wheel)
    let canvas = try CanvasMaker(format: .rgb(Self.size)).canvas(for: Self.frame(0))
    try FlowRenderer(options: options, size: Self.size, parallelism: .serial).render(flow, on: canvas)
    let expected = try FlowRenderer(options: options, size: Self.size, parallelism: .serial).image(of: flow)
    #expect(try StillImage.rgb(of: canvas) == expected)
    let marks = [TrackMark(id: 1, box: BoundingBox(x: 20, y: 20, width: 30, height: 20), trail: [], confidence: 1)]
    try TrackRenderer(size: Self.size).render(marks, on: canvas)
    #expect(try StillImage.rgb(of: canvas) != expected)
  }
}

extension ImageRequestHandler {
  /// The call that waits, also for tasks.
  fileprivate func performed<Request: AnalysisRequest>(
    _ request: Request, _ target: some ImageSource
  ) throws -> Request.Observation { try perform(request, targeting: target) }
}
