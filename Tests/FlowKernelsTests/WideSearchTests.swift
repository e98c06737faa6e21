import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

/// The side of a patch.
private let side = 8

@Suite struct WideSearchTests {
  /// A row of patches with their shifts and costs.
  private struct Search {
    let previous: MarginImage
    let current: MarginImage
    let y: Int
    let step: Int
    /// u, v and cost.
    let rows: [[Float]]
    var count: Int { 1 + (max(previous.width - side, 0) + step - 1) / step }

    init(
      width: Int, height: Int, y: Int, step: Int, previous: (Int, Int) -> Float, current: (Int, Int) -> Float,
      shift: () -> (u: Float, v: Float, cost: Float)
    ) {
      self.previous = MarginImage(width: width, height: height, pixel: previous)
      self.current = MarginImage(width: width, height: height, pixel: current)
      (self.y, self.step) = (y, step)
      let shifts = (0..<1 + (max(width - side, 0) + step - 1) / step).map { _ in shift() }
      rows = [shifts.map(\.u), shifts.map(\.v), shifts.map(\.cost)]
    }

    func run(_ kernels: InverseSearchKernels, radius: Int) -> [GuardedRow] {
      let results = rows.map { GuardedRow($0) }
      kernels.searchWideRow(
        previous.row(y), current.rows, PatchRowLayout(y: y, step: step, count: count), radius,
        PatchShiftRow(u: results[0].base, v: results[1].base, cost: results[2].base))
      #expect(results.allSatisfy { $0.isGuardUntouched })
      return results
    }

    /// The sum of squared differences about their mean, in the order of the kernel.
    private func cost(_ x: Int, at targetX: Int, _ targetY: Int) -> Float {
      let (patch, target) = (previous.row(y) + x, current.row(targetY) + targetX)
      var (plain, squares): (Float, Float) = (0, 0)
      for r in 0..<side {
        for c in 0..<side {
          let difference = target[r * current.stride + c] - patch[r * previous.stride + c]
          plain += difference
          squares += difference * difference
        }
      }
      return squares - plain * plain * (1.0 / 64)
    }

    private func variance(_ x: Int) -> Float {
      var columns = [(plain: Float, squares: Float)](repeating: (0, 0), count: side)
      for r in 0..<side {
        for c in 0..<side {
          let value = previous.row(y + r)[x + c]
          columns[c].plain += value
          columns[c].squares += value * value
        }
      }
      func total(_ values: [Float]) -> Float {
        let four = (0..<4).map { values[$0] + values[$0 + 4] }
        return (four[0] + four[2]) + (four[1] + four[3])
      }
      let sum = total(columns.map(\.plain))
      return total(columns.map(\.squares)) - sum * sum * (1.0 / 64)
    }

    /// The shifts and costs that the contract names; how many are new.
    func expected(radius: Int) -> (rows: [[UInt32]], found: Int) {
      var (rows, found) = (rows, 0)
      for k in 0..<count {
        let (x, present) = (k * step, rows[2][k])
        let variance = variance(x)
        guard variance > 256, present > 0.3 * variance else { continue }
        let (centerX, centerY) = (x + Int(rows[0][k].rounded()), y + Int(rows[1][k].rounded()))
        let (x0, x1) = (max(centerX - radius, 0), min(centerX + radius, previous.width - side))
        let (y0, y1) = (max(centerY - radius, 0), min(centerY + radius, previous.height - side))
        var best = (cost: Float.infinity, x: 0, y: 0)
        for lane in 0..<16 where y0 <= y1 {
          var ofLane = (cost: Float.infinity, x: 0, y: 0)
          for targetY in y0...y1 {
            for targetX in stride(from: x0 + lane, through: x1, by: 16) {
              let cost = cost(x, at: targetX, targetY)
              if cost < ofLane.cost { ofLane = (cost, targetX, targetY) }
            }
          }
          if ofLane.cost < best.cost { best = ofLane }
        }
        guard best.cost < 0.3 * min(present, variance) else { continue }
        (rows[0][k], rows[1][k], rows[2][k]) = (Float(best.x - x), Float(best.y - y), best.cost)
        found += 1
      }
      return (rows.map { $0.map(comparableBits) }, found)
    }
  }

