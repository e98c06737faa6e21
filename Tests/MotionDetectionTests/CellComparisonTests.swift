import Imaging
import TestSupport
import Testing

@testable import MotionDetection

@Suite struct CellComparisonTests {
  private func noise(_ size: PixelSize, _ random: inout FixedRandom) -> Plane<Float> {
    Plane(width: size.width, height: size.height) { _, _ in Float.random(in: 0...255, using: &random) }
  }

  /// The variance of a over the 3 × 3 cells around one, and what is left of it when b is fitted to it.
  private func comparison(_ a: Plane<Float>, _ b: Plane<Float>, _ grid: CellGrid, _ cell: Int) -> (Double, Double) {
    let (column, row) = (cell % grid.columns, cell / grid.columns)
    var pixels: [(Double, Double)] = []
    for y in 4 * max(row - 1, 0)..<4 * min(row + 2, grid.rows) {
      for x in 4 * max(column - 1, 0)..<4 * min(column + 2, grid.columns) {
        pixels.append((Double(a[x, y]), Double(b[x, y])))
      }
    }
    let n = Double(pixels.count)
    let (meanA, meanB) = (pixels.reduce(0) { $0 + $1.0 } / n, pixels.reduce(0) { $0 + $1.1 } / n)
    let varianceB = pixels.reduce(0) { $0 + ($1.1 - meanB) * ($1.1 - meanB) } / n
    let covariance = pixels.reduce(0) { $0 + ($1.0 - meanA) * ($1.1 - meanB) } / n
    let gain = min(max(varianceB > 0.5 ? covariance / varianceB : 1, 0.5), 2)
    let left = pixels.reduce(0) { sum, pixel in
      let difference = pixel.0 - meanA - gain * (pixel.1 - meanB)
      return sum + difference * difference
    }
    return (pixels.reduce(0) { $0 + ($1.0 - meanA) * ($1.0 - meanA) } / n, left / n)
  }

  /// One column, even and odd numbers of them, more than a vector holds, and pixels beside the last whole cell.
  @Test(arguments: [4, 7, 8, 12, 21, 70, 260])
  func cellsAreComparedWithTheirNeighbours(width: Int) {
    var random = FixedRandom(seed: 3)
    let size = PixelSize(width: width, height: 22)
    let (a, noise) = (noise(size, &random), noise(size, &random))
    // Half of it a in another light.
    let b = Plane<Float>(width: width, height: 22) { x, y in x < width / 2 ? 0.8 * a[x, y] + 20 : noise[x, y] }
    let grid = CellGrid(size: size)
    var comparison = CellComparison(grid: grid)
    // What was there before leaves no trace.
    for image in [noise, b] { a.withView { a in image.withView { comparison.compare(a, $0) } } }
    for cell in 0..<grid.count {
      let (contrast, unexplained) = self.comparison(a, b, grid, cell)
      #expect(abs(Double(comparison.contrast[cell]) - contrast) < 0.5, "cell \(cell)")
      #expect(abs(Double(comparison.unexplained[cell]) - unexplained) < 0.5, "cell \(cell)")
    }
    var means = (a: [Float](repeating: 0, count: grid.count), b: [Float](repeating: 0, count: grid.count))
    comparison.means(into: &means.a, &means.b)
    for cell in 0..<grid.count {
      var sum: (a: Float, b: Float) = (0, 0)
      for y in 4 * (cell / grid.columns)..<4 * (cell / grid.columns) + 4 {
        for x in 4 * (cell % grid.columns)..<4 * (cell % grid.columns) + 4 { sum = (sum.a + a[x, y], sum.b + b[x, y]) }
      }
      #expect(abs(means.a[cell] - sum.a / 16) < 1e-3 && abs(means.b[cell] - sum.b / 16) < 1e-3, "cell \(cell)")
    }
  }

  /// An image that was shifted is explained by the flow that says so, wherever that is asked.
  @Test func theFlowLeadsToWhatIsCompared() {
    var random = FixedRandom(seed: 4)
    let size = PixelSize(width: 90, height: 44)
    let a = noise(size, &random)
    let b = Plane<Float>(width: 90, height: 44) { x, y in a[max(x - 3, 0), min(y + 1, 43)] }
    let grid = CellGrid(size: size)
    var comparison = CellComparison(grid: grid)
    let cells = (0..<grid.count).filter { $0 % 7 != 3 && $0 % grid.columns < 20 && $0 / grid.columns > 1 }
    let (u, v) = (Plane<Float>(size: size, repeating: 3), Plane<Float>(size: size, repeating: -1))
    let zero = Plane<Float>(size: size, repeating: 0)
    func compare(_ u: Plane<Float>, _ v: Plane<Float>) {
      a.withView { a in
        b.withView { b in
          u.withView { u in v.withView { v in comparison.compare(cells, a, b, along: FlowRows(u: u, v: v)) } }
        }
      }
    }
    compare(zero, zero)
    for cell in cells {
      let (contrast, unexplained) = self.comparison(a, b, grid, cell)
      #expect(abs(Double(comparison.contrast[cell]) - contrast) < 0.5)
      #expect(abs(Double(comparison.unexplained[cell]) - unexplained) < 0.5)
    }
    compare(u, v)
    for cell in cells { #expect(comparison.unexplained[cell] < 0.01, "cell \(cell)") }
  }

  /// A flow that is no number leads to no pixel outside the image, and changes nothing elsewhere.
  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func whatIsNoNumberStaysWhereItIs(value: Float) {
    var random = FixedRandom(seed: 5)
    let size = PixelSize(width: 64, height: 40)
    let a = noise(size, &random)
    let grid = CellGrid(size: size)
    var comparison = CellComparison(grid: grid)
    let odd = Plane<Float>(width: 64, height: 40) { x, y in x < 20 && y < 20 ? value : 0 }
    a.withView { a in
      odd.withView { odd in comparison.compare(Array(0..<grid.count), a, a, along: FlowRows(u: odd, v: odd)) }
    }
    for cell in 0..<grid.count {
      #expect(comparison.unexplained[cell].isFinite && comparison.contrast[cell].isFinite, "cell \(cell)")
      guard cell % grid.columns > 6 || cell / grid.columns > 6 else { continue }
      #expect(comparison.unexplained[cell] < 0.01, "cell \(cell)")
    }
  }
}
