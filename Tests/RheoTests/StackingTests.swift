import Foundation
import Rheo
import TestSupport
import Testing

/// Bursts of one scene, with noise and a hand that is not quite still.
@Suite struct StackingTests {
  private let folder: TemporaryFolder
  private static let world = TexturedWorld(seed: 41)
  private static let size = PixelSize(width: 200, height: 150)
  private static let noise = 8.0

  init() throws { folder = try TemporaryFolder() }

  private func frame(_ number: Int) -> Plane<RGBA8> {
    let t = Double(number)
    let (x, y, turn) = (3 * sin(t * 1.3), 2.5 * sin(t * 0.9), 0.01 * sin(t * 1.7))
    return Self.world.view(Self.size, gain: 0.8, noise: Self.noise, seed: UInt64(number + 1)) {
      ($0 + x - turn * ($1 - 75), $1 + y + turn * ($0 - 100))
    }
  }

  private func stack(
    _ inputs: [String], _ change: (inout Stacking) -> Void = { _ in }
  ) throws -> (report: Stacking.Report, image: Plane<RGBA8>) {
    let output = folder.file("stack.png")
    var stacking = Stacking(inputs: inputs, output: output.path, model: .euclidean, overwrite: true)
    change(&stacking)
    let report = try stacking.run()
    return (report, try StillImage.rgb(contentsOf: output.path))
  }

  private func burst(_ count: Int, _ change: (Int, inout Plane<RGBA8>) -> Void = { _, _ in }) throws -> String {
    let file = folder.file("burst.mkv")
    let frames = (0..<count).map { number in
      var frame = frame(number)
      change(number, &frame)
      return frame
    }
    try writeVideo(frames, to: file)
    return file.path
  }

  /// Away from the borders, where fewer frames show the scene.
  private func error(_ image: Plane<RGBA8>, number: Int = 0) -> ImageError {
    let t = Double(number)
    let (x, y, turn) = (3 * sin(t * 1.3), 2.5 * sin(t * 0.9), 0.01 * sin(t * 1.7))
    let inner = image.cropped(to: PixelRect(x: 10, y: 10, width: 180, height: 130))
    return ImageError(inner) { column, row in
      let (px, py) = (Double(column + 10), Double(row + 10))
      return Self.world.color(px + x - turn * (py - 75), py + y + turn * (px - 100)) * 0.8
    }
  }

  @Test func theMeanOfSixteenFramesHasAQuarterOfTheNoise() throws {
    let (report, image) = try stack([burst(16)])
    #expect(report.frames == 16 && report.leftOut.isEmpty && report.passes == 1 && image.size == Self.size)
    let (before, after) = (error(frame(0)).ratio, error(image).ratio)
    // 10·log₁₀ 16 = 12.0 dB; sampling between pixels lowers noise a little more.
    #expect(after - before > 11 && after - before < 14, "\(before) dB, then \(after) dB")
  }

  @Test func anyFrameCanBeTheReference() throws {
    let input = try burst(6)
    let (report, image) = try stack([input]) { $0.reference = 4 }
    #expect(report.frames == 6)
    #expect(error(image, number: 4).ratio > error(image, number: 0).ratio + 6)
    #expect(throws: MediaError.self) { try stack([input]) { $0.reference = 6 } }
  }

  @Test(arguments: [Stacking.Method.median, .sigmaClip])
  func whatMovesVanishes(method: Stacking.Method) throws {
    let input = try burst(9) { number, frame in
      for y in 50..<90 {
        for x in 15 * number + 20..<15 * number + 50 { frame[x, y] = RGBA8(250, 10, 10) }
      }
    }
    let mean = try stack([input]).image
    let (report, image) = try stack([input]) { $0.method = method }
    #expect(report.frames == 9 && report.passes == 2)
    // Two of nine samples are red: that moves the mean by 2/9 of 150 levels, the median by a third of the noise.
    #expect(error(mean).maximumTint > 20, "\(error(mean).maximumTint)")
    #expect(error(image).maximumTint < 6, "\(error(image).maximumTint)")
    #expect(error(image).ratio > error(mean).ratio + 4)
  }

  @Test func clippingKeepsMoreThanTheMedian() throws {
    let input = try burst(12)
    let median = try stack([input]) { $0.method = .median }.image
    let clipped = try stack([input]) { $0.method = .sigmaClip }.image
    #expect(error(clipped).ratio > error(median).ratio + 0.5)
  }

