import Foundation
import Imaging
import OpticalFlow
import TestSupport
import Testing

@Suite struct FarnebackTests {
  @Test(arguments: parameterSets)
  func aImageThatDoesNotMoveHasExactlyZeroFlow(parameters: FarnebackParameters) throws {
    for size in awkwardSizes + [PixelSize(width: 160, height: 120)] {
      var random = FixedRandom(seed: 3)
      let image = Plane(width: size.width, height: size.height) { _, _ in
        Float(Int.random(in: 0...255, using: &random))
      }
      let flow = try FarnebackEngine(parameters: parameters).flow(previous: image, current: image)
      #expect(flow.isExactlyZero, "\(size)")
    }
  }

  @Test(arguments: parameterSets)
  func constantImagesHaveZeroFlow(parameters: FarnebackParameters) throws {
    for size in awkwardSizes {
      let flow = try FarnebackEngine(parameters: parameters)
        .flow(previous: Plane(size: size, repeating: 200), current: Plane(size: size, repeating: 17))
      #expect(flow.isExactlyZero, "\(size)")
    }
  }

  @Test(arguments: parameterSets)
  func everySizeGivesFiniteFlowOfThatSize(parameters: FarnebackParameters) throws {
    for size in awkwardSizes {
      let motion = SyntheticMotion(width: size.width, height: size.height, shift: (1.5, -0.5))
      let flow = try motion.flow(parameters)
      #expect(flow.size == size && flow.isFinite)
    }
  }

  @Test(arguments: [(0.25, 0.0), (0, -0.6), (1.3, 0.7), (-2.4, 3.1), (6.5, -5.25)])
  func shiftsAreFoundToAFractionOfAPixel(shift: (Double, Double)) throws {
    let motion = SyntheticMotion(shift: shift)
    #expect(try motion.flow().meanError(margin: 16, truth: motion.truth) < 0.03)
  }

  @Test func rotationIsFound() throws {
    let angle = 2 * Double.pi / 180
    let motion = SyntheticMotion(matrix: (cos(angle), -sin(angle), sin(angle), cos(angle)))
    let error = try motion.flow().meanError(margin: 16, truth: motion.truth)
    #expect(error < 0.08)  // the window takes motion for constant: at its edge, 7 pixels away, it is 0.25 off
  }

  @Test func zoomIsFound() throws {
    let motion = SyntheticMotion(matrix: (1.03, 0, 0, 1.03))
    #expect(try motion.flow().meanError(margin: 16, truth: motion.truth) < 0.06)
  }

  @Test func theGaussianWindowFindsMotionToo() throws {
    let motion = SyntheticMotion(matrix: (1.02, 0.01, -0.01, 1.02), shift: (1.5, -2.25))
    let error = try motion.flow(FarnebackParameters(windowKind: .gaussian)).meanError(margin: 16, truth: motion.truth)
    #expect(error < 0.05)
  }

  @Test func motionBeyondTheImageStaysFinite() throws {
    for shift in [(1000.0, 0.0), (-400, 700), (90, 90)] {
      #expect(try SyntheticMotion(width: 80, height: 60, shift: shift).flow().isFinite)
    }
    let black = Plane<Float>(width: 80, height: 60)
    let noise = Texture(seed: 9).image(width: 80, height: 60)
    #expect(try FarnebackEngine().flow(previous: black, current: noise).isFinite)
  }

  @Test func pixelsThatAreNoNumbersDoNoHarm() throws {
    var image = Texture().image(width: 70, height: 50)
    image[20, 20] = .nan
    image[50, 30] = .infinity
    let clean = Texture().image(width: 70, height: 50)
    #expect(try FarnebackEngine().flow(previous: image, current: clean).size == clean.size)
    #expect(try FarnebackEngine().flow(previous: clean, current: image).size == clean.size)
  }

  @Test(arguments: parameterSets)
  func threadsDoNotChangeABit(parameters: FarnebackParameters) throws {
    let motion = SyntheticMotion(width: 203, height: 151, matrix: (1.02, 0.03, -0.03, 1.02), shift: (3.5, -2.25))
    let expected = try motion.flow(parameters).bits
    for threads in [2, 3, 7] { #expect(try motion.flow(parameters, threads: threads).bits == expected) }
  }

  @Test func aUsedWorkspaceDoesNotChangeABit() throws {
    let engine = try FarnebackEngine()
    let sizes = [(90, 70), (64, 64), (90, 70), (33, 120)]
    var workspace = engine.makeWorkspace()
    var (previous, current) = (engine.makePrepared(), engine.makePrepared())
    for (index, size) in sizes.enumerated() {
      let motion = SyntheticMotion(
        width: size.0, height: size.1, shift: (1.5, 2), texture: Texture(seed: UInt64(index)))
      engine.prepare(motion.previous, into: &previous)
      engine.prepare(motion.current, into: &current)
      let reused = engine.flow(previous: previous, current: current, workspace: &workspace)
      #expect(try reused.bits == motion.flow().bits)
    }
  }

  @Test func aReturnedFieldIsNotOverwrittenByTheNextCall() throws {
    let engine = try FarnebackEngine()
    var workspace = engine.makeWorkspace()
    let motion = SyntheticMotion(shift: (2, 1))
    let (previous, current) = (engine.prepare(motion.previous), engine.prepare(motion.current))
    let first = engine.flow(previous: previous, current: current, workspace: &workspace)
    let bits = first.bits
    _ = engine.flow(previous: current, current: previous, workspace: &workspace)
    #expect(first.bits == bits)
  }
}
