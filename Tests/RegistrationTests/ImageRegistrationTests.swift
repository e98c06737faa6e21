import Foundation
import Imaging
import TestSupport
import Testing

@testable import Registration

/// Registration of images of which nothing is known beforehand.
@Suite struct ImageRegistrationTests {
  private static let size = PixelSize(width: 260, height: 200)

  /// A turn (degrees) and a zoom about the middle, and a shift.
  private static func motion(turn: Double = 0, zoom: Double = 1, x: Double = 0, y: Double = 0) -> Homography {
    let (c, s) = (cos(turn * .pi / 180) * zoom, sin(turn * .pi / 180) * zoom)
    return SyntheticPair.centered(c, -s, s, c, x: x, y: y, size: size)
  }

  /// The largest distance of the two maps over the points that both images show.
  private static func error(_ pair: SyntheticPair, _ result: RegistrationResult) -> Double {
    var worst = 0.0
    for y in stride(from: 0, to: pair.floating.height, by: 20) {
      for x in stride(from: 0, to: pair.floating.width, by: 20) {
        let position = pair.truth.apply(x: Double(x), y: Double(y))
        guard pair.reference.size.contains(x: Int(position.x), y: Int(position.y)), position.x >= 0, position.y >= 0
        else {
          continue
        }
        let found = result.warpTransform.apply(x: Double(x), y: Double(y))
        worst = max(worst, hypot(found.x - position.x, found.y - position.y))
      }
    }
    return worst
  }

  @Test(arguments: [
    motion(turn: 60), motion(turn: 175, x: 8, y: 4), motion(turn: 15, zoom: 0.5), motion(turn: -10, zoom: 2),
    motion(turn: 4, x: 180, y: 6), motion(turn: -3, x: 5, y: -140),
  ])
  func imagesFarApartAreRegistered(truth: Homography) {
    let pair = SyntheticPair(truth, size: Self.size, gain: 0.8, offset: 12, noise: 1)
    let registration = ImageRegistration(model: .homography)
    let result = registration.estimate(reference: pair.reference, floating: pair.floating)
    #expect(result.model == .homography && result.reason == nil && result.confidence > 0.8)
    #expect(Self.error(pair, result) < 1)
  }

  /// Patterns that repeat, each with a period in pixels.
  enum Pattern: CaseIterable { case bricks, dots, chessboard }

  /// The smoothed pattern with grey levels that differ from part to part.
  private static func repeated(_ pattern: Pattern, period: Int, variation: Float, x: Double, y: Double) -> Float {
    func value(_ x: Double, _ y: Double) -> Float {
      let side = Double(period)
      let row = (y / (pattern == .bricks ? side / 2 : side)).rounded(.down)
      let shifted = pattern == .bricks && Int(row) % 2 != 0 ? x + side / 2 : x
      let column = (shifted / side).rounded(.down)
      var random = FixedRandom(seed: UInt64(bitPattern: Int64(row) * 4_093 + Int64(column) &* 131 + 77))
      let shade = variation * (Float.random(in: 0..<2, using: &random) - 1)
      let (fx, fy) = (shifted / side - column, y / (pattern == .bricks ? side / 2 : side) - row)
      return switch pattern {
      case .bricks: fx < 0.12 || fy < 0.2 ? 80 : 170 + shade
      case .dots: hypot(fx - 0.5, fy - 0.5) < 0.28 ? 60 + shade : 200
      case .chessboard: (Int(row) + Int(column)) % 2 == 0 ? 60 + shade : 190 + shade
      }
    }
    var sum: Float = 0
    for dy in [-0.33, 0.33] { for dx in [-0.33, 0.33] { sum += value(x + dx + 1000, y + dy + 1000) } }
    return sum / 4
  }

