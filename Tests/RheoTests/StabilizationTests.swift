import Foundation
import Rheo
import TestSupport
import Testing

/// Steadying as a whole, on clips that it draws itself.
@Suite struct StabilizationTests {
  private let folder: TemporaryFolder
  private static let lossless = EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p", overwrites: true)

  init() throws { folder = try TemporaryFolder() }

  /// A clip of a texture seen from `positions`; a new texture from each of `cuts` on.
  private func clip(_ positions: [(x: Double, y: Double)], cuts: [Int] = []) throws -> URL {
    let file = folder.file("in.mkv")
    let writer = try VideoWriter(
      file.path, options: Self.lossless, size: PixelSize(width: 160, height: 120), frameRate: Rational(25, 1))
    let maker = CanvasMaker(format: writer.canvasFormat)
    for (number, position) in positions.enumerated() {
      let texture = Texture(seed: UInt64(11 + cuts.count { number >= $0 }))
      let luma = texture.image(width: 160, height: 120) { ($0 + position.x, $1 + position.y) }
      let image = Plane<RGBA8>(width: 160, height: 120) { x, y in
        let value = UInt8(luma[x, y])
        return RGBA8(value, value, value)
      }
      let time = MediaTime(value: Int64(number), timeBase: Rational(1, 25))
      let canvas = try maker.canvas(for: VideoFrame(image: image, number: number, presentationTime: time))
      try writer.append(canvas)
    }
    try writer.finish()
    return file
  }

  private func jitter(_ count: Int, _ extent: Double, seed: UInt64 = 5) -> [(x: Double, y: Double)] {
    var random = FixedRandom(seed: seed)
    return (0..<count).map { _ in
      (Double.random(in: -extent...extent, using: &random), Double.random(in: -extent...extent, using: &random))
    }
  }

  private func luma(_ file: URL) throws -> [Plane<Float>] {
    let (reader, extractor) = (try VideoReader(file.path), LumaExtractor())
    var images: [Plane<Float>] = []
    while let frame = try reader.nextFrame() { images.append(try extractor.luma(of: frame)) }
    return images
  }

  /// The root mean square shift of the middle from frame to frame.
  private func motion(_ images: [Plane<Float>]) -> Double {
    let engine = RegistrationEngine(model: .euclidean)
    let squares = zip(images, images.dropFirst()).map { previous, current in
      let map = engine.estimate(reference: previous, floating: current).warpTransform
      let position = map.apply(x: 80, y: 60)
      return (position.x - 80) * (position.x - 80) + (position.y - 60) * (position.y - 60)
    }
    return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }

  private func stabilize(_ input: URL, _ change: (inout Stabilization) -> Void = { _ in }) throws -> (
    report: Stabilization.Report, output: URL
  ) {
    let output = folder.file("out.mkv")
    var work = Stabilization(input: input.path, output: output.path, encoding: Self.lossless)
    change(&work)
    return (try work.run(), output)
  }

  @Test(arguments: Stabilization.Border.allCases) func aShakeGoesAway(border: Stabilization.Border) throws {
    let input = try clip(jitter(30, 4))
    let (report, output) = try stabilize(input) { $0.border = border }
    let (before, after) = (try luma(input), try luma(output))
    #expect(report.frames == 30 && after.count == 30)
    #expect(report.cuts == 0 && report.timeGaps == 0)
    #expect(motion(after) < motion(before) / 5)
    #expect(border == .crop ? report.zoom > 1.01 && report.zoom <= 1.25 : report.zoom == 1)
  }

  @Test func whatStandsStillStaysAsItIs() throws {
    let input = try clip([(x: Double, y: Double)](repeating: (3.3, 1.7), count: 12))
    for border in Stabilization.Border.allCases {
      let (report, output) = try stabilize(input) { $0.border = border }
      #expect(report.zoom == 1)
      #expect(try luma(output).map(\.bits) == luma(input).map(\.bits))
    }
  }

