import Foundation
import Rheo
import TestSupport
import Testing

/// Panoramas as a whole, of parts of one big image.
@Suite struct StitchingTests {
  private let folder: TemporaryFolder
  private static let world = TexturedWorld(seed: 31)
  private static let noise = 2.0
  /// Upper left corners of parts of 260 × 200 pixels, and their exposures.
  private static let parts: [(x: Int, y: Int, gain: Double)] = [
    (300, 12, 0.85), (0, 0, 1.0), (150, 20, 1.15), (460, 4, 1.05), (310, 130, 0.95),
  ]
  private static let size = PixelSize(width: 260, height: 200)

  init() throws { folder = try TemporaryFolder() }

  private func writeParts(_ indices: [Int] = [0, 1, 2, 3, 4]) throws -> [String] {
    try indices.map { index in
      let part = Self.parts[index]
      let image = Self.world.view(Self.size, gain: part.gain * 0.8, noise: Self.noise, seed: UInt64(index + 1)) {
        ($0 + Double(part.x), $1 + Double(part.y))
      }
      let file = folder.file("part\(index).png")
      try StillImage.writePNG(image, to: file.path, overwrite: true)
      return file.path
    }
  }

  private func stitch(
    _ inputs: [String], _ change: (inout Stitching) -> Void = { _ in }
  ) throws -> (report: Stitching.Report, image: Plane<RGBA8>) {
    let output = folder.file("panorama.png")
    var stitching = Stitching(inputs: inputs, output: output.path, overwrite: true)
    change(&stitching)
    let report = try stitching.run()
    return (report, try StillImage.rgb(contentsOf: output.path))
  }

  /// The error at the best of the whole shifts near (x, y) in the world.
  private func comparison(_ image: Plane<RGBA8>, x: Int, y: Int, gain: Double) -> ImageError {
    let shifts = (-2...2).flatMap { dy in (-2...2).map { ($0, dy) } }
    return shifts.map { dx, dy in
      ImageError(image) { Self.world.color(Double($0 + x + dx), Double($1 + y + dy)) * gain }
    }.min { $0.meanSquare < $1.meanSquare } ?? ImageError(image) { _, _ in .zero }
  }

  /// Exposures are balanced about their mean.
  private func gain(_ report: Stitching.Report, _ indices: [Int]) -> Double {
    zip(indices, report.gains).map { Self.parts[$0].gain * 0.8 * $1.y }.reduce(0, +) / Double(indices.count)
  }

