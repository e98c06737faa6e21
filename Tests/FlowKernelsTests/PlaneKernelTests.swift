import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct PlaneKernelTests {
  private static let planesAndKinds = PlaneNumbers.all.flatMap { plane in SampleKind.allCases.map { (plane, $0) } }

  /// Vectors near those of a plane that all others are close to or far from.
  private func samples(_ count: Int, _ kind: SampleKind, using random: inout FixedRandom, addingPosition: Bool)
    -> FlowSamples
  {
    let ground = PlaneNumbers.all[2]
    var noise = FixedRandom(seed: UInt64(count))
    return FlowSamples(count: count, kind: kind, using: &random) { x, y in
      let (dx, dy, h) = (x - ground.originX, y - ground.originY, ground.h)
      let depth = 1 + h[6] * dx + h[7] * dy
      let u = (h[0] * dx + h[1] * dy + h[2]) / depth - dx + Float.random(in: -0.5...0.5, using: &noise)
      let v = (h[3] * dx + h[4] * dy + h[5]) / depth - dy + Float.random(in: -0.5...0.5, using: &noise)
      return addingPosition ? (x + u, y + v) : (u, v)
    }
  }

  @Test(arguments: planesAndKinds)
  func planeInliersAreThoseOfTheFormula(plane: PlaneNumbers, kind: SampleKind) {
    var random = FixedRandom(seed: 80)
    let sign: UInt16 = 0xDEAD
    for width in widths {
      let samples = samples(width, kind, using: &random, addingPosition: false)
      let expected = (0..<samples.padded / 16).map { word in
        (0..<16).reduce(UInt16(0)) { bits, lane in
          let i = 16 * word + lane
          let isInlier = plane.explains(
            samples.value(0, i), samples.value(1, i), samples.value(2, i), samples.value(3, i),
            squaredTolerance: samples.value(4, i))
          return bits | (isInlier ? 1 << UInt16(lane) : 0)
        }
      }
      for variant in variants {
        var words = [UInt16](repeating: sign, count: expected.count + 8)
        let rows = samples.rows
        variant.planes.planeInliers(
          plane.numbers, vectors(rows), rows[4].base, &words, samples.padded)
        #expect(words == expected + [UInt16](repeating: sign, count: 8), "\(variant.level), width \(width)")
        #expect(rows.allSatisfy { $0.isGuardUntouched })
      }
    }
  }

  private func vectors(_ rows: [GuardedRow]) -> VectorSamples {
    VectorSamples(x: rows[0].base, y: rows[1].base, u: rows[2].base, v: rows[3].base)
  }

  /// Otherwise the tests above could compare nothing with nothing.
  @Test func samplesLieOnBothSidesOfTheTolerance() {
    var random = FixedRandom(seed: 81)
    let samples = samples(64, .ordinary, using: &random, addingPosition: false)
    var words = [UInt16](repeating: 0, count: 4)
    let rows = samples.rows
    KernelTable.current.planes.planeInliers(
      PlaneNumbers.all[2].numbers, vectors(rows), rows[4].base, &words, 64)
    let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    #expect(count > 16 && count < 48, "\(count)")
  }

  @Test(arguments: planesAndKinds)
  func planeSumsAreAddedByLanesAndThenInHalves(plane: PlaneNumbers, kind: SampleKind) {
    var random = FixedRandom(seed: 82)
    for width in widths {
      let samples = samples(width, kind, using: &random, addingPosition: true)
      for isWeighted in [false, true] {
        let expected = sums(samples, under: isWeighted ? plane : nil).map(comparableBits)
        for variant in variants {
          let rows = samples.rows
          let (result, scratch) = (
            GuardedRow(count: PlaneKernels.sumCount), GuardedRow(count: 16 * PlaneKernels.sumCount)
          )
          plane.h.withUnsafeBufferPointer { elements in
            variant.planes.planeSums(
              isWeighted ? elements.baseAddress : nil, samples.points, rows[4].base, result.base, scratch.base,
              samples.padded)
          }
          #expect(result.bits == expected, "\(variant.level), width \(width), weighted: \(isWeighted)")
          #expect(result.isGuardUntouched && scratch.isGuardUntouched && rows.allSatisfy(\.isGuardUntouched))
        }
      }
    }
  }

  private func sums(_ samples: FlowSamples, under plane: PlaneNumbers?) -> [Float] {
    var lanes = [[Float]](repeating: [Float](repeating: 0, count: 16), count: PlaneKernels.sumCount)
    for i in 0..<samples.padded {
      let (x, y) = (samples.value(0, i), samples.value(1, i))
      let (targetX, targetY) = (samples.value(2, i), samples.value(3, i))
      let sharpness = samples.value(4, i)
      let weight = plane?.weight(x, y, targetX, targetY, sharpness: sharpness) ?? (sharpness > 0 ? 1 : 0)
      let square = weight * (targetX * targetX + targetY * targetY)
      for (group, w) in [weight, weight * targetX, weight * targetY, square].enumerated() {
        let products = [w * x * x, w * x * y, w * y * y, w * x, w * y, w]
        for k in 0..<(group == 3 ? 5 : 6) { lanes[6 * group + k][i % 16] += products[k] }
      }
    }
    return lanes.map { lanes in
      var rest = lanes
      while rest.count > 1 {
        let half = rest.count / 2
        rest = (0..<half).map { rest[$0] + rest[half + $0] }
      }
      return rest[0]
    }
  }

  /// The sums of a unit weight, against sums of doubles.
  @Test func planeSumsAreMoments() {
    var random = FixedRandom(seed: 83)
    let samples = FlowSamples(count: 61, kind: .ordinary, using: &random) { x, y in (1.5 * x - 3, y + 0.25 * x) }
    let (rows, result, scratch) = (samples.rows, GuardedRow(count: 23), GuardedRow(count: 16 * 23))
    KernelTable.current.planes.planeSums(
      nil, samples.points, rows[4].base, result.base, scratch.base, 64)
    var expected = [Double](repeating: 0, count: 23)
    var sizes = expected
    for i in 0..<61 where samples.value(4, i) > 0 {
      let (x, y) = (Double(samples.value(0, i)), Double(samples.value(1, i)))
      let (targetX, targetY) = (Double(samples.value(2, i)), Double(samples.value(3, i)))
      let factors = [1, targetX, targetY, targetX * targetX + targetY * targetY]
      for k in 0..<23 {
        let product = factors[k / 6] * [x * x, x * y, y * y, x, y, 1][k % 6]
        expected[k] += product
        sizes[k] += abs(product)
      }
    }
    for k in 0..<23 { #expect(abs(Double(result.base[k]) - expected[k]) <= 1e-6 * sizes[k], "sum \(k)") }
  }

  @Test(arguments: planesAndKinds)
  func planeFlowRowIsTheFormulaWhereThePlaneIsSeen(plane: PlaneNumbers, kind: SampleKind) {
    var random = FixedRandom(seed: 84)
    for width in widths {
      let present = (kind.values(width, using: &random), kind.values(width, using: &random))
      for (x, y, limit) in [(0, 0, Float(40)), (17, 9, 3), (-31, 130, 1e30), (100_000, -7, 500)] {
        let motions = (0..<width).map { plane.motion($0, x: x, y: y, limit: limit) }
        for variant in variants {
          let (u, v) = (GuardedRow(present.0), GuardedRow(present.1))
          variant.planes.planeFlowRow(plane.numbers, x, y, limit, MutableFlowRow(u, v), width)
          #expect(
            u.bits == (0..<width).map { comparableBits(motions[$0]?.u ?? present.0[$0]) },
            "\(variant.level), width \(width) from \(x), \(y)")
          #expect(v.bits == (0..<width).map { comparableBits(motions[$0]?.v ?? present.1[$0]) })
          #expect(u.isGuardUntouched && v.isGuardUntouched)
        }
      }
    }
  }

  @Test func aPlaneEndsBeforeItsHorizon() {
    // Depth falls by a hundredth with each pixel: it is 0.1 at pixel 90.
    let plane = PlaneNumbers("", [1, 0, 0, 0, 1, 0, -0.01, 0])
    let (u, v) = (GuardedRow([Float](repeating: 7, count: 200)), GuardedRow([Float](repeating: 7, count: 200)))
    KernelTable.current.planes.planeFlowRow(plane.numbers, 0, 0, 1e9, MutableFlowRow(u, v), 200)
    for i in 0..<89 { #expect(abs(u.base[i] - (Float(i) / (1 - 0.01 * Float(i)) - Float(i))) < 1e-2 && v.base[i] == 0) }
    for i in 91..<200 { #expect(u.base[i] == 7 && v.base[i] == 7) }
  }
}
