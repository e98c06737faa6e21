import Foundation
import Imaging
import OpticalFlow
import TestSupport
import Testing

/// Parameters that take every path.
private let lucasKanadeParameterSets: [LucasKanadeParameters] = [
  .low, .medium, .high, .veryHigh,
  LucasKanadeParameters(windowKind: .box, windowShift: 0, median: .off),
  LucasKanadeParameters(windowKind: .gaussian, windowShift: 1, sampling: .bicubic, median: .small),
  LucasKanadeParameters(levels: 0, windowSize: 3, iterations: 1, regularization: 0.001),
  LucasKanadeParameters(pyramidScale: 0.95, levels: 50, windowSize: 255, iterations: 1, median: .large),
]

@Suite struct LucasKanadeTests {
  @Test(arguments: lucasKanadeParameterSets)
  func aImageThatDoesNotMoveHasExactlyZeroFlow(parameters: LucasKanadeParameters) throws {
    for size in awkwardSizes + [PixelSize(width: 160, height: 120)] {
      var random = FixedRandom(seed: 3)
      let image = Plane(width: size.width, height: size.height) { _, _ in
        Float(Int.random(in: 0...255, using: &random))
      }
      let flow = try LucasKanadeEngine(parameters: parameters).flow(previous: image, current: image)
      #expect(flow.isExactlyZero, "\(size)")
    }
  }

  @Test(arguments: lucasKanadeParameterSets)
  func constantImagesHaveZeroFlow(parameters: LucasKanadeParameters) throws {
    for size in awkwardSizes {
      let flow = try LucasKanadeEngine(parameters: parameters)
        .flow(previous: Plane(size: size, repeating: 200), current: Plane(size: size, repeating: 17))
      #expect(flow.isExactlyZero, "\(size)")
    }
  }

  @Test(arguments: lucasKanadeParameterSets)
  func everySizeGivesFiniteFlowOfThatSize(parameters: LucasKanadeParameters) throws {
    for size in awkwardSizes {
      let flow = try SyntheticMotion(width: size.width, height: size.height, shift: (1.5, -0.5)).lucasKanade(parameters)
      #expect(flow.size == size && flow.isFinite)
    }
  }

  @Test(
    arguments: [LucasKanadeParameters.low, .medium, .high, .veryHigh],
    [(0.25, 0.0), (0, -0.6), (1.3, 0.7), (-2.4, 3.1), (6.5, -5.25)])
  func shiftsAreFoundToAFractionOfAPixel(parameters: LucasKanadeParameters, shift: (Double, Double)) throws {
    let motion = SyntheticMotion(shift: shift)
    #expect(try motion.lucasKanade(parameters).meanError(margin: 16, truth: motion.truth) < 0.02)
  }

  // A window takes motion for constant. Of a motion that is linear in position the plain mean over a window is exact,
  // but the equations weigh each pixel with its texture: solved exactly, with the true gradients and no interpolation,
  // they are
  // 0.067 pixels off on average at 13×13 and 2° (0.064 at 11×11), away from the border. The windows to choose from lie
  // up to four pixels beside, and fit as well there: each of the nine alone would be 0.164 off, on average. The choice
  // costs that much where all fit alike, and gains more at motion borders: the four levels are 0.109 to 0.118 off in
  // these images without any noise, where small differences decide, and 0.087 to 0.095 when grey levels are rounded to
  // 8 bits.
  @Test(arguments: [LucasKanadeParameters.low, .medium, .high, .veryHigh])
  func rotationIsFound(parameters: LucasKanadeParameters) throws {
    let motion = rotation
    #expect(try motion.lucasKanade(parameters).meanError(margin: 16, truth: motion.truth) < 0.12)
    func rounded(_ image: Plane<Float>) -> Plane<Float> {
      Plane(width: image.width, height: image.height) { x, y in image[x, y].rounded() }
    }
    let flow = try LucasKanadeEngine(parameters: parameters)
      .flow(previous: rounded(motion.previous), current: rounded(motion.current))
    #expect(flow.meanError(margin: 16, truth: motion.truth) < 0.1)
  }

