import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct StructureErrorTests {
  private static let contrast: Float = 4
  private static let outsideError: Float = 0.25

  /// Rows of an image, with two more around them on all sides; the stride may be negative.
  private struct Rows {
    static let border = 2
    let stride: Int
    private let memory: GuardedRow
    private let first: Int
    var row: UnsafeMutablePointer<Float> { memory.base + first }
    var strided: StridedRow { StridedRow(base: row, stride: stride) }
    var isGuardUntouched: Bool { memory.isGuardUntouched }

    init(width: Int, extra: Int, isUpsideDown: Bool, pixel: (_ x: Int, _ y: Int) -> Float) {
      // A load takes 16 floats, from up to two pixels to the right of the last one.
      let length = (width + 15) / 16 * 16 + 2 * Self.border + extra
      stride = isUpsideDown ? -length : length
      first = (2 * length) + Self.border
      memory = GuardedRow([Float](repeating: GuardedRow.sign, count: 5 * length))
      for y in -Self.border...Self.border {
        for x in -Self.border..<width + Self.border { row[y * stride + x] = pixel(x, y) }
      }
    }
  }

  private func errors(
    _ variant: KernelTable, _ first: Rows, _ second: Rows, inside: GuardedRow, width: Int
  ) -> GuardedRow {
    let output = GuardedRow(count: width)
    variant.planes.structureErrorRow(
      first.strided, second.strided, inside.base, ErrorLimits(limit: Self.contrast, outside: Self.outsideError),
      output.base, width)
    #expect(output.isGuardUntouched && first.isGuardUntouched && second.isGuardUntouched && inside.isGuardUntouched)
    return output
  }

  /// The formula, one pixel after the other.
  private func expected(_ first: Rows, _ second: Rows, inside: GuardedRow, width: Int) -> [UInt32] {
    func limited(_ rows: Rows, _ x: Int, _ dx: Int, _ dy: Int) -> Float {
      let difference = rows.row[x + dx + dy * rows.stride] - rows.row[x]
      let low = difference < Self.contrast ? difference : Self.contrast
      return low > -Self.contrast ? low : -Self.contrast
    }
    let directions = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
    return (0..<width).map { x in
      guard inside.base[x] > 0 else { return comparableBits(Self.outsideError) }
      var sum: Float = 0
      for (dx, dy) in directions {
        let a = limited(first, x, 2 * dx, 2 * dy)
        let b = limited(second, x, 2 * dx, 2 * dy)
        sum += a - b > b - a ? a - b : b - a
      }
      return comparableBits(sum * (1 / (8 * Self.contrast)))
    }
  }

  @Test(arguments: SampleKind.allCases)
  func structureErrorsAreThoseOfTheFormula(kind: SampleKind) {
    var random = FixedRandom(seed: 90)
    for width in widths {
      for (extra, isUpsideDown) in [(0, false), (13, true)] {
        var image: [Rows] = []
        for pad in [extra, extra + 5] {
          // Half of the differences are below the limit.
          image.append(
            Rows(width: width, extra: pad, isUpsideDown: isUpsideDown) { _, _ in
              kind == .ordinary ? Float.random(in: 0...12, using: &random) : kind.values(1, using: &random)[0]
            })
        }
        let inside = GuardedRow((0..<width).map { _ in [1, 1, 1, 0].randomElement(using: &random) ?? 1 })
        let expected = expected(image[0], image[1], inside: inside, width: width)
        for variant in variants {
          let result = errors(variant, image[0], image[1], inside: inside, width: width)
          #expect(result.bits == expected, "\(variant.level), width \(width)")
        }
      }
    }
  }

  @Test func theSameStructureInOtherLightIsNoError() {
    let texture = Texture(seed: 11)
    let inside = GuardedRow([Float](repeating: 1, count: 40))
    // Whole grey levels, so that an offset changes no difference.
    let dark = Rows(width: 40, extra: 0, isUpsideDown: false) { texture.value(Double($0), Double($1)).rounded() }
    let light = Rows(width: 40, extra: 0, isUpsideDown: false) { texture.value(Double($0), Double($1)).rounded() + 30 }
    for variant in variants {
      #expect(errors(variant, dark, light, inside: inside, width: 40).values.allSatisfy { $0 == 0 })
    }
  }

  @Test func errorsReachFromZeroToTwo() {
    let inside = GuardedRow([Float](repeating: 1, count: 40))
    let flat = Rows(width: 40, extra: 0, isUpsideDown: false) { _, _ in 100 }
    // The step to no neighbor is flat.
    func slope(_ step: Float) -> Rows {
      Rows(width: 40, extra: 0, isUpsideDown: false) { x, y in step * Float(x) + 3 * step * Float(y) }
    }
    for variant in variants {
      #expect(errors(variant, flat, flat, inside: inside, width: 40).values.allSatisfy { $0 == 0 })
      // All eight differences are at the limit, of opposite signs.
      #expect(errors(variant, slope(9), slope(-9), inside: inside, width: 40).values.allSatisfy { $0 == 2 })
      #expect(errors(variant, slope(9), flat, inside: inside, width: 40).values.allSatisfy { $0 == 1 })
      let outside = GuardedRow([Float](repeating: 0, count: 40))
      #expect(
        errors(variant, slope(9), flat, inside: outside, width: 40).values.allSatisfy { $0 == Self.outsideError })
    }
  }
}
