import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct DisplacementTests {
  /// The kinds of an estimate so far.
  enum Estimate: CaseIterable {
    /// Sixteen neighbours point to sixteen neighbours.
    case smooth
    /// Every pixel points elsewhere, some outside.
    case wild
    /// Exactly on the borders, just outside, infinitely far, not a number.
    case extreme
  }

  @Test(arguments: Estimate.allCases, SampleKind.allCases)
  func formEquationsEqualsItsReference(estimate: Estimate, kind: SampleKind) {
    var random = FixedRandom(seed: 7)
    for width in widths {
      let image = Expansions(width: width, height: 4, kind: kind, random: &random)
      let y = Int.random(in: 0..<4, using: &random)
      let motion = vectors(estimate, width: width, random: &random)
      let expected = (0..<width).map {
        image.reference(x: $0, y: y, u: motion.u[$0], v: motion.v[$0], weight: 0.4472)
      }
      let (u, v) = (GuardedRow(motion.u), GuardedRow(motion.v))
      let columnWeights = GuardedRow(expected.indices.map { image.columnWeight($0) })
      for variant in variants {
        let output = GuardedBands(count: 5, width: width)
        variant.farneback.formEquations(
          ExpansionRow(base: image.previous.base + y * image.rowStride, bandStride: image.planeStride, y: y),
          ImageRows(base: image.current.base + Expansions.margin, stride: image.rowStride, width: width, height: 4),
          FlowRow(u, v), EquationWeights(columns: columnWeights.base, row: 0.4472), output.strided)
        for band in 0..<5 {
          #expect(output.bits(band) == expected.map { comparableBits($0[band]) }, "\(variant.level), width \(width)")
        }
        #expect(output.areGuardsUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func solveEquationsEqualsItsReference(kind: SampleKind) {
    var random = FixedRandom(seed: 8)
    for width in widths {
      let stride = width + 16
      let sums = GuardedRow(kind.values(5 * stride, using: &random))
      let scale: Float = 1 / 225
      let expected = (0..<width).map { x in
        let e = (0..<5).map { sums.base[$0 * stride + x] * scale }
        let inverse = 1 / (e[0] * e[2] - e[1] * e[1] + 1e-3)
        return [(e[2] * e[3] - e[1] * e[4]) * inverse, (e[0] * e[4] - e[1] * e[3]) * inverse]
      }
      for variant in variants {
        let (u, v) = (GuardedRow(count: width), GuardedRow(count: width))
        variant.farneback.solveEquations(
          StridedRow(base: sums.base, stride: stride), scale, 1e-3, MutableFlowRow(u, v), width)
        #expect(u.bits == expected.map { comparableBits($0[0]) }, "\(variant.level), width \(width)")
        #expect(v.bits == expected.map { comparableBits($0[1]) }, "\(variant.level), width \(width)")
        #expect(u.isGuardUntouched && v.isGuardUntouched)
      }
    }
  }

  private func vectors(_ estimate: Estimate, width: Int, random: inout FixedRandom) -> (u: [Float], v: [Float]) {
    let borders: [Float] = [0, -0, -1e-20, 1, Float(width - 1), Float(width), .infinity, -.infinity, .nan, 1e30]
    func component(_ limit: Float) -> Float {
      switch estimate {
      case .smooth: Float.random(in: 0.2...0.7, using: &random)
      case .wild: Float.random(in: -limit...limit, using: &random)
      case .extreme: borders.randomElement(using: &random) ?? 0
      }
    }
    return ((0..<width).map { _ in component(Float(width)) }, (0..<width).map { _ in component(2.5) })
  }
}

/// Two expansions of random numbers, laid out as the kernel wants them.
private struct Expansions {
  let width: Int
  let height: Int
  let rowStride: Int
  let planeStride: Int
  let previous: GuardedRow
  /// Begins `margin` samples before the first one.
  let current: GuardedRow
  static let margin = 16

  init(width: Int, height: Int, kind: SampleKind, random: inout FixedRandom) {
    self.width = width
    self.height = height
    rowStride = width + 16
    planeStride = rowStride * height
    previous = GuardedRow(kind.values(5 * planeStride + rowStride, using: &random))
    current = GuardedRow(kind.values(Self.margin + 5 * planeStride + rowStride, using: &random))
  }

  func columnWeight(_ x: Int) -> Float { x < 5 ? 0.14 : 1 }

  /// The kernel's contract, one pixel at a time.
  func reference(x: Int, y: Int, u: Float, v: Float, weight rowWeight: Float) -> [Float] {
    let first = (0..<5).map { previous.base[$0 * planeStride + y * rowStride + x] }
    let second = sample(Float(x) + u, Float(y) + v) ?? [0, 0, first[2], first[3], first[4]]
    let weight = columnWeight(x) * rowWeight
    let a = (2..<5).map { (first[$0] + second[$0]) * 0.5 }
    let (axx, ayy, axy) = (a[0] * weight, a[1] * weight, a[2] * weight)
    let bx = ((first[0] - second[0]) * 0.5 + (a[0] * u + a[2] * v)) * weight
    let by = ((first[1] - second[1]) * 0.5 + (a[2] * u + a[1] * v)) * weight
    return [
      axx * axx + axy * axy, axy * (axx + ayy), ayy * ayy + axy * axy, axx * bx + axy * by, axy * bx + ayy * by,
    ]
  }

  /// The second expansion at a position between the pixels; nil outside the image.
  private func sample(_ x: Float, _ y: Float) -> [Float]? {
    guard x >= 0, y >= 0, x <= Float(width - 1), y <= Float(height - 1) else { return nil }
    let (x0, y0) = (x.rounded(.down), y.rounded(.down))
    let (fx, fy) = (x - x0, y - y0)
    let w11 = fx * fy
    let weights = [1 - fx - (fy - w11), fx - w11, fy - w11, w11]
    return (0..<5).map { band in
      let at = current.base + (Self.margin + band * planeStride + Int(y0) * rowStride + Int(x0))
      return at[0] * weights[0] + at[1] * weights[1] + (at[rowStride] * weights[2] + at[rowStride + 1] * weights[3])
    }
  }
}
