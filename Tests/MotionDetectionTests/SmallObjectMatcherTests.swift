import Imaging
import TestSupport
import Testing

@testable import MotionDetection

@Suite struct SmallObjectMatcherTests {
  private static let size = PixelSize(width: 120, height: 80)
  private let grid = CellGrid(size: Self.size)

  /// An image with a square in it whose borders fall between pixels.
  private func image(
    _ ground: (Double, Double) -> Float, side: Double, at position: SIMD2<Double>, component: Float = 200
  ) -> Plane<Float> {
    Plane(width: Self.size.width, height: Self.size.height) { x, y in
      func cover(_ pixel: Int, _ start: Double) -> Double {
        max(0, min(Double(pixel) + 0.5, start + side) - max(Double(pixel) - 0.5, start))
      }
      let share = Float(cover(x, position.x) * cover(y, position.y))
      return (1 - share) * ground(Double(x), Double(y)) + share * component
    }
  }

  /// The shifts that are found among all cells.
  private func shifts(_ a: Plane<Float>, _ b: Plane<Float>, cells: [Int]? = nil, noise: Float = 0.5) -> [Int: SIMD2<
    Float
  >] {
    var small = SmallObjectMatcher(grid: grid)
    var comparison = CellComparison(grid: grid)
    a.withView { a in
      b.withView { b in
        comparison.compare(a, b)
        let differing = cells ?? (0..<grid.count).filter { comparison.unexplained[$0] > 4 * noise + 2 }
        small.search(differing, a, b) { _ in noise }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: (0..<grid.count).compactMap { cell in small.shifts[cell].map { (cell, $0) } })
  }

  static let motions: [SIMD2<Double>] = [
    SIMD2(1, 0), SIMD2(-0.6, 0.3), SIMD2(1.5, -1.2), SIMD2(3.4, 2.1), SIMD2(0, -4),
  ]

  @Test(arguments: [2.0, 3, 5], motions)
  func aSquareOnPlainGroundIsFollowed(side: Double, motion: SIMD2<Double>) {
    let start = SIMD2(61.3, 40.8)
    let (a, b) = (
      image({ _, _ in 90 }, side: side, at: start), image({ _, _ in 90 }, side: side, at: start + motion)
    )
    let found = shifts(a, b)
    // Two pixels are too few to tell where between pixels their borders are.
    let bound = side > 2 ? 0.2 : 0.35
    #expect(found[grid.cell(x: 62, y: 42)] != nil)
    for (cell, shift) in found {
      #expect(
        abs(Double(shift.x) - motion.x) < bound && abs(Double(shift.y) - motion.y) < bound, "cell \(cell): \(shift)")
      #expect(abs(grid.center(cell).x - 62) < 14 && abs(grid.center(cell).y - 42) < 14, "cell \(cell)")
    }
  }

  @Test func aSquareOnTexturedGroundIsFollowed() {
    let texture = Texture(seed: 12)
    let ground: (Double, Double) -> Float = { 0.3 * texture.value($0, $1) + 50 }
    var count = 0
    for index in 0..<20 {
      let start = SIMD2(30 + 2.7 * Double(index), 25 + 1.3 * Double(index))
      let motion = SIMD2(1.2, 0.7)
      let found = shifts(
        image(ground, side: 3, at: start), image(ground, side: 3, at: start + motion))
      guard let shift = found[grid.cell(x: Float(start.x + 1), y: Float(start.y + 1))] else { continue }
      if abs(Double(shift.x) - motion.x) < 0.4, abs(Double(shift.y) - motion.y) < 0.4 { count += 1 }
    }
    #expect(count >= 18, "\(count) of 20")
  }

  /// A point on a long edge may have moved along it unseen.
  @Test func anEdgeIsNoThing() {
    func edge(_ x: Double) -> Plane<Float> {
      Plane(width: 120, height: 80) { column, row in
        (30..<46).contains(row) && Double(column) > x ? 160 : 90
      }
    }
    let cells = (0..<grid.count).filter { abs(grid.center($0).x - 60) < 7 && abs(grid.center($0).y - 38) < 5 }
    #expect(shifts(edge(60), edge(61), cells: cells).isEmpty)
  }

  @Test func whatIsLargeIsLeftToTheFlow() {
    let (a, b) = (
      image({ _, _ in 90 }, side: 24, at: SIMD2(40, 30)), image({ _, _ in 90 }, side: 24, at: SIMD2(41, 30))
    )
    #expect(shifts(a, b, cells: Array(0..<grid.count)).isEmpty)
  }

  @Test func whatIsNotAloneIsLeftToTheFlow() {
    let start = SIMD2(60.2, 40.0)
    let (a, b) = (
      image({ _, _ in 90 }, side: 3, at: start), image({ _, _ in 90 }, side: 3, at: start + SIMD2(1, 0))
    )
    let own = (0..<grid.count).filter { abs(grid.center($0).x - 61) < 7 && abs(grid.center($0).y - 41) < 7 }
    let right = own.compactMap { $0 % grid.columns }.max() ?? 0
    let row = grid.cell(x: 61, y: 41) / grid.columns
    #expect(!shifts(a, b, cells: own).isEmpty)
    #expect(shifts(a, b, cells: own + [row * grid.columns + right + 2]).isEmpty)
    #expect(!shifts(a, b, cells: own + [row * grid.columns + right + 3]).isEmpty)
  }

  @Test func whatComesOrGoesHasNoShift() {
    let (with, without) = (
      image({ _, _ in 90 }, side: 3, at: SIMD2(60, 40)), Plane(size: Self.size, repeating: Float(90))
    )
    #expect(shifts(with, without).isEmpty && shifts(without, with).isEmpty)
  }

  @Test func atTheBorderNothingIsSearchedFor() {
    let (a, b) = (
      image({ _, _ in 90 }, side: 3, at: SIMD2(1, 1)), image({ _, _ in 90 }, side: 3, at: SIMD2(2, 2))
    )
    #expect(shifts(a, b).isEmpty)
  }

  /// No more than a few cells look as if something moved in images full of noise.
  @Test func noiseIsNoThing() {
    var random = FixedRandom(seed: 77)
    var count = 0
    for _ in 0..<10 {
      let images = (0..<2).map { _ in
        Plane<Float>(width: Self.size.width, height: Self.size.height) { _, _ in
          90 + 10 * (0..<12).reduce(Float(-6)) { sum, _ in sum + Float.random(in: 0...1, using: &random) }
        }
      }
      // Groups of two cells each, apart from each other.
      let cells = (0..<grid.count).filter { $0 % grid.columns % 6 < 2 && $0 / grid.columns % 4 == 0 }
      count += shifts(images[0], images[1], cells: cells, noise: 200).count
    }
    #expect(count == 0, "\(count)")
  }
}
