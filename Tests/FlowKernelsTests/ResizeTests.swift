import FlowKernels
import TestSupport
import Testing

@Suite struct ResizeTests {
  @Test func resizeRowAddsEvenAndOddTerms() {
    var random = FixedRandom(seed: 60)
    for width in widths {
      for taps in [1, 2, 5, 18] {
        let input = GuardedRow(SampleKind.ordinary.values(80 + taps, using: &random))
        let blocks = (width + 15) / 16
        let origins = (0..<blocks).map { _ in Int32.random(in: 0...80, using: &random) }
        let weights = GuardedRow(SampleKind.ordinary.values(blocks * taps * 16, using: &random))
        let expected = (0..<width).map { x -> Float in
          func term(_ k: Int) -> Float {
            input.base[Int(origins[x / 16]) + k] * weights.base[(x / 16 * taps + k) * 16 + x % 16]
          }
          func sum(from first: Int) -> Float { stride(from: first, to: taps, by: 2).reduce(0) { $0 + term($1) } }
          return sum(from: 0) + sum(from: 1)
        }
        for variant in variants {
          let output = GuardedRow(count: width)
          variant.resize.resizeRow(input.base, origins, weights.base, taps, output.base, width)
          #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width), \(taps) taps")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test func halveRowTakesEveryOtherSample() {
    var random = FixedRandom(seed: 61)
    for width in widths {
      let input = GuardedRow(SampleKind.ordinary.values(2 * width + 48, using: &random))
      let weights = SampleKind.ordinary.values(8, using: &random)
      let expected = (0..<width).map { x -> Float in
        func sum(from first: Int) -> Float {
          stride(from: first + 2, to: 8, by: 2).reduce(input.base[2 * x + first] * weights[first]) {
            $0 + input.base[2 * x + $1] * weights[$1]
          }
        }
        return sum(from: 0) + sum(from: 1)
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.resize.halveRow(input.base, weights, output.base, width)
        #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width)")
        #expect(output.isGuardUntouched)
      }
    }
  }

  @Test func combineRowsAddsInOrder() {
    var random = FixedRandom(seed: 62)
    for width in widths {
      for taps in [1, 2, 8] {
        let rows = (0..<taps).map { _ in GuardedRow(SampleKind.ordinary.values(width + 31, using: &random)) }
        let weights = SampleKind.ordinary.values(taps, using: &random)
        let expected = (0..<width).map { x in
          (1..<taps).reduce(rows[0].base[x] * weights[0]) { $0 + rows[$1].base[x] * weights[$1] }
        }
        for variant in variants {
          let output = GuardedRow(count: width + 31)
          withExtendedLifetime(rows) {
            variant.resize.combineRows(rows.map { UnsafePointer($0.base) }, weights, taps, output.base, width)
          }
          #expect(Array(output.bits.prefix(width)) == expected.map(comparableBits), "\(variant.level), width \(width)")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test func combineRows8AddsInOrder() {
    var random = FixedRandom(seed: 63)
    for width in widths {
      for taps in 1...5 {
        let rows = (0..<taps).map { _ in (0..<width).map { _ in UInt8.random(in: 0...255, using: &random) } }
        let weights = SampleKind.ordinary.values(taps, using: &random)
        let expected = (0..<width).map { x in
          (1..<taps).reduce(Float(rows[0][x]) * weights[0]) { $0 + Float(rows[$1][x]) * weights[$1] }
        }
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: taps * width)
        defer { bytes.deallocate() }
        for (index, byte) in rows.joined().enumerated() { bytes[index] = byte }
        for variant in variants {
          let output = GuardedRow(count: width)
          let pointers = (0..<taps).map { UnsafePointer(bytes + $0 * width) }
          variant.resize.combineRows8(pointers, weights, taps, output.base, width)
          #expect(output.bits == expected.map(comparableBits), "\(variant.level), width \(width), \(taps) taps")
          #expect(output.isGuardUntouched)
        }
      }
    }
  }

  @Test func sixteenRowsBecomeColumnsAndRowsAgain() {
    for width in widths {
      let (blocks, stride) = ((width + 15) / 16 * 16, 96)
      let input = GuardedRow((0..<16 * stride).map(Float.init))
      for variant in variants {
        let (columns, rows) = (GuardedRow(count: 16 * blocks), GuardedRow(count: 16 * stride))
        let scratch = GuardedRow(count: 512)
        variant.resize.transposeRows(input.base, stride, columns.base, width, scratch.base)
        for x in 0..<width {
          for row in 0..<16 { #expect(columns.base[16 * x + row] == Float(row * stride + x)) }
        }
        variant.resize.transposeColumns(columns.base, rows.base, stride, width, scratch.base)
        for row in 0..<16 {
          for x in 0..<stride {
            #expect(rows.base[row * stride + x] == (x < blocks ? Float(row * stride + x) : -77))
          }
        }
        #expect(columns.isGuardUntouched && rows.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  @Test func combineColumnsAddsEvenAndOddTerms() {
    var random = FixedRandom(seed: 64)
    for taps in 1...6 {
      let (count, sources) = (13, 40)
      let input = GuardedRow(SampleKind.ordinary.values(16 * sources, using: &random))
      let firsts = (0..<count).map { _ in Int32.random(in: 0...Int32(sources - taps), using: &random) }
      let weights = SampleKind.ordinary.values(count * taps, using: &random)
      let expected = (0..<16 * count).map { index -> Float in
        let (x, row) = (index / 16, index % 16)
        func term(_ k: Int) -> Float { weights[x * taps + k] * input.base[16 * (Int(firsts[x]) + k) + row] }
        let even = stride(from: 2, to: taps, by: 2).reduce(term(0)) { $0 + term($1) }
        return even + stride(from: 1, to: taps, by: 2).reduce(0) { $0 + term($1) }
      }
      for variant in variants {
        let output = GuardedRow(count: 16 * count)
        variant.resize.combineColumns(input.base, firsts, weights, taps, output.base, count)
        #expect(output.bits == expected.map(comparableBits), "\(variant.level), \(taps) taps")
        #expect(output.isGuardUntouched)
      }
    }
  }
}
