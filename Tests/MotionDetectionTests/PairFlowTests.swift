import Imaging
import TestSupport
import Testing

@testable import MotionDetection

@Suite struct PairFlowTests {
  private static let size = PixelSize(width: 168, height: 126)

  private static func image(_ texture: Texture, at x0: Int, noise: Float, seed: UInt64) -> Plane<Float> {
    var random = FixedRandom(seed: seed)
    return Plane(width: size.width, height: size.height) { x, y in
      let isThing = (x0..<x0 + 14).contains(x) && (40..<60).contains(y)
      let value = Float(texture.value(Double(isThing ? x + 50 : x), Double(y)))
      return value + Float.random(in: -noise...noise, using: &random)
    }
  }

  /// Whatever the noise floors have become, flow is computed of all that may stand out of them.
  @Test(arguments: [0.3, 1, 4, 12] as [Float])
  func theRegionHoldsAllCandidates(noise: Float) {
    let grid = CellGrid(size: Self.size)
    var comparer = CellComparer(grid: grid)
    let texture = Texture(seed: 7)
    var floor: NoiseFloor?
    var sizes: Set<PixelSize> = []
    for t in 0..<24 {
      let differences = comparer.differences(
        previous: Self.image(texture, at: 30 + 3 * t, noise: noise, seed: UInt64(2 * t)),
        current: Self.image(texture, at: 33 + 3 * t, noise: t < 12 ? noise : noise / 4, seed: UInt64(2 * t + 1)))
      let region = comparer.region(of: differences, for: .cameraAtRest) ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
      sizes.insert(region.size)
      for noiseFloor in [floor, NoiseFloor(first: differences)].compactMap(\.self) {
        for cell in comparer.candidates(in: differences, noiseFloor) {
          let middle = grid.center(cell)
          #expect(region.columns.contains(Int(middle.x)) && region.rows.contains(Int(middle.y)), "cell \(cell)")
        }
      }
      var next = floor ?? NoiseFloor(first: differences)
      next.adapt(to: differences.unexplained, elapsed: 0.5)
      floor = next
    }
    let isFound = !sizes.contains(PixelSize(width: 0, height: 0))
    #expect(noise > 1 || isFound && sizes.allSatisfy { $0.area < Self.size.area / 2 })
    #expect(comparer.region(around: [], for: .cameraAtRest) == nil)
    #expect(comparer.region(around: [], for: .cameraInMotion) == PixelRect(whole: grid.size))
  }
}