  private func check(_ search: Search, radius: Int, _ comment: String) -> Int {
    let expected = search.expected(radius: radius)
    for variant in variants {
      let result = search.run(variant.inverseSearch, radius: radius)
      #expect(result.map(\.bits) == expected.rows, "\(variant.level), \(comment)")
    }
    return expected.found
  }

  @Test(arguments: [(1, 24), (4, 31), (8, 8), (3, 5)])
  func searchWideRowEqualsItsReference(step: Int, height: Int) {
    var random = FixedRandom(seed: 100)
    let (first, second) = (Texture(seed: 12), Texture(seed: 13))
    var found = 0
    for width in widths {
      for radius in [0, 1, 7, 12] {
        // The left part moves, and the right one shows something else.
        let (dx, dy) = (Int.random(in: -9...9, using: &random), Int.random(in: -6...6, using: &random))
        let search = Search(
          width: width, height: height, y: min(8, max(height - side, 0)), step: step,
          previous: { first.value(Double($0), Double($1)) },
          current: { ($0 < 40 ? first : second).value(Double($0 - dx), Double($1 - dy)) },
          shift: {
            (
              .random(in: -9...9, using: &random), .random(in: -9...9, using: &random),
              .random(in: 0...100_000, using: &random)
            )
          })
        found += check(search, radius: radius, "width \(width), radius \(radius)")
      }
    }
    #expect(found > 0 || height < side)
  }

  /// Windows outside the image are empty, half-pixels round away from zero, and costs may be anything.
  @Test func shiftsThatLeadOutsideFindNothing() {
    var random = FixedRandom(seed: 101)
    let texture = Texture(seed: 14)
    let shifts: [Float] = [0, 0.5, -0.5, 2.5, 1e6, -1e6, 1e12, -1e12, 83, -83, 40.4, -12]
    let costs: [Float] = [0, 1, 5000, 1e5, 1e30, .infinity, .nan, -1]
    for width in widths {
      let search = Search(
        width: width, height: 20, y: 4, step: 2, previous: { texture.value(Double($0), Double($1)) },
        current: { texture.value(Double($0) - 3, Double($1) + 2) },
        shift: {
          (
            shifts.randomElement(using: &random) ?? 0, shifts.randomElement(using: &random) ?? 0,
            costs.randomElement(using: &random) ?? 0
          )
        })
      _ = check(search, radius: 5, "width \(width)")
    }
  }

  @Test func imagesWithoutTextureAreLeftAlone() {
    for level in [Float(0), 255, 1e18] {
      let search = Search(
        width: 67, height: 24, y: 8, step: 4, previous: { _, _ in level }, current: { _, _ in 128 },
        shift: { (1.25, -2.5, 1e9) })
      if level < 1000 { #expect(search.run(KernelTable.current.inverseSearch, radius: 9).map(\.values) == search.rows) }
      _ = check(search, radius: 9, "level \(level)")
    }
  }

  @Test func extremesAreTheSameInEveryVariant() {
    var random = FixedRandom(seed: 102)
    for width in widths {
      let values = SampleKind.extreme.values(2 * width * 16, using: &random)
      let search = Search(
        width: width, height: 16, y: 5, step: 3, previous: { values[$1 * width + $0] },
        current: { values[(16 + $1) * width + $0] }, shift: { (0, 0, .infinity) })
      _ = check(search, radius: 6, "width \(width)")
    }
  }

  /// Stripes look the same at all multiples of their period.
  @Test func ofEqualMatchesTheFirstIsTaken() {
    for period in [4, 8, 16] {
      let stripes: (Int, Int) -> Float = { x, _ in x % period < period / 2 ? 50 : 150 }
      let search = Search(width: 67, height: 24, y: 8, step: 4, previous: stripes, current: stripes) { (1, 0, 1e9) }
      #expect(check(search, radius: 16, "period \(period)") > 0)
    }
  }

  @Test func aPatchThatJumpsIsFound() {
    let texture = Texture(seed: 15)
    let search = Search(
      width: 80, height: 48, y: 16, step: 4, previous: { texture.value(Double($0), Double($1)) },
      current: { texture.value(Double($0) - 13, Double($1) + 11) }, shift: { (0.25, 0.25, 1e9) })
    for variant in variants {
      let result = search.run(variant.inverseSearch, radius: 16)
      for k in 0..<search.count where k * 4 + 13 + side <= 80 {
        #expect(result[0].base[k] == 13 && result[1].base[k] == -11, "\(variant.level), patch \(k)")
      }
    }
  }
}