  /// Interpolation and iterations lose next to nothing: 0.0673 remain with bilinear sampling, of 0.0668 that the model
  /// must have.
  @Test func aWindowInTheMiddleFindsRotationAsWellAsItsModelCan() throws {
    let motion = rotation
    let parameters = LucasKanadeParameters(windowSize: 13, windowShift: 0)
    #expect(try motion.lucasKanade(parameters).meanError(margin: 16, truth: motion.truth) < 0.069)
  }

  private var rotation: SyntheticMotion {
    let angle = 2 * Double.pi / 180
    return SyntheticMotion(matrix: (cos(angle), -sin(angle), sin(angle), cos(angle)))
  }

  @Test(arguments: [LucasKanadeParameters.low, .medium, .high, .veryHigh])
  func zoomIsFound(parameters: LucasKanadeParameters) throws {
    let motion = SyntheticMotion(matrix: (1.03, 0, 0, 1.03))
    #expect(try motion.lucasKanade(parameters).meanError(margin: 16, truth: motion.truth) < 0.1)
  }

  @Test func aMotionBorderIsSharpWithShiftedWindows() throws {
    let pair = squareOnBackground()
    func error(_ shift: Double) throws -> Double {
      try LucasKanadeEngine(parameters: LucasKanadeParameters(windowSize: 15, windowShift: shift))
        .flow(previous: pair.previous, current: pair.current)
        .meanError(margin: 16, truth: pair.truth)
    }
    #expect(try error(0.6) < 0.6 * error(0))
  }

  @Test func flatSurfacesTakeTheMotionOfTheirSurroundings() throws {
    // A texture around a disc without any, which is smaller than the window of the coarsest level.
    func image(_ shift: Double) -> Plane<Float> {
      let texture = Texture(seed: 4).image(width: 160, height: 120) { x, y in (x - shift, y) }
      return Plane(width: 160, height: 120) { x, y in
        hypot(Double(x) - 80 - shift, Double(y) - 60) < 18 ? 128 : texture[x, y]
      }
    }
    let flow = try LucasKanadeEngine().flow(previous: image(0), current: image(3))
    #expect(abs(flow[80, 60].u - 3) < 0.3 && abs(flow[80, 60].v) < 0.3)
  }

  @Test(arguments: [LucasKanadeParameters.low, .veryHigh])
  func motionBeyondTheImageStaysFinite(parameters: LucasKanadeParameters) throws {
    for shift in [(1000.0, 0.0), (-400, 700), (90, 90)] {
      #expect(try SyntheticMotion(width: 80, height: 60, shift: shift).lucasKanade(parameters).isFinite)
    }
    let black = Plane<Float>(width: 80, height: 60)
    let noise = Texture(seed: 9).image(width: 80, height: 60)
    #expect(try LucasKanadeEngine(parameters: parameters).flow(previous: black, current: noise).isFinite)
  }

  @Test func pixelsThatAreNoNumbersDoNoHarm() throws {
    var image = Texture().image(width: 70, height: 50)
    image[20, 20] = .nan
    image[50, 30] = .infinity
    let clean = Texture().image(width: 70, height: 50)
    let engine = try LucasKanadeEngine(parameters: .veryHigh)
    #expect(engine.flow(previous: image, current: clean).size == clean.size)
    #expect(engine.flow(previous: clean, current: image).size == clean.size)
  }

