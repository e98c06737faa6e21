import Foundation
import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// The border between what frames show and what is remembered.
@Suite struct PairEvidenceTests {
  private static let size = PixelSize(width: 160, height: 96)

  /// A textured square on its way over another texture, with a little noise; lit differently from `light` on.
  private static func frames(_ count: Int, seed: UInt64 = 5, light: Int = .max) -> [AnalyzedFrame] {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    var random = FixedRandom(seed: seed)
    return (0..<count).map { t in
      let (left, top) = (20 + 1.5 * Double(t), 30 + 0.5 * Double(t))
      let image = Plane<Float>(width: size.width, height: size.height) { x, y in
        let (dx, dy) = (Double(x) - left, Double(y) - top)
        let isCovered = dx >= 0 && dy >= 0 && dx < 24 && dy < 24
        let value = isCovered ? cover.value(dx, dy) : ground.value(Double(x), Double(y))
        return (t < light ? 1 : 0.8) * value + Float.random(in: -1...1, using: &random)
      }
      return AnalyzedFrame(number: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)), image: image)
    }
  }

  private static func comparer() -> FramePairComparer {
    FramePairComparer(
      analyzedSize: size, compensation: .homography, parallelism: .serial, prediction: FlowPrediction())
  }

  /// Evidence is a function of its arguments: neither the order nor what else was compared changes it.
  @Test func evidenceDependsOnTheTwoFramesAlone() throws {
    let frames = Self.frames(8, light: 5)
    let used = Self.comparer()
    let inOrder = (1..<8).map { used.evidence(previous: frames[$0 - 1], current: frames[$0]) }
    for t in (1..<8).reversed() {
      #expect(used.evidence(previous: frames[t - 1], current: frames[t]) == inOrder[t - 1], "pair \(t), again")
      let alone = Self.comparer().evidence(previous: frames[t - 1], current: frames[t])
      #expect(alone == inOrder[t - 1], "pair \(t), alone")
    }
    #expect(inOrder.allSatisfy { !$0.cells.motions.isEmpty })
  }

  /// A pan over a striped ground changes the light of its cells, and no light explains it.
  @Test(arguments: [4.0, 9]) func aPanOverStripesIsACamera(step: Double) throws {
    let size = PixelSize(width: 320, height: 180)
    let (trees, ground) = (Texture(seed: 3), Texture(seed: 8))
    let frames = (0..<2).map { t in
      let image = Plane<Float>(width: size.width, height: size.height) { x, y in
        let column = Double(x) + step * Double(t)
        return y < 60 ? trees.value(column, Double(y)) : ground.value(column / 16, Double(y))
      }
      return AnalyzedFrame(number: t, time: MediaTime(value: Int64(t), timeBase: Rational(1, 25)), image: image)
    }
    let comparer = FramePairComparer(
      analyzedSize: size, compensation: .homography, parallelism: .serial, prediction: FlowPrediction())
    let evidence = comparer.evidence(previous: frames[0], current: frames[1])
    let camera = try #require(evidence.camera)
    #expect(abs(camera.distance - step) < 0.3, "\(camera.distance)")
    #expect(evidence.cells.motions.count < 50, "\(evidence.cells.motions.count)")
  }

  /// A displacement of the whole image explains how a camera that turns changes the means of the cells, over stripes
  /// too, and not how a light changes them, even where it makes one half brighter and the other darker.
  @Test func aLightIsNoDisplacement() {
    let texture = Texture(seed: 8)
    func image(shift: Double = 0, stripes: Bool = false, gain: (Int) -> Float = { _ in 1 }) -> Plane<Float> {
      Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
        gain(x) * texture.value(Double(x) + shift, stripes ? 0 : Double(y))
      }
    }
    var comparer = CellComparer(grid: CellGrid(size: Self.size))
    for stripes in [false, true] {
      let (previous, current) = (image(stripes: stripes), image(shift: 3, stripes: stripes))
      #expect(comparer.differences(previous: previous, current: current).mayBeCamera(isTurning: false), "\(stripes)")
    }
    let lights: [(Int) -> Float] = [{ _ in 0.8 }, { _ in 1.2 }, { $0 < Self.size.width / 2 ? 0.8 : 1.2 }]
    for light in lights {
      let differences = comparer.differences(previous: image(), current: image(gain: light))
      #expect(differences.illuminationChangeShare > 0.8 && !differences.mayBeCamera(isTurning: false))
      #expect(differences.mayBeCamera(isTurning: true))
    }
  }

  /// Evidence that was stored elsewhere and read again leads memory to the same observations.
  @Test func memoryTakesStoredEvidence() throws {
    let frames = Self.frames(30)
    let analyzer = FramePairAnalyzer(
      analyzedSize: Self.size, compensation: .homography, parallelism: .serial)
    let direct = frames.map { analyzer.measure($0).observation }
    var memory = MotionMemory(grid: CellGrid(size: Self.size))
    let comparer = Self.comparer()
    memory.start(seconds: 0)
    for t in 1..<30 {
      let evidence = comparer.evidence(
        previous: frames[t - 1], current: frames[t], prior: EvidencePrior(noiseFloor: memory.noiseFloor))
      let sent = try JSONDecoder().decode(PairEvidence.self, from: JSONEncoder().encode(evidence))
      #expect(sent == evidence)
      let observation = memory.advance(sent.cells, camera: sent.camera?.map, seconds: sent.time.seconds)
      let expected = try #require(direct[t])
      #expect(observation.movingCells == expected.movingCells && observation.motionMask == expected.motionMask)
      #expect(observation.lightShare == expected.lightShare)
    }
    #expect(direct.last??.movingCells.isEmpty == false)
  }

  /// Without a prior evidence holds more cells than memory counts; what travels is the same.
  @Test func evidenceWithoutAPriorIsEnoughForWhatTravels() throws {
    let frames = Self.frames(30)
    let grid = CellGrid(size: Self.size)
    var memories = (with: MotionMemory(grid: grid), without: MotionMemory(grid: grid))
    memories.with.start(seconds: 0)
    memories.without.start(seconds: 0)
    let comparer = Self.comparer()
    for t in 1..<30 {
      func evidence(_ prior: EvidencePrior) throws -> CellEvidence {
        comparer.evidence(previous: frames[t - 1], current: frames[t], prior: prior).cells
      }
      let seconds = frames[t].time.seconds
      let with = memories.with.advance(
        try evidence(EvidencePrior(noiseFloor: memories.with.noiseFloor)), seconds: seconds)
      let without = memories.without.advance(try evidence(EvidencePrior()), seconds: seconds)
      let (a, b) = (Set(with.movingCells.map(\.cell)), Set(without.movingCells.map(\.cell)))
      #expect(a.symmetricDifference(b).count <= max(a.count, b.count) / 5, "pair \(t): \(a.count), \(b.count)")
      if t == 29 { #expect(a.count >= 20 && b.count >= 20, "\(a.count), \(b.count)") }
    }
  }
}