  @Test(arguments: Pattern.allCases, [14, 23, 40])
  func aGuessAmongEqualAlignmentsSaysSo(pattern: Pattern, period: Int) {
    var random = FixedRandom(seed: UInt64(period))
    for variation: Float in [0, 5] {
      let (x, y) = (Double.random(in: -60...60, using: &random), Double.random(in: -40...40, using: &random))
      func image(_ left: Double, _ top: Double) -> Plane<Float> {
        Plane(width: 300, height: 220) { column, row in
          Self.repeated(
            pattern, period: period, variation: variation, x: Double(column) + left, y: Double(row) + top)
            + Float.random(in: -3...3, using: &random)
        }
      }
      let result = ImageRegistration(model: .translation).estimate(reference: image(0, 0), floating: image(x, y))
      #expect(result.confidence < 0.5, "\(variation) \(result)")
    }
  }

  @Test func whereNothingRepeatsConfidenceStays() {
    for seed: UInt64 in 1...6 {
      let pair = SyntheticPair(Self.motion(x: 30, y: -20), size: Self.size, noise: 4, seed: seed)
      let result = ImageRegistration(model: .translation).estimate(reference: pair.reference, floating: pair.floating)
      #expect(result.confidence > 0.95 && pair.cornerError(result) < 0.2)
    }
  }

  @Test func refinementMakesAMapByKeypointsExact() {
    let pair = SyntheticPair(Self.motion(turn: 40), size: Self.size)
    let coarse = FeatureRegistration().estimate(
      reference: pair.reference, floating: pair.floating, model: .euclidean)
    let fine = ImageRegistration(model: .euclidean).estimate(reference: pair.reference, floating: pair.floating)
    #expect(Self.error(pair, fine) < 0.05)
    #expect(Self.error(pair, fine) < Self.error(pair, coarse))
  }

  @Test func consecutiveFramesAreRegisteredDirectly() {
    let pair = SyntheticPair(Self.motion(turn: 1, zoom: 1.01, x: 4, y: -3), size: Self.size, noise: 2)
    let direct = RegistrationEngine(model: .affine).estimate(reference: pair.reference, floating: pair.floating)
    for method in [ImageRegistration.Method.automatic, .direct] {
      let result = ImageRegistration(model: .affine, method: method)
        .estimate(reference: pair.reference, floating: pair.floating)
      #expect(result == direct)
    }
  }

  @Test func unrelatedImagesHaveNoConfidence() {
    for seed in [UInt64(1), 2, 3] {
      let one = SyntheticPair(.identity, size: Self.size, seed: seed).reference
      let other = SyntheticPair(.identity, size: Self.size, seed: seed + 40).reference
      let result = ImageRegistration(model: .homography).estimate(reference: one, floating: other)
      #expect(result.confidence < 0.2)
    }
  }

  /// A family that is too simple for the motion fits a part of the image at best.
  @Test func aFamilyThatIsTooSimpleIsNotTrusted() {
    let pair = SyntheticPair(Self.motion(turn: 25), size: Self.size)
    let result = ImageRegistration(model: .translation).estimate(reference: pair.reference, floating: pair.floating)
    #expect(result.confidence < 0.5)
  }

  @Test func nothingDependsOnTheNumberOfThreads() {
    let pair = SyntheticPair(Self.motion(turn: 50, zoom: 1.2), size: Self.size, noise: 2)
    let results = [1, 2, 3, 7].map { threads in
      ImageRegistration(model: .homography, parallelism: Parallelism(threadCount: threads))
        .estimate(reference: pair.reference, floating: pair.floating)
    }
    #expect(Set(results).count == 1)
  }

  @Test func smallAndBlankImagesHaveAReason() {
    let blank = Plane<Float>(size: Self.size, repeating: 90)
    let result = ImageRegistration(model: .affine).estimate(reference: blank, floating: blank)
    #expect(result.reason == .tooLittleTexture && result.confidence == 0)
    let tiny = Plane<Float>(width: 3, height: 1)
    let other = ImageRegistration(model: .affine).estimate(reference: tiny, floating: blank)
    #expect(other.reason == .imageTooSmall && other.confidence == 0)
  }
}
