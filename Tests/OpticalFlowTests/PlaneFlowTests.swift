import Imaging
import OpticalFlow
import TestSupport
import Testing

@Suite struct PlaneFlowTests {
  private func flow(
    _ parameters: InverseSearchParameters, _ previous: Plane<Float>, _ current: Plane<Float>
  ) throws -> FlowField {
    try InverseSearchEngine(parameters: parameters, parallelism: .serial)
      .flow(previous: previous, current: current)
  }

  /// Errors with the parameters' planes and without any.
  private func compare(
    _ parameters: InverseSearchParameters, _ scene: PlaneScene
  ) throws -> (with: PlaneScene.Errors, without: PlaneScene.Errors) {
    var without = parameters
    without.planes = 0
    return try (
      scene.errors(of: flow(parameters, scene.previous, scene.current)),
      scene.errors(of: flow(without, scene.previous, scene.current))
    )
  }

  @Test(arguments: [0, 16], [PlaneScene.ground, PlaneScene.zoom])
  func planesContinueBeyondTheImage(searchRadius: Int, motion: Homography) throws {
    // Planes are found at full size too.
    let parameters = InverseSearchParameters(searchOctave: 0, searchRadius: searchRadius)
    for seed in UInt64(1)...5 {
      let (present, former) = try compare(parameters, PlaneScene(motion, seed: seed))
      #expect(present.share > 0.25)
      #expect(present.leaving <= former.leaving / 3, "seed \(seed): \(present.leaving) after \(former.leaving)")
      #expect(present.staying <= former.staying + 0.01, "seed \(seed): \(present.staying) after \(former.staying)")
    }
  }

  /// Levels finer than the search blur what planes say: less is left of it than where they are found at full size.
  @Test(arguments: [InverseSearchParameters.medium, .high])
  func presetsKeepSomeOfIt(parameters: InverseSearchParameters) throws {
    var parameters = parameters
    parameters.searchRadius = 0
    for seed in UInt64(1)...5 {
      let (present, former) = try compare(parameters, PlaneScene(PlaneScene.ground, seed: seed))
      #expect(present.leaving <= 0.6 * former.leaving, "seed \(seed): \(present.leaving) after \(former.leaving)")
      #expect(present.staying <= former.staying + 0.01, "seed \(seed): \(present.staying) after \(former.staying)")
    }
  }

  /// A surface that leaves the image has no match, but among the small images of coarse levels a wide window finds one.
  @Test(arguments: [InverseSearchParameters.medium, .high])
  func aWideWindowFindsNoMatchForWhatLeavesTheImage(parameters: InverseSearchParameters) throws {
    let scene = PlaneScene(PlaneScene.groundMotion(rate: 0.0012, turn: 8), seed: 3)
    var near = parameters
    near.searchRadius = 0
    let wide = try scene.errors(of: flow(parameters, scene.previous, scene.current))
    let former = try scene.errors(of: flow(near, scene.previous, scene.current))
    #expect(wide.leaving < 2 * former.leaving && wide.staying < 2 * former.staying, "\(wide) after \(former)")
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5])
  func aSmallThingThatJumpsIsFoundInAWideWindow(seed: UInt64) throws {
    // It is 24 pixels wide: patches of 8 pixels find it at full size and at half of it.
    let wide = InverseSearchParameters(searchOctave: 0, searchRadius: 16)
    var near = wide
    near.searchRadius = 0
    for jump in [(x: 20, y: 0), (-20, 0), (0, 20), (12, -16)] {
      let scene = JumpScene(jump: jump, seed: seed)
      let found = try scene.foundShare(flow(wide, scene.previous, scene.current))
      let missed = try scene.foundShare(flow(near, scene.previous, scene.current))
      #expect(found > 0.85 && missed < 0.15, "\(jump): \(found) and \(missed)")
    }
  }
}