  @Test(arguments: lucasKanadeParameterSets)
  func threadsDoNotChangeABit(parameters: LucasKanadeParameters) throws {
    let motion = SyntheticMotion(width: 203, height: 151, matrix: (1.02, 0.03, -0.03, 1.02), shift: (3.5, -2.25))
    let expected = try motion.lucasKanade(parameters).bits
    for threads in [2, 3, 7] { #expect(try motion.lucasKanade(parameters, threads: threads).bits == expected) }
  }

  @Test(arguments: [LucasKanadeParameters.medium, .veryHigh])
  func aUsedWorkspaceDoesNotChangeABit(parameters: LucasKanadeParameters) throws {
    let engine = try LucasKanadeEngine(parameters: parameters)
    let sizes = [(90, 70), (64, 64), (90, 70), (33, 120), (200, 9)]
    var workspace = engine.makeWorkspace()
    var (previous, current) = (engine.makePrepared(), engine.makePrepared())
    for (index, size) in sizes.enumerated() {
      let motion = SyntheticMotion(
        width: size.0, height: size.1, shift: (1.5, 2), texture: Texture(seed: UInt64(index)))
      engine.prepare(motion.previous, into: &previous)
      engine.prepare(motion.current, into: &current)
      let reused = engine.flow(previous: previous, current: current, workspace: &workspace)
      #expect(try reused.bits == motion.lucasKanade(parameters).bits)
    }
  }

  @Test func aReturnedFieldIsNotOverwrittenByTheNextCall() throws {
    let engine = try LucasKanadeEngine()
    var workspace = engine.makeWorkspace()
    let motion = SyntheticMotion(shift: (2, 1))
    let (previous, current) = (engine.prepare(motion.previous), engine.prepare(motion.current))
    let first = engine.flow(previous: previous, current: current, workspace: &workspace)
    let bits = first.bits
    _ = engine.flow(previous: current, current: previous, workspace: &workspace)
    #expect(first.bits == bits)
  }

  @Test func theMinimumEigenvalueIsThatOfTheStructureTensor() throws {
    let engine = try LucasKanadeEngine(parameters: LucasKanadeParameters(windowSize: 9))
    func eigenvalues(_ pixel: (Int, Int) -> Float) -> Plane<Float> {
      engine.minimumEigenvalue(of: engine.prepare(Plane(width: 50, height: 40, pixel: pixel)))
    }
    #expect(eigenvalues { _, _ in 77 } == Plane(width: 50, height: 40))
    // A ramp has no texture across its slope.
    #expect(eigenvalues { x, y in Float(2 * x + 3 * y) }[25, 20] < 1e-3)
    // A roof with slopes of ±2 and ±4 and flat ridges: around the top the window holds 8/9 of 2² and of 4².
    let roof = eigenvalues { (x: Int, y: Int) -> Float in
      let (across, down) = (2 * abs(x - 25), 4 * abs(y - 20))
      return Float(200 - across - down)
    }
    #expect(abs(roof[25, 20] - 32.0 / 9) < 1e-3)
  }

  /// A textured square that moves over a textured background, which stands still.
  private func squareOnBackground() -> (
    previous: Plane<Float>, current: Plane<Float>, truth: (Double, Double) -> (Double, Double)
  ) {
    let (background, square) = (Texture(seed: 11), Texture(seed: 12))
    func image(_ shift: Double) -> Plane<Float> {
      Plane(width: 160, height: 120) { x, y in
        let (sx, sy) = (Double(x) - shift, Double(y))
        let isSquare = abs(sx - 80) <= 25 && abs(sy - 60) <= 25
        return isSquare ? square.value(sx, sy) : background.value(Double(x), Double(y))
      }
    }
    return (image(0), image(3), { x, y in (abs(x - 80) <= 25 && abs(y - 60) <= 25 ? 3 : 0, 0) })
  }
}

extension SyntheticMotion {
  fileprivate func lucasKanade(_ parameters: LucasKanadeParameters, threads: Int = 1) throws -> FlowField {
    try LucasKanadeEngine(parameters: parameters, parallelism: Parallelism(threadCount: threads))
      .flow(previous: previous, current: current)
  }
}
