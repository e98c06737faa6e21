import Foundation
import Imaging
import TestSupport
import Testing

@testable import Registration

/// Images with a known map between them, drawn from a texture that is a function of real coordinates.
@Suite struct FeatureRegistrationTests {
  private static let size = PixelSize(width: 240, height: 190)
  private static let registration = FeatureRegistration()

  /// The motion of the floating image on the reference.
  struct Motion: Sendable, CustomTestStringConvertible {
    var turn = 0.0
    var zoom = 1.0
    var shift = (x: 0.0, y: 0.0)
    /// The change of the depth from the middle to the right and the lower border.
    var slant = (x: 0.0, y: 0.0)
    var noise = 0.0
    var gain = 1.0

    var testDescription: String { "turn \(turn)°, zoom \(zoom), shift \(shift), slant \(slant), noise \(noise)" }

    /// Returns the map from floating to reference, in pixels.
    func map(_ size: PixelSize) -> Homography {
      let (x, y) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
      let (c, s) = (cos(turn * .pi / 180) * zoom, sin(turn * .pi / 180) * zoom)
      let bend = Homography([c, -s, 0, s, c, 0, slant.x / x, slant.y / y, 1])
      return (.translation(x: x + shift.x, y: y + shift.y) * bend * .translation(x: -x, y: -y)).normalized
    }
  }

  private static func pair(_ motion: Motion, seed: UInt64 = 5) -> (reference: Plane<Float>, floating: Plane<Float>) {
    let texture = Blobs(seed: seed)
    var random = FixedRandom(seed: seed + 100)
    let map = motion.map(size)
    let reference = Plane(width: size.width, height: size.height) { x, y in
      Float(texture.value(Double(x) + 70, Double(y) + 70))
    }
    let floating = Plane(width: size.width, height: size.height) { x, y in
      let position = map.apply(x: Double(x), y: Double(y))
      let noise = motion.noise > 0 ? Double.random(in: -1...1, using: &random) * motion.noise * 1.73 : 0
      return Float(texture.value(position.x + 70, position.y + 70) * motion.gain + noise)
    }
    return (reference, floating)
  }

  /// The mean distance of two maps over the points that both images show.
  private static func error(_ map: Homography, _ truth: Homography) -> Double {
    var (sum, count) = (0.0, 0)
    for y in stride(from: 0, to: size.height, by: 10) {
      for x in stride(from: 0, to: size.width, by: 10) {
        let position = truth.apply(x: Double(x), y: Double(y))
        guard (0...Double(size.width - 1)).contains(position.x), (0...Double(size.height - 1)).contains(position.y)
        else {
          continue
        }
        let found = map.apply(x: Double(x), y: Double(y))
        sum += hypot(found.x - position.x, found.y - position.y)
        count += 1
      }
    }
    return sum / Double(max(count, 1))
  }

  @Test(arguments: [
    Motion(), Motion(turn: 90), Motion(turn: 180, noise: 4), Motion(turn: -37, zoom: 1.6, shift: (10, -20)),
    Motion(turn: 20, zoom: 0.55, gain: 0.6), Motion(turn: 5, shift: (165, 5)), Motion(turn: 70, slant: (0.3, -0.2)),
    Motion(turn: 130, zoom: 1.3, shift: (30, 30), slant: (-0.2, 0.3), noise: 6, gain: 1.3),
  ])
  func findsTheMap(motion: Motion) {
    let pair = Self.pair(motion)
    let result = Self.registration.estimate(
      reference: pair.reference, floating: pair.floating, model: .homography)
    #expect(Self.error(result.warpTransform, motion.map(Self.size)) < 0.4)
    #expect(result.model == .homography && result.reason == nil)
    #expect(result.confidence > 0.7 && result.inlierShare > 0.8 && result.residual < 2)
  }

