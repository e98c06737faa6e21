import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

/// Every Lucas-Kanade kernel against a plain loop, bit for bit, in every variant.
@Suite struct LucasKanadeKernelTests {
  /// The kinds of a displacement so far.
  enum Estimate: CaseIterable {
    /// Sixteen neighbours point to sixteen neighbours.
    case smooth
    /// Every pixel points elsewhere, some outside.
    case wild
    /// Exactly on the borders, just outside, infinitely far, not a number.
    case extreme

    func vectors(width: Int, random: inout FixedRandom) -> (u: [Float], v: [Float]) {
      let borders: [Float] = [0, -0, -1e-20, 1, Float(width - 1), Float(width), .infinity, -.infinity, .nan, 1e30]
      func component(_ limit: Float) -> Float {
        switch self {
        case .smooth: Float.random(in: 0.2...0.7, using: &random)
        case .wild: Float.random(in: -limit...limit, using: &random)
        case .extreme: borders.randomElement(using: &random) ?? 0
        }
      }
      return ((0..<width).map { _ in component(Float(width)) }, (0..<width).map { _ in component(3.5) })
    }
  }

  @Test(arguments: Estimate.allCases, SampleKind.allCases)
  func formEquationsEqualsItsReference(estimate: Estimate, kind: SampleKind) {
    var random = FixedRandom(seed: 21)
    for width in widths {
      let pair = MotionPair(width: width, kind: kind, random: &random)
      let y = Int.random(in: 0..<MotionPair.height, using: &random)
      let motion = estimate.vectors(width: width, random: &random)
      let (u, v) = (GuardedRow(motion.u), GuardedRow(motion.v))
      for isBicubic in [false, true] {
        let expected = (0..<width).map {
          pair.equations(x: $0, y: y, u: motion.u[$0], v: motion.v[$0], isBicubic: isBicubic)
        }
        for variant in variants {
          let kernels = variant.lucasKanade
          let form = isBicubic ? kernels.formEquationsBicubic : kernels.formEquations
          let output = GuardedBands(count: 5, width: width)
          form(pair.row(pair.previous, y), pair.second, FlowRow(u, v), y, output.strided)
          for band in 0..<5 {
            #expect(
              output.bits(band) == expected.map { comparableBits($0[band]) },
              "\(variant.level), width \(width), \(isBicubic ? "bicubic" : "bilinear"), band \(band)")
          }
          #expect(output.areGuardsUntouched)
        }
      }
    }
  }

  @Test(arguments: Estimate.allCases, SampleKind.allCases)
  func measureResidualEqualsItsReference(estimate: Estimate, kind: SampleKind) {
    var random = FixedRandom(seed: 22)
    for width in widths {
      let pair = MotionPair(width: width, kind: kind, random: &random)
      let y = Int.random(in: 0..<MotionPair.height, using: &random)
      let motion = estimate.vectors(width: width, random: &random)
      let (u, v) = (GuardedRow(motion.u), GuardedRow(motion.v))
      let expected = (0..<width).map {
        comparableBits(pair.residual(x: $0, y: y, u: motion.u[$0], v: motion.v[$0], limit: 20))
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.lucasKanade.measureResidual(
          pair.row(pair.previous, y), pair.second, FlowRow(u, v), y, 20, output.base)
        #expect(output.bits == expected, "\(variant.level), width \(width)")
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func solveEquationsEqualsItsReference(kind: SampleKind) {
    var random = FixedRandom(seed: 23)
    for width in widths {
      let stride = width + 16
      let sums = GuardedRow(kind.values(5 * stride, using: &random))
      let (u, v) = (GuardedRow(kind.values(width, using: &random)), GuardedRow(kind.values(width, using: &random)))
      let expected = (0..<width).map { x in
        solution(
          (0..<5).map { sums.base[$0 * stride + x] * (1 / 225) }, u.base[x], v.base[x], lambda: 0.5, reach: 2,
          noise: 1e-6)
      }
      for variant in variants {
        let (outputU, outputV) = (GuardedRow(count: width), GuardedRow(count: width))
        variant.lucasKanade.solveEquations(
          StridedRow(base: sums.base, stride: stride), 1 / 225,
          DisplacementLimits(regularization: 0.5, maximumStep: 2, minimumTrace: 1e-6), FlowRow(u, v),
          MutableFlowRow(outputU, outputV), width)
        #expect(outputU.bits == expected.map { comparableBits($0.u) }, "\(variant.level), width \(width)")
        #expect(outputV.bits == expected.map { comparableBits($0.v) }, "\(variant.level), width \(width)")
        #expect(outputU.isGuardUntouched && outputV.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func blendDisplacementsEqualsItsReference(kind: SampleKind) {
    var random = FixedRandom(seed: 24)
    for width in widths {
      for shift in [1, 3, 20] {
        func rows(_ values: () -> [Float]) -> [GuardedRow] { (0..<3).map { _ in GuardedRow(values()) } }
        func starts(_ rows: [GuardedRow]) -> [UnsafePointer<Float>] { rows.map { UnsafePointer($0.base + shift) } }
        // Few different residuals, so that some are equal.
        let e = rows { (0..<width + 2 * shift).map { _ in Float(Int.random(in: 0...9, using: &random)) * 0.25 } }
        let u = rows { kind.values(width + 2 * shift, using: &random) }
        let v = rows { kind.values(width + 2 * shift, using: &random) }
        let expected = (0..<width).map { x in
          blend(around: x + shift, shift, e.map(\.base), u.map(\.base), v.map(\.base))
        }
        for variant in variants {
          let (outputU, outputV) = (GuardedRow(count: width), GuardedRow(count: width))
          variant.lucasKanade.blendDisplacements(
            starts(e), starts(u), starts(v), WindowChoice(shift: shift, tolerance: 0.4, floor: 0.5),
            MutableFlowRow(outputU, outputV), width)
          #expect(outputU.bits == expected.map { comparableBits($0.u) }, "\(variant.level), width \(width)")
          #expect(outputV.bits == expected.map { comparableBits($0.v) }, "\(variant.level), width \(width)")
          #expect(outputU.isGuardUntouched && outputV.isGuardUntouched)
        }
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func structureTensorsAndTheirEigenvaluesEqualTheirReference(kind: SampleKind) {
    var random = FixedRandom(seed: 25)
    for width in widths {
      let pair = MotionPair(width: width, kind: kind, random: &random)
      let tensors = (0..<width).map { x in
        let g = pair.gradient(x: x, y: 2, isScharr: false)
        return [g.x * g.x, g.x * g.y, g.y * g.y]
      }
      let eigenvalues = tensors.map { comparableBits(eigenvalue($0.map { $0 * 0.25 })) }
      for variant in variants {
        let bands = GuardedBands(count: 3, width: width)
        variant.lucasKanade.formTensors(
          pair.row(pair.previous, 2), pair.rowStride, bands.base, bands.stride, width)
        for band in 0..<3 {
          #expect(bands.bits(band) == tensors.map { comparableBits($0[band]) }, "\(variant.level), width \(width)")
        }
        let output = GuardedRow(count: width)
        variant.lucasKanade.smallerEigenvalue(bands.base, bands.stride, 0.25, output.base, width)
        #expect(output.bits == eigenvalues, "\(variant.level), width \(width)")
        #expect(bands.areGuardsUntouched && output.isGuardUntouched)
      }
    }
  }

  @Test(arguments: SampleKind.allCases)
  func medianRow3x3IsTheMiddleOfNine(kind: SampleKind) {
    var random = FixedRandom(seed: 26)
    for width in widths {
      let rows = (0..<3).map { _ in GuardedRow(kind.values(width + 2, using: &random)) }
      let expected = (0..<width).map { x in
        rows.flatMap { row in (0..<3).map { row.base[x + $0] } }.sorted()[4]
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.lucasKanade.medianRow3x3(rows.map { UnsafePointer($0.base + 1) }, output.base, width)
        #expect(output.values == expected, "\(variant.level), width \(width)")  // 0 and −0 rank alike
        #expect(output.bits.map { $0 << 1 } == expected.map { comparableBits($0) << 1 })
        #expect(output.isGuardUntouched)
      }
    }
  }

  private func solution(
    _ e: [Float], _ u: Float, _ v: Float, lambda: Float, reach: Float, noise: Float
  ) -> (u: Float, v: Float) {
    if e[0] + e[2] < noise { return (u, v) }
    let (g11, g22) = (e[0] + lambda, e[2] + lambda)
    let (h1, h2) = (e[3] + lambda * u, e[4] + lambda * v)
    let inverse = 1 / (g11 * g22 - e[1] * e[1])
    let new = (u: (g22 * h1 - e[1] * h2) * inverse, v: (g11 * h2 - e[1] * h1) * inverse)
    let step = (u: new.u - u, v: new.v - v)
    let square = step.u * step.u + step.v * step.v
    guard square > reach * reach else { return new }
    let shortening = reach * inverseSquareRootReference(square)
    return (u + step.u * shortening, v + step.v * shortening)
  }

  private func blend(
    around x: Int, _ shift: Int, _ e: [UnsafeMutablePointer<Float>], _ u: [UnsafeMutablePointer<Float>],
    _ v: [UnsafeMutablePointer<Float>]
  ) -> (u: Float, v: Float) {
    let positions = (0..<3).flatMap { row in [x - shift, x, x + shift].map { (row, $0) } }
    let minimum = positions.map { e[$0][$1] }.min() ?? 0
    let steepness = 1 / (0.4 * (minimum + 0.5))
    var (total, sumU, sumV): (Float, Float, Float) = (0, 0, 0)
    for (row, at) in positions {
      let root = max(1 - (e[row][at] - minimum) * steepness, 0)
      total += root * root
      sumU += u[row][at] * (root * root)
      sumV += v[row][at] * (root * root)
    }
    return (sumU * (1 / total), sumV * (1 / total))
  }

  private func eigenvalue(_ g: [Float]) -> Float {
    let (mean, deviation) = ((g[0] + g[2]) * 0.5, (g[0] - g[2]) * 0.5)
    let square = deviation * deviation + g[1] * g[1]
    let value = mean - square * inverseSquareRootReference(square)
    return value > 0 ? value : 0
  }
}
