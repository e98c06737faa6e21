import FlowFormats
import Imaging
import OpticalFlow
import TestSupport
import Testing
import VideoIO

@Suite struct InverseSearchTests {
  private static let presets: [InverseSearchParameters] = [.low, .medium, .high, .veryHigh]
  /// Parameters that take every path.
  private static let sets =
    presets + [
      InverseSearchParameters(levelsPerOctave: 1, searchOctave: 0, patchStride: 3),
      InverseSearchParameters(
        levelsPerOctave: 5, finestLevel: 2, minimumSide: 4, searchOctave: 1, minimumImprovement: 2, warps: 3,
        innerIterations: 1, relaxationIterations: 1, medianFilterPasses: 2),
      InverseSearchParameters(searchOctave: 0, warps: 0),
      InverseSearchParameters(propagations: 0, edgeFloor: 1, medianFilterPasses: 0),
      InverseSearchParameters(minimumSide: 4, searchOctave: 0, searchIterations: 0, patchStride: 8),
      InverseSearchParameters(searchOctave: 1, searchTolerance: 1.5, propagations: 1),
    ]

  private func flow(
    _ parameters: InverseSearchParameters, _ motion: SyntheticMotion, threads: Int = 1
  ) throws -> FlowField {
    try InverseSearchEngine(parameters: parameters, parallelism: Parallelism(threadCount: threads))
      .flow(previous: motion.previous, current: motion.current)
  }

  @Test(arguments: sets)
  func aStillImageHasExactlyZeroFlow(parameters: InverseSearchParameters) throws {
    #expect(try flow(parameters, SyntheticMotion()).isExactlyZero)
    for size in awkwardSizes {
      let motion = SyntheticMotion(width: size.width, height: size.height)
      #expect(try flow(parameters, motion).isExactlyZero, "\(size)")
    }
  }

  @Test(arguments: sets)
  func imagesWithoutTextureHaveZeroFlow(parameters: InverseSearchParameters) throws {
    for size in awkwardSizes {
      let (dark, light) = (Plane<Float>(size: size, repeating: 10), Plane<Float>(size: size, repeating: 90))
      let engine = try InverseSearchEngine(parameters: parameters, parallelism: .serial)
      #expect(engine.flow(previous: dark, current: dark).isExactlyZero, "\(size)")
      // Rounding leaves slopes of a millionth of a grey level in the smaller images.
      let flow = engine.flow(previous: dark, current: light)
      #expect(flow.bits.allSatisfy { abs(Float(bitPattern: $0)) < 0.05 }, "\(size)")
    }
  }

  @Test(arguments: sets)
  func everySizeGivesFiniteFlowOfThatSize(parameters: InverseSearchParameters) throws {
    for size in awkwardSizes {
      for shift in [(1.5, -0.5), (300.0, -200.0)] {
        let motion = SyntheticMotion(width: size.width, height: size.height, shift: shift)
        let result = try flow(parameters, motion)
        #expect(result.size == size && result.isFinite, "\(size)")
      }
    }
  }

  @Test(arguments: sets)
  func threadsDoNotChangeABit(parameters: InverseSearchParameters) throws {
    let motion = SyntheticMotion(width: 211, height: 303, matrix: (1.02, 0.01, -0.03, 0.98), shift: (3, -2))
    let bits = try [1, 2, 3, 7].map { try flow(parameters, motion, threads: $0).bits }
    #expect(bits.allSatisfy { $0 == bits[0] })
  }

  @Test func memoryOfOtherImagesChangesNothing() throws {
    let motions = [(160, 120), (97, 131), (33, 17), (160, 120)].map { width, height in
      SyntheticMotion(width: width, height: height, shift: (2.25, 1))
    }
    for parameters in Self.sets {
      let engine = try InverseSearchEngine(parameters: parameters, parallelism: .serial)
      var workspace = engine.makeWorkspace()
      var prepared = (engine.makePrepared(), engine.makePrepared())
      for motion in motions {
        engine.prepare(motion.previous, into: &prepared.0)
        engine.prepare(motion.current, into: &prepared.1)
        let reused = engine.flow(previous: prepared.0, current: prepared.1, workspace: &workspace)
        #expect(try reused.bits == flow(parameters, motion).bits)
      }
    }
  }

