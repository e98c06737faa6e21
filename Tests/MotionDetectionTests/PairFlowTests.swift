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
  func theRegionsHoldAllCandidates(noise: Float) {
    let grid = CellGrid(size: Self.size)
    var comparer = CellComparer(grid: grid)
    let texture = Texture(seed: 7)
    var floor: NoiseFloor?
    var areas: [Int] = []
    for t in 0..<24 {
      let differences = comparer.differences(
        previous: Self.image(texture, at: 30 + 3 * t, noise: noise, seed: UInt64(2 * t)),
        current: Self.image(texture, at: 33 + 3 * t, noise: t < 12 ? noise : noise / 4, seed: UInt64(2 * t + 1)))
      let regions = comparer.regions(of: differences, for: .cameraAtRest)
      areas.append(regions.map(\.size.area).reduce(0, +))
      #expect(PixelRect.disjoint(regions).count == regions.count)
      for noiseFloor in [floor, NoiseFloor(first: differences)].compactMap(\.self) {
        for cell in comparer.candidates(in: differences, noiseFloor) {
          let middle = grid.center(cell)
          let isInside = regions.contains {
            $0.columns.contains(Int(middle.x)) && $0.rows.contains(Int(middle.y))
          }
          #expect(isInside, "cell \(cell)")
        }
      }
      var next = floor ?? NoiseFloor(first: differences)
      next.adapt(to: differences.unexplained, elapsed: 0.5)
      floor = next
    }
    #expect(noise > 1 || areas.allSatisfy { $0 > 0 && $0 < Self.size.area / 2 })
    #expect(comparer.regions(around: [], for: .cameraAtRest).isEmpty)
    for kind in [PairFlow.Kind.cameraShaking, .cameraInMotion] {
      #expect(comparer.regions(around: [], for: kind) == [PixelRect(whole: grid.size)])
    }
  }

  /// Cells far from each other have parts of their own, with a margin; a few that lie all over the image, or many, have
  /// the whole.
  @Test func partsOfTheImageLieAroundCells() {
    let grid = CellGrid(size: Self.size)
    let comparer = CellComparer(grid: grid)
    func block(_ column: Int, _ row: Int, side: Int) -> [Int] {
      (row..<row + side).flatMap { y in (column..<column + side).map { y * grid.columns + $0 } }
    }
    let (first, second) = (block(1, 2, side: 5), block(30, 20, side: 5))
    let parts = comparer.regions(around: (first + second).sorted(), for: .cameraAtRest)
    let side = MotionParameters.cellSide
    #expect(
      Set(parts) == [
        PixelRect(x: 0, y: 0, width: 10 * side, height: 11 * side),
        PixelRect(x: 26 * side, y: 16 * side, width: 13 * side, height: 13 * side),
      ])
    let whole = [PixelRect(whole: grid.size)]
    let corners = [0, grid.count - 1]
    #expect(comparer.regions(around: corners, for: .cameraAtRest) == whole)
    #expect(comparer.regions(around: Array(0..<grid.count), for: .cameraAtRest) == whole)
  }

  /// Planes complete what a camera uncovers when that is more than a sliver.
  @Test func theKindOfFlowFollowsTheCamera() {
    #expect(
      [0, 0.1, 0.9, 1, 40].map { PairFlow.Kind(cameraDistance: $0) } == [
        .cameraAtRest, .cameraShaking, .cameraShaking, .cameraInMotion, .cameraInMotion,
      ])
    #expect(FramePairAnalyzer.flowParameters(.cameraShaking) == FramePairAnalyzer.flowParameters(.cameraAtRest))
    #expect(FramePairAnalyzer.flowParameters(.cameraInMotion).planes > 0)
  }
}
