import FlowKernels
import TestSupport
import Testing

@Suite struct ImageWarpTests {
  @Test func displacementsEqualTheirReference() {
    var random = FixedRandom(seed: 61)
    for width in widths {
      let c = (0..<7).map { index -> Float in
        index == 6 ? Float.random(in: 0.9...1.1, using: &random) : Float.random(in: -0.001...0.001, using: &random)
      }
      let expected = (0..<width).map { i -> (Float, Float) in
        let x = Float(i)
        let depth = c[5] * x + c[6]
        return (((c[0] * x + c[1]) * x + c[2]) / depth, (c[3] * x + c[4]) / depth)
      }
      for variant in variants {
        // Written in whole vectors.
        let padded = (width + 15) / 16 * 16
        let (u, v) = (GuardedRow(count: padded), GuardedRow(count: padded))
        variant.warp.projectRow(c, u.base, v.base, width)
        #expect(Array(u.bits.prefix(width)) == expected.map { comparableBits($0.0) }, "\(variant.level), \(width)")
        #expect(Array(v.bits.prefix(width)) == expected.map { comparableBits($0.1) }, "\(variant.level), \(width)")
        #expect(u.isGuardUntouched && v.isGuardUntouched)
      }
    }
  }

  @Test(arguments: [Float(255), 1023, 65535])
  func samplesAreRoundedLimitedAndFilled(largest: Float) {
    var random = FixedRandom(seed: 62)
    for width in widths {
      let values = GuardedRow(
        (0..<width).map { _ in
          Bool.random(using: &random)
            ? Float.random(in: -0.2 * largest...1.2 * largest, using: &random)
            : [Float.nan, .infinity, -.infinity, 0.5, 1.5, -0.0, largest].randomElement(using: &random) ?? 0
        })
      let inside = GuardedRow((0..<width).map { _ in Bool.random(using: &random) ? 1 : 0 })
      let expected = (0..<width).map { index -> UInt16 in
        let value = inside.base[index] > 0 ? values.base[index] : 16
        guard value > 0 else { return 0 }
        return UInt16(min(value, largest).rounded(.toNearestOrEven))
      }
      for variant in variants {
        var wide = [UInt16](repeating: 0xABCD, count: width + 8)
        variant.warp.narrowRow16(values.base, inside.base, 16, largest, &wide, width)
        #expect(Array(wide.prefix(width)) == expected, "\(variant.level), \(width)")
        #expect(wide.suffix(8).allSatisfy { $0 == 0xABCD })
        guard largest == 255 else { continue }
        var narrow = [UInt8](repeating: 0xAB, count: width + 8)
        variant.warp.narrowRow8(values.base, inside.base, 16, largest, &narrow, width)
        #expect(narrow.prefix(width).map(UInt16.init) == expected, "\(variant.level), \(width)")
        #expect(narrow.suffix(8).allSatisfy { $0 == 0xAB })
      }
    }
  }
}