  @Test(arguments: presets)
  func smoothMotionIsFound(parameters: InverseSearchParameters) throws {
    let motions: [(String, SyntheticMotion)] = [
      ("shift", SyntheticMotion(shift: (0.4, -1.3))), ("far", SyntheticMotion(shift: (14.5, -9.25))),
      ("rotation", SyntheticMotion(matrix: (0.9986, 0.0523, -0.0523, 0.9986))),
      ("zoom", SyntheticMotion(matrix: (1.05, 0, 0, 1.05))),
    ]
    for (name, motion) in motions {
      let error = try flow(parameters, motion).meanError(margin: 20, truth: motion.truth)
      #expect(error < 0.15, "\(name): \(error)")
    }
  }

  /// Returns the mean distance of the flow from 3 pixels to the right, within the square of the test below.
  private static func meanError(_ flow: FlowField) -> Float {
    var sum: Float = 0
    for y in 52..<72 {
      for x in 82..<102 {
        let (u, v) = (flow.u[x, y] - 3, flow.v[x, y])
        sum += (u * u + v * v).squareRoot()
      }
    }
    return sum / 400
  }

  /// In a part of the images flow is as good as in the whole; around it nothing moves. The part of all is the whole.
  /// After a single iteration flow is as yet wherever it began, and one start says nothing about another.
  @Test(arguments: sets, [1, 2])
  func flowInARegionIsAsGoodAsInTheWhole(parameters: InverseSearchParameters, threadCount: Int) throws {
    let (texture, square) = (Texture(seed: 30), Texture(seed: 31))
    func image(at x0: Int) -> Plane<Float> {
      Plane(width: 200, height: 150) { x, y in
        let isSquare = (x0..<x0 + 24).contains(x) && (50..<74).contains(y)
        return Float(isSquare ? square.value(Double(x - x0), Double(y)) : texture.value(Double(x), Double(y)))
      }
    }
    let engine = try InverseSearchEngine(parameters: parameters, parallelism: Parallelism(threadCount: threadCount))
    var (previous, current, workspace) = (engine.makePrepared(), engine.makePrepared(), engine.makeWorkspace())
    engine.prepare(image(at: 80), into: &previous)
    engine.prepare(image(at: 83), into: &current)
    let whole = engine.flow(previous: previous, current: current, startingFrom: nil, workspace: &workspace)
    let all = engine.flow(
      previous: previous, current: current, in: [PixelRect(whole: previous.size)], workspace: &workspace)
    #expect(all.u == whole.u && all.v == whole.v)
    let (near, wide) = (PixelRect(x: 49, y: 21, width: 92, height: 83), PixelRect(x: 0, y: 30, width: 133, height: 120))
    let three = [(60, 30, 60, 70), (160, 110, 40, 40), (0, 0, 40, 20)].map {
      PixelRect(x: $0, y: $1, width: $2, height: $3)
    }
    for regions in [[near], [wide], three] {
      let part = engine.flow(previous: previous, current: current, in: regions, workspace: &workspace)
      var movesOutside = false
      for y in 0..<150 {
        for x in 0..<200 where !regions.contains(where: { $0.columns.contains(x) && $0.rows.contains(y) }) {
          movesOutside = movesOutside || part.u[x, y] != 0 || part.v[x, y] != 0
        }
      }
      #expect(!movesOutside, "\(regions)")
      let (error, wholeError) = (Self.meanError(part), Self.meanError(whole))
      let converges = parameters.innerIterations * parameters.relaxationIterations > 1
      #expect(!converges || error < wholeError + 0.1, "\(error) px, \(wholeError) px in the whole")
    }
  }