  @Test(arguments: [TransformModel.translation, .euclidean, .affine])
  func simplerFamiliesStayWithinThemselves(model: TransformModel) {
    let motion = Motion(turn: model == .translation ? 0 : 25, zoom: model == .affine ? 1.3 : 1, shift: (31.3, -12.6))
    let pair = Self.pair(motion)
    let result = Self.registration.estimate(reference: pair.reference, floating: pair.floating, model: model)
    #expect(Self.error(result.warpTransform, motion.map(Self.size)) < 0.2)
    #expect(result.model == model && result.confidence > 0.7)
    let e = result.warpTransform.elements
    #expect(e[6] == 0 && e[7] == 0 && e[8] == 1)
    if model != .affine { #expect(abs(e[0] * e[4] - e[1] * e[3] - 1) < 1e-9) }
  }

  @Test func aTurnIsNoTranslation() {
    let pair = Self.pair(Motion(turn: 60))
    let result = Self.registration.estimate(reference: pair.reference, floating: pair.floating, model: .translation)
    #expect(result.model == .identity && result.confidence < 0.5 && result.reason != nil)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func unrelatedImagesAreToldApart(seed: UInt64) {
    let reference = Self.pair(Motion(), seed: seed).reference
    let floating = Self.pair(Motion(turn: 15), seed: seed + 50).floating
    let result = Self.registration.estimate(reference: reference, floating: floating, model: .homography)
    #expect(result.confidence < 0.1 && result.warpTransform == .identity && result.model == .identity)
    #expect(result.reason == .unrelatedImages)
  }

  /// Moved by half a field, a chessboard has as many right answers as it has fields.
  @Test func repeatedTextureIsRightOrInDoubt() {
    func board(_ shift: Double, seed: UInt64) -> Plane<Float> {
      var random = FixedRandom(seed: seed)
      return Plane(width: 240, height: 190) { x, y in
        let isDark = (Int((Double(x) + shift) / 16) + y / 16) % 2 == 0
        return (isDark ? 60 : 190) + Float.random(in: -3...3, using: &random)
      }
    }
    let result = Self.registration.estimate(
      reference: board(0, seed: 1), floating: board(7, seed: 2), model: .homography)
    let error = Self.error(result.warpTransform, .translation(x: 7, y: 0))
    #expect(result.confidence < 0.5 || error < 1)
  }

  @Test(arguments: [(0, 0), (1, 1), (3, 200), (11, 11), (12, 12), (17, 300)])
  func tinyImagesGiveTheIdentity(width: Int, height: Int) {
    let texture = Texture()
    let small = texture.image(width: width, height: height)
    for other in [small, texture.image(width: 100, height: 80)] {
      for (reference, floating) in [(small, other), (other, small)] {
        let result = Self.registration.estimate(reference: reference, floating: floating, model: .homography)
        let error = Self.error(result.warpTransform, .identity)
        #expect(result.confidence < 0.5 || error < 1)
        #expect(result.warpTransform.elements.allSatisfy { $0.isFinite })
        if min(width, height) < 12 { #expect(result.reason == .imageTooSmall) }
      }
    }
  }

  /// The smoothing of images before their comparison goes by the diagonal, and a narrow image that is turned takes the
  /// square of it.
  @Test(.timeLimit(.minutes(1)), arguments: [(1, 1_000_000), (16, 16_384), (16_384, 16), (16, 100_000)])
  func narrowImagesTakeLittleTime(width: Int, height: Int) {
    let narrow = Plane<Float>(width: width, height: height) { x, y in Float((x * 7 + y * y / 5) % 251) }
    let other = Plane<Float>(width: width, height: height) { x, y in Float((x * x + y * 11) % 239) }
    let usual = Texture().image(width: 100, height: 80)
    for (reference, floating) in [(narrow, other), (narrow, usual), (usual, narrow)] {
      let result = Self.registration.estimate(reference: reference, floating: floating, model: .homography)
      #expect(result.confidence < 0.5 && result.warpTransform == .identity)
    }
  }

  /// Only narrow images are spared work.
  @Test func imagesOfUsualShapesAreComparedAndTurned() {
    for (width, height, isUsual) in [
      (240, 190, true), (64, 2000, true), (64, 4096, false), (16, 20, true), (16, 16_384, false), (1, 1_000_000, false),
    ] {
      let size = PixelSize(width: width, height: height)
      #expect(PhotometricAgreement.comparesBlocks(of: size) == isUsual, "\(size)")
    }
    for (width, height, isTurned) in [(240, 190, true), (64, 4096, true), (16, 16_384, false), (16_384, 16, false)] {
      let image = Plane<Float>(width: width, height: height)
      let views = (0..<SimulatedView.directionCount).map {
        SimulatedView(of: image, direction: $0, parallelism: .serial) != nil
      }
      #expect(views == [true, isTurned, true, isTurned], "\(width)×\(height)")
    }
  }

  @Test func imagesWithoutTextureGiveTheIdentity() {
    let flat = Plane<Float>(size: Self.size, repeating: 100)
    var broken = Self.pair(Motion()).reference
    broken[7, 9] = .nan
    for (reference, floating) in [(flat, flat), (flat, Self.pair(Motion()).reference), (broken, broken)] {
      let result = Self.registration.estimate(reference: reference, floating: floating, model: .homography)
      #expect(result.confidence == 0 && result.warpTransform == .identity && result.reason == .tooLittleTexture)
    }
  }

  @Test func threadsDoNotChangeTheResult() {
    let pair = Self.pair(Motion(turn: 33, zoom: 1.2, slant: (0.2, 0.1), noise: 3))
    let results = [1, 2, 5].map { threads in
      Self.registration.estimate(
        reference: pair.reference, floating: pair.floating, model: .homography,
        parallelism: Parallelism(threadCount: threads))
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }
}