  @Test func aFixedZoomNeedsOnePassAndIsKept() throws {
    let input = try clip(jitter(30, 4))
    let (report, output) = try stabilize(input) { $0.zoom = .factor(1.15) }
    #expect(report.zoom == 1.15)
    let (before, after) = (try luma(input), try luma(output))
    #expect(motion(after) < motion(before) / 5)
    // No border shows: one that does is black.
    let (framed, black) = try stabilize(input) {
      $0.zoom = .factor(1.15)
      $0.border = .black
    }
    #expect(framed.zoom == 1.15)
    for image in try luma(black) {
      for x in [0, 80, 159] { for y in [0, 60, 119] { #expect(image[x, y] > 20) } }
    }
  }

  @Test func blackBordersShowWhereTheImageWas() throws {
    var positions = [(x: Double, y: Double)](repeating: (0, 0), count: 20)
    positions[10] = (12, 0)
    let (_, output) = try stabilize(try clip(positions)) { $0.border = .black }
    // The camera looked to the right: put back, the image lacks its left side.
    let image = try luma(output)[10]
    #expect((0..<8).allSatisfy { image[$0, 60] == 16 })
    #expect((16..<160).contains { image[$0, 60] > 40 })
  }

  /// Something large that passes close to the camera must not be taken for the scene.
  @Test func whatPassesDoesNotMoveTheImage() throws {
    let scene = try Scene(SceneParameters(name: .walkers, size: PixelSize(width: 160, height: 120), frameCount: 30))
    let input = folder.file("in.mkv")
    _ = try SceneRecorder(scene: scene, output: input.path, truthFolder: nil, encoding: Self.lossless).run()
    let (report, output) = try stabilize(input)
    #expect(report.zoom < 1.005 && report.cuts == 0)
    #expect(motion(try luma(output)) < 0.1)
  }

  /// One jolt would cost all frames a fifth of the image; it does not set the zoom, and no border shows in its frame.
  @Test func aSingleJoltDoesNotSetTheZoom() throws {
    var positions = jitter(60, 1)
    positions[30].x += 24
    let input = try clip(positions)
    let (report, output) = try stabilize(input)
    #expect(report.zoom > 1.005 && report.zoom < 1.08, "\(report.zoom)")
    #expect(motion(Array(try luma(output)[..<10])) < 0.2)
    let (_, black) = try stabilize(input) {
      $0.border = .black
      $0.zoom = .auto
    }
    for image in try luma(black) {
      for x in [0, 80, 159] { for y in [0, 60, 119] { #expect(image[x, y] > 20) } }
    }
  }

  /// A hand that wanders slowly: the path would follow, a fixed view does not.
  @Test func aTripodHoldsTheView() throws {
    let shake = jitter(120, 1)
    let positions = (0..<120).map { t in (x: 0.08 * Double(t) + shake[t].x, y: shake[t].y) }
    let input = try clip(positions)
    func drift(_ isFixedView: Bool) throws -> Double {
      let images = try luma(
        try stabilize(input) { ($0.isFixedView, $0.smoothing, $0.zoom) = (isFixedView, 0.5, .factor(1.25)) }.output)
      let map = RegistrationEngine(model: .euclidean).estimate(reference: images[5], floating: images[115])
      return map.warpTransform.apply(x: 80, y: 60).x - 80
    }
    let (free, fixed) = (try drift(false), try drift(true))
    #expect(abs(free) > 3 && abs(fixed) < 0.3, "\(free) \(fixed)")
  }

  @Test func cutsBeginANewPath() throws {
    let input = try clip(jitter(36, 3), cuts: [14, 25])
    #expect(try stabilize(input).report.cuts == 2)
    #expect(try stabilize(input) { $0.border = .black }.report.cuts == 2)
  }

  @Test(arguments: ["json", "trf"]) func transformsAreWrittenThenRead(ending: String) throws {
    let input = try clip(jitter(24, 4))
    let file = folder.file("path.\(ending)")
    let (_, output) = try stabilize(input) { $0.transforms = file.path }
    let (first, images) = (try Data(contentsOf: output), try luma(output))
    let text = try String(contentsOf: file, encoding: .utf8)
    let (_, again) = try stabilize(input) { $0.transforms = file.path }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
    if ending == "json" {
      #expect(try Data(contentsOf: again) == first)
    } else {
      #expect(text.hasPrefix("VID.STAB 1\n") && text.contains("Frame 24 (List 192 [(LM "))
      #expect(motion(try luma(again)) < 2 * motion(images) + 0.1)
    }
  }

  @Test func aPathComesBackFromItsFileExactly() throws {
    let motions = [
      CameraMotion.start(seconds: 0),
      CameraMotion(
        seconds: 1 / 3, warpTransform: Homography([1.01, 0.1 / 3, -2.5, -0.03, 0.99, 1e-7, 1e-9, 0, 1]), confidence: 0.7
      ),
      .start(seconds: 0.7),
    ]
    let path = CameraPath(size: PixelSize(width: 64, height: 48), model: .homography, motions: motions)
    let file = folder.file("path.json").path
    try path.write(file)
    #expect(try CameraPath.read(file, model: .euclidean, size: path.size) == path)
    #expect(throws: MediaError.self) {
      try CameraPath.read(file, model: .euclidean, size: PixelSize(width: 65, height: 48))
    }
  }

  @Test func localMotionsOfOtherProgramsAreRead() throws {
    let file = folder.file("path.trf")
    let fields = [(100, 80), (300, 80), (100, 300), (300, 300)]
      .map { "(LM 3 -2 \($0.0) \($0.1) 64 0.667801 0.000000)" }.joined(separator: ",")
    try "VID.STAB 1\n#      accuracy = 15\nFrame 1 (List 0 [])\nFrame 2 (List 4 [\(fields)])\n"
      .write(to: file, atomically: true, encoding: .utf8)
    let path = try CameraPath.read(
      file.path, model: .euclidean, size: PixelSize(width: 640, height: 480), frameRate: 50)
    #expect(path.motions.count == 2 && path.motions[0].startsPath && !path.motions[1].startsPath)
    #expect(path.motions[1].seconds == 0.02)
    let position = path.motions[1].warpTransform.apply(x: 10, y: 20)
    #expect(abs(position.x - 13) < 1e-9 && abs(position.y - 18) < 1e-9)
    for broken in [
      "", "TRF1", "VID.STAB 1\n", "VID.STAB 1\nFrame 2 (List 0 [])\n", "VID.STAB 1\nFrame 1 (List 1 [(LM 1)])\n",
    ] {
      try broken.write(to: file, atomically: true, encoding: .utf8)
      let error = thrown(MediaError.self, "\(broken)") {
        try CameraPath.read(file.path, model: .euclidean, size: PixelSize(width: 640, height: 480))
      }
      #expect(error?.file == file.path)
    }
  }

  @Test func threadsDoNotChangeTheBytes() throws {
    let input = try clip(jitter(12, 3))
    let files = try [1, 2, 5].map { threads in
      try Data(contentsOf: try stabilize(input) { $0.parallelism = Parallelism(threadCount: threads) }.output)
    }
    #expect(files[1] == files[0] && files[2] == files[0])
  }

  @Test func anInterruptionCompletesTheOutput() throws {
    let input = try clip(jitter(40, 3))
    let output = folder.file("out.mkv")
    let interruption = Interruption()
    let work = Stabilization(
      input: input.path, output: output.path, smoothing: 0.4, border: .replicate, encoding: Self.lossless)
    let report = try work.run(interruption: interruption) { if $0.frames == 2 { interruption.set() } }
    #expect(report.wasInterrupted && report.frames >= 2 && report.frames < 40)
    #expect(try luma(output).count == report.frames)
  }

  @Test func progressCountsBothPasses() throws {
    var seen: [Int] = []
    let input = try clip(jitter(10, 2))
    _ = try Stabilization(input: input.path, output: folder.file("out.mkv").path, encoding: Self.lossless).run {
      seen.append($0.frames)
    }
    #expect(seen == Array(1...20))
  }
}