  @Test func partsOfAImageMakeTheImage() throws {
    let (report, image) = try stitch(writeParts())
    #expect(report.imageCount == 5 && report.leftOut.isEmpty && report.projection == .plane)
    #expect(abs(image.width - 720) <= 2 && abs(image.height - 330) <= 2, "\(image.size)")
    let gains = report.gains.indices.map { Self.parts[$0].gain * report.gains[$0].y }
    let mean = gains.reduce(0, +) / 5
    for gain in gains { #expect(abs(gain / mean - 1) < 0.01, "\(gains)") }
    let error = comparison(image, x: 0, y: 0, gain: gain(report, [0, 1, 2, 3, 4]))
    // Noise of 2 levels alone makes 42.1 dB.
    #expect(error.ratio > 40, "\(error.ratio) dB")
    #expect(error.maximumBlockDifference < Self.noise, "\(error.maximumBlockDifference)")
  }

  @Test func whatShowsSomethingElseIsLeftOut() throws {
    let other = folder.file("other.png")
    try StillImage.writePNG(
      TexturedWorld(seed: 77).view(Self.size) { ($0, $1) }, to: other.path)
    let parts = try writeParts([1, 2])
    let (report, image) = try stitch([parts[0], other.path, parts[1]])
    #expect(report.imageCount == 2)
    #expect(report.leftOut.count == 1 && report.leftOut[0].contains("other.png"), "\(report.leftOut)")
    #expect(abs(image.width - 410) <= 2)
    #expect(throws: PanoramaError.self) { try stitch([parts[0], other.path]) }
  }

  @Test func croppedPanoramasAreCovered() throws {
    let parts = try writeParts([1, 2])
    let whole = try stitch(parts).image
    let cropped = try stitch(parts) { $0.cropsToCovered = true }.image
    #expect(isCovered(cropped) && !isCovered(whole))
    #expect(abs(cropped.width - 410) <= 4 && abs(cropped.height - 180) <= 4, "\(cropped.size)")
  }

  private func isCovered(_ image: Plane<RGBA8>) -> Bool {
    (0..<image.height).allSatisfy { y in (0..<image.width).allSatisfy { image[$0, y].a == 255 } }
  }

  @Test func largePanoramasAreScaledDown() throws {
    let (report, image) = try stitch(writeParts([1, 2])) { $0.maximumSide = 200 }
    #expect(image.width <= 200 && image.width > 195, "\(image.size)")
    #expect(report.notes.contains { $0.contains("scaled") })
    let exposure = gain(report, [1, 2])
    let error = ImageError(image) { x, y in
      // Means of blocks: the finest waves are damped a little.
      Self.world.color((Double(x) + 0.5) / report.scale - 0.5, (Double(y) + 0.5) / report.scale - 0.5) * exposure
    }
    #expect(error.ratio > 22, "\(error.ratio)")
  }

  /// Eighteen photographs of a full turn, with published rotations and focal lengths (pixels).
  @Test(.enabled(if: TestData.has("panorama/parrington"), "needs the test data"))
  func aPublishedTurnClosesAsPublished() throws {
    let folder = try TestData.url("panorama/parrington")
    let text = try String(contentsOf: folder.appendingPathComponent("pano.txt"), encoding: .utf8)
    var words: [Double] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.contains("jpg") {
      for word in line.split(separator: " ") { words += Double(word).map { [$0] } ?? [] }
    }
    // Height and width, the camera's nine numbers, nine of the rotation, the focal length.
    try #require(words.count == 18 * 21)
    var rotations: [[Double]] = []
    var published = 0.0
    var images: [KeypointImage] = []
    for index in 0..<18 {
      let start = index * 21
      rotations.append(Array(words[start + 11..<start + 20]))
      published += words[start + 20] / 18
      let name = String(format: "prtn%02d.jpg", index)
      let image = try StillImage.rgb(contentsOf: folder.appendingPathComponent(name).path)
      images.append(KeypointImage(image.luma))
    }
    var links: [ImageLink] = []
    for index in 0..<18 {
      let next = (index + 1) % 18
      let found = FeatureRegistration().estimate(
        reference: images[index], floating: images[next], model: .homography)
      try #require(found.model > .identity)
      links.append(
        ImageLink(reference: index, floating: next, map: found.warpTransform, confidence: found.confidence))
    }
    let sizes = Array(repeating: PixelSize(width: 512, height: 384), count: 18)
    let plan = try PanoramaPlan(links: links, sizes: sizes, model: .homography)
    let focalLength = try #require(plan.focalLength)
    #expect(abs(focalLength - published) < 0.02 * published, "\(focalLength), published \(published)")
    func angle(_ a: [Double], _ b: [Double]) -> Double {
      let trace: Double = zip(a, b).map { $0 * $1 }.reduce(0, +)
      return acos(min(max((trace - 1) / 2, -1), 1)) * 180 / Double.pi
    }
    var errors: [Double] = []
    for index in 0..<18 {
      let next = (index + 1) % 18
      let (a, b) = (try #require(plan.rotations[index]), try #require(plan.rotations[next]))
      errors.append(angle(a.elements, b.elements) - angle(rotations[index], rotations[next]))
    }
    let worst = errors.map(abs).max() ?? 0
    #expect(worst < 0.6, "\(focalLength), published \(published): \(errors)")
    #expect(try plan.layout(projection: nil, maximumSide: 8192).projection == .cylinder)
  }

  /// The progress goes to its end also where an image is left out, and is not painted.
  @Test func progressGoesToTheEnd() throws {
    let other = folder.file("another.png")
    try StillImage.writePNG(TexturedWorld(seed: 78).view(Self.size) { ($0, $1) }, to: other.path)
    var last: JobProgress?
    let stitching = Stitching(
      inputs: try writeParts([1, 2]) + [other.path], output: folder.file("progress.png").path, overwrite: true)
    _ = try stitching.run { last = $0 }
    #expect(last?.frames == 6 && last?.estimatedFrames == 6, "\(String(describing: last))")
  }

  @Test func threadsDoNotChangeTheBytes() throws {
    let parts = try writeParts([0, 2, 3])
    let output = folder.file("threads.png")
    let bytes = try [1, 2, 3, 7].map { threads in
      _ = try Stitching(
        inputs: parts, output: output.path, overwrite: true, parallelism: Parallelism(threadCount: threads)
      ).run()
      return try Data(contentsOf: output)
    }
    #expect(Set(bytes).count == 1)
  }

  // MARK: Turned cameras

  private static let focalLength = 220.0

  /// The world on a cylinder, seen by a camera that is turned by `angle` and tilted a little, in radians.
  private func turned(_ angle: Double, tilt: Double = 0.05, size: PixelSize = size) -> Plane<RGBA8> {
    let (c, s, ct, st) = (cos(angle), sin(angle), cos(tilt), sin(tilt))
    return Self.world.view(size) { x, y in
      let (u, v) = (
        (x - Double(size.width - 1) / 2) / Self.focalLength, (y - Double(size.height - 1) / 2) / Self.focalLength
      )
      let (dy, dz) = (ct * v - st, st * v + ct)
      let (dx, depth) = (c * u + s * dz, c * dz - s * u)
      let height = dy / (dx * dx + depth * depth).squareRoot()
      return (atan2(dx, depth) * Self.focalLength + 700, height * Self.focalLength)
    }
  }

  @Test func wideTurnsGoOnACylinder() throws {
    let inputs = try (0..<5).map { index in
      let file = folder.file("turn\(index).png")
      try StillImage.writePNG(turned(Double(index) * 0.42), to: file.path)
      return file.path
    }
    let (report, image) = try stitch(inputs)
    #expect(report.projection == .cylinder && report.imageCount == 5)
    // Four turns of 0.42 and one field of view, 2·atan(130/220).
    let width = (4 * 0.42 + 2 * atan(129.5 / Self.focalLength)) * Self.focalLength
    #expect(abs(Double(image.width) - width) < 0.02 * width, "\(image.width) instead of \(width)")
    // The cylinder's axis was found: the image is the world's strip, not a tilted one.
    #expect(image.height < 225, "\(image.size)")
    let flat = try stitch(inputs) { $0.projection = .plane }.image
    #expect(flat.width > 3 * image.width, "a plane stretches its sides: \(flat.size)")
  }

  // MARK: Videos

  private func pan(_ count: Int, _ change: (Int, inout Plane<RGBA8>) -> Void = { _, _ in }) throws -> String {
    let file = folder.file("pan.mkv")
    let frames = (0..<count).map { number in
      // A hand-held pan under an exposure that follows the scene.
      let t = Double(number)
      var frame = Self.world.view(
        PixelSize(width: 200, height: 160), gain: 0.8 * (1 + 0.12 * sin(t / 9)), noise: Self.noise,
        seed: UInt64(number + 1)
      ) { ($0 + 9 * t, $1 + 8 * sin(t / 4)) }
      change(number, &frame)
      return frame
    }
    try writeVideo(frames, to: file)
    return file.path
  }

  @Test func pannedVideosBecomePanoramas() throws {
    let (report, image) = try stitch([pan(40)])
    #expect(report.frameCount == 40 && (5...9).contains(report.imageCount), "\(report.imageCount)")
    #expect(abs(image.width - (200 + 9 * 39)) <= 3, "\(image.size)")
    let errors = [-9, -8, -7].map { comparison(image, x: 0, y: $0, gain: 0.8) }
    let ratio = errors.map(\.ratio).max() ?? 0
    // The gains' mean is 1, not that of the exposures: this tells ghosts and drift, the steps are told above.
    #expect(ratio > 24, "\(ratio) dB")
    let part = try stitch([folder.file("pan.mkv").path]) { $0.reading.range = MediaRange(frameCount: 20) }
    #expect(abs(part.image.width - (200 + 9 * 19)) <= 3)
  }

  @Test func whatMovesIsNotCutBySeams() throws {
    // A block that stays in the middle of the image, as if it ran along.
    let input = try pan(30) { number, frame in
      for y in 60..<100 {
        for x in 80..<104 { frame[x, y] = RGBA8(250, 10, 10) }
      }
    }
    let image = try stitch([input]).image
    func isRed(_ x: Int, _ y: Int) -> Bool { image[x, y].r > 215 && image[x, y].g < 60 && image[x, y].b < 60 }
    var runs: [Int: Int] = [:]
    for y in 0..<image.height {
      var length = 0
      for x in 0..<image.width {
        if isRed(x, y) { length += 1; continue }
        if length > 0 { runs[length, default: 0] += 1 }
        length = 0
      }
    }
    // Where it shows, it shows whole: hardly a run of red pixels is shorter than the block is wide.
    let partial = runs.filter { (5...18).contains($0.key) }.values.reduce(0, +)
    let whole = runs.filter { (19...28).contains($0.key) }.values.reduce(0, +)
    #expect(whole >= 30 && partial * 10 <= whole, "\(runs)")
  }

  @Test func anInterruptionBeforeTwoImagesAreTiedWritesNothing() throws {
    let interruption = Interruption()
    interruption.set()
    let files = try (0..<2).map { number in
      let file = folder.file("\(number).png")
      try StillImage.writePNG(Self.world.view(Self.size) { ($0 + 20 * Double(number), $1) }, to: file.path)
      return file.path
    }
    let stitching = Stitching(inputs: files, output: folder.file("panorama.png").path)
    #expect(thrown(PanoramaError.self) { try stitching.run(interruption: interruption) }?.code == .interrupted)
    #expect(!folder.names.contains("panorama.png"))
    #expect(try stitching.run().imageCount == 2)
  }

  @Test func aCameraThatStandsMakesNoPanorama() throws {
    let file = folder.file("still.mkv")
    try writeVideo(Array(repeating: Self.world.view(Self.size) { ($0, $1) }, count: 4), to: file)
    #expect(throws: PanoramaError.self) { try stitch([file.path]) }
  }
}