  @Test func framesThatDoNotFitAreLeftOut() throws {
    let input = try burst(5) { number, frame in
      if number == 3 { frame = TexturedWorld(seed: 99).view(Self.size) { ($0, $1) } }
    }
    let (report, image) = try stack([input])
    #expect(report.frames == 4 && report.leftOut.count == 1, "\(report.leftOut)")
    #expect(report.leftOut[0].contains("00:00:00.120"), "\(report.leftOut)")
    #expect(error(image).ratio > error(frame(0)).ratio + 4.5)
  }

  /// An even wall with noise: nothing says that the frames do not lie on each other.
  @Test func aBurstWithoutTextureIsStackedAsItIs() throws {
    let file = folder.file("wall.mkv")
    var random = FixedRandom(seed: 8)
    let frames = (0..<9).map { _ in
      Plane<RGBA8>(width: 200, height: 150) { x, _ in
        let value = UInt8(90 + x / 20 + Int.random(in: -6...6, using: &random))
        return RGBA8(value, value, value)
      }
    }
    try writeVideo(frames, to: file)
    let (report, image) = try stack([file.path])
    #expect(report.frames == 9 && report.leftOut.isEmpty)
    let errors = (0..<200).map { x in abs(Double(image[x, 70].g) - Double(90 + x / 20)) }
    // ±6 levels have a standard deviation of 3.7; nine of them 1.2.
    #expect(errors.reduce(0, +) / 200 < 1.5)
  }

  /// Another wall, darker by half on one side, does not belong to the burst.
  @Test func aFrameOfAnotherWallIsLeftOut() throws {
    let file = folder.file("walls.mkv")
    let frames = (0..<4).map { number in
      Plane<RGBA8>(width: 200, height: 150) { x, _ in
        let value: UInt8 = number == 2 && x > 100 ? 60 : 120
        return RGBA8(value, value, value)
      }
    }
    try writeVideo(frames, to: file)
    let report = try stack([file.path]).report
    #expect(report.frames == 3 && report.leftOut.count == 1)
  }

  @Test func imagesStackAsFramesDo() throws {
    let files = try (0..<4).map { number in
      let file = folder.file("\(number).png")
      try StillImage.writePNG(frame(number), to: file.path)
      return file.path
    }
    for depth in [8, 16] {
      let (report, image) = try stack(files) { $0.bitDepth = depth }
      #expect(report.frames == 4)
      #expect(error(image).ratio > error(frame(0)).ratio + 5)
    }
    let other = folder.file("other.png")
    try StillImage.writePNG(TexturedWorld(seed: 99).view(Self.size) { ($0, $1) }, to: other.path)
    #expect(throws: PanoramaError.self) { try stack([files[0], other.path]) }
    #expect(try stack([files[0], other.path, files[1]]).report.leftOut.first?.contains("other.png") == true)
  }

  /// The frames that were registered are stacked; before that there is nothing to write.
  @Test func anInterruptionIsAskedForBetweenTheSteps() throws {
    let interruption = Interruption()
    interruption.set()
    let output = folder.file("stack.png").path
    var stacking = Stacking(inputs: [try burst(6)], output: output)
    let report = try stacking.run(interruption: interruption)
    #expect(report.frames == 2 && report.wasInterrupted)
    stacking.overwrite = true
    stacking.reference = 4
    #expect(thrown(PanoramaError.self) { try stacking.run(interruption: interruption) }?.code == .interrupted)
    // A quarter of a turn, which keypoints alone find.
    let (upright, turned) = (folder.file("upright.png").path, folder.file("turned.png").path)
    try StillImage.writePNG(Self.world.view(Self.size) { ($0, $1) }, to: upright)
    try StillImage.writePNG(Self.world.view(PixelSize(width: 150, height: 200)) { ($1, 150 - $0) }, to: turned)
    stacking = Stacking(inputs: [upright, turned], output: output, overwrite: true)
    #expect(thrown(PanoramaError.self) { try stacking.run(interruption: interruption) }?.code == .interrupted)
    #expect(try stacking.run().frames == 2)
  }

  @Test func sixteenBitsHoldWhatEightDoNot() throws {
    let input = try burst(7)
    _ = try stack([input])
    let deep = try StillImage.rgb16(contentsOf: folder.file("stack.png").path)
    let rest = (0..<deep.width).count { deep[$0, 70].g % 257 != 0 }
    #expect(rest > deep.width / 2)
  }

  @Test(arguments: [Stacking.Method.mean, .median, .sigmaClip])
  func threadsDoNotChangeTheBytes(method: Stacking.Method) throws {
    let input = try burst(5)
    let bytes = try [1, 2, 3, 7].map { threads in
      _ = try stack([input]) {
        $0.method = method
        $0.parallelism = Parallelism(threadCount: threads)
      }
      return try Data(contentsOf: folder.file("stack.png"))
    }
    #expect(Set(bytes).count == 1)
  }
}