  @Test(arguments: [0, 1.5])
  func toleratedNoiseHidesNoMotion(tolerance: Double) throws {
    let (texture, square) = (Texture(seed: 30), Texture(seed: 31))
    func image(at x0: Int, seed: UInt64) -> Plane<Float> {
      var random = FixedRandom(seed: seed)
      return Plane(width: 160, height: 120) { x, y in
        let isSquare = (x0..<x0 + 24).contains(x) && (50..<74).contains(y)
        let value = isSquare ? square.value(Double(x - x0), Double(y)) : texture.value(Double(x), Double(y))
        return Float(value) + Float.random(in: -1...1, using: &random)
      }
    }
    let parameters = InverseSearchParameters(levelsPerOctave: 1, searchOctave: 0, searchTolerance: tolerance)
    let flow = try InverseSearchEngine(parameters: parameters, parallelism: .serial)
      .flow(previous: image(at: 70, seed: 40), current: image(at: 75, seed: 41))
    let positions = [(76, 56, 5), (82, 62, 5), (88, 68, 5), (20, 20, 0), (20, 100, 0), (140, 20, 0), (140, 100, 0)]
    for (x, y, shift) in positions {
      let (u, v) = (flow.u[x, y], flow.v[x, y])
      #expect(abs(u - Float(shift)) < 0.3 && abs(v) < 0.3, "(\(u), \(v)) at (\(x), \(y))")
    }
  }

  @Test(arguments: presets)
  func aCoveredBackgroundLeavesTheSquareSharp(parameters: InverseSearchParameters) throws {
    let (background, square) = (Texture(seed: 8), Texture(seed: 9))
    func image(at x0: Int) -> Plane<Float> {
      Plane(width: 200, height: 150) { x, y in
        let isSquare = x >= x0 && x < x0 + 80 && y >= 40 && y < 110
        return isSquare
          ? square.value(Double(x - x0), Double(y)) : background.value(Double(x), Double(y))
      }
    }
    let flow = try InverseSearchEngine(parameters: parameters).flow(previous: image(at: 60), current: image(at: 66))
    var wrong = 0
    for y in 10..<140 {
      for x in 10..<190 {
        let isSquare = x >= 60 && x < 140 && y >= 40 && y < 110
        if abs(flow[x, y].u - (isSquare ? 6 : 0)) > 1 || abs(flow[x, y].v) > 1 { wrong += 1 }
      }
    }
    #expect(Double(wrong) / Double(130 * 180) < 0.06, "\(wrong)")
  }

  @Test(arguments: presets)
  func aChangeOfBrightnessIsNoMotion(parameters: InverseSearchParameters) throws {
    let motion = SyntheticMotion(shift: (1.5, 0.75))
    let brighter = Plane<Float>(width: 160, height: 120) { motion.current[$0, $1] + 12 }
    let flow = try InverseSearchEngine(parameters: parameters).flow(previous: motion.previous, current: brighter)
    #expect(flow.meanError(margin: 20, truth: motion.truth) < 0.5)
  }

  @Test func parametersAreChecked() throws {
    for (text, name) in [
      ("warps=21", "warps"), ("overrelaxation=2", "overrelaxation"), ("patch-stride=0", "patch-stride"),
    ] {
      let error = thrown(ParameterError.self) {
        try InverseSearchParameters(overriding: .medium, with: text)
      }
      #expect(error?.message.contains(name) == true)
    }
    for preset in Self.presets {
      try preset.validate()
      #expect(try InverseSearchParameters(overriding: .low, with: preset.text) == preset)
    }
  }

  /// Mean endpoint errors over the eight pairs. The bounds leave room for changes of rounding, not of the method.
  @Test(.enabled(if: TestData.has("flow/middlebury"), "needs the test data")) func theLevelsKeepTheirPrecision() throws
  {
    let folder = try TestData.url("flow/middlebury")
    let bounds = [0.55, 0.38, 0.30, 0.27]
    let names = ["Dimetrodon", "Grove2", "Grove3", "Hydrangea", "RubberWhale", "Urban2", "Urban3", "Venus"]
    var sums = [Double](repeating: 0, count: bounds.count)
    for name in names {
      let files = folder.appendingPathComponent(name)
      let previous = try StillImage.luma(contentsOf: files.appendingPathComponent("frame10.png").path)
      let current = try StillImage.luma(contentsOf: files.appendingPathComponent("frame11.png").path)
      let truth = try MiddleburyFlow.read(contentsOf: files.appendingPathComponent("flow10.flo").path)
      for (level, parameters) in Self.presets.enumerated() {
        let flow = try InverseSearchEngine(parameters: parameters).flow(previous: previous, current: current)
        sums[level] += try FlowMetrics(estimate: flow, truth: truth).averageEndpointError / Double(names.count)
      }
    }
    for (sum, bound) in zip(sums, bounds) { #expect(sum < bound) }
  }
}
