import FlowKernelTypes
import FlowKernels
import Imaging
import TestSupport
import Testing

@testable import FlowRendering

/// The variants that this processor runs.
let variants = ProcessorLevel.allCases.filter { $0 <= .supported }.map(KernelTable.table)

/// Memory as kernels get it: what is past `count` may be read within limits, but must stay as it was.
private struct Guarded<Element: BitwiseCopyable & Equatable> {
  let base: UnsafeMutablePointer<Element>
  let count: Int
  let sign: Element
  static var guardCount: Int { 16 }

  init(_ values: [Element], sign: Element) {
    count = values.count
    self.sign = sign
    base = .allocate(capacity: count + Self.guardCount)
    for (index, value) in values.enumerated() { base[index] = value }
    (base + count).initialize(repeating: sign, count: Self.guardCount)
  }

  /// The values, and whether the guards hold.
  func finish() -> (values: [Element], isIntact: Bool) {
    defer { base.deallocate() }
    return ((0..<count).map { base[$0] }, (count..<count + Self.guardCount).allSatisfy { base[$0] == sign })
  }
}

/// All variants give the same bits at every width, write nothing past the end, and a pixel does not depend on where
/// in its row it stands.
@Suite struct KernelParityTests {
  private static let longest = 67
  private let lengths = LengthScale(scale: 0.05, bias: -0.1)
  private let u: [Float]
  private let v: [Float]
  private let tables: [Float]
  private let layer: [UInt32]

  init() {
    var random = FixedRandom(seed: 11)
    let extremes: [Float] = [
      0, -0.0, .nan, .infinity, -.infinity, 1e9, -3e38, .leastNonzeroMagnitude, -2e-38, 1e-20, 1, -1, 1e8,
    ]
    func components() -> [Float] {
      (0..<Self.longest + 16).map { _ in
        Int.random(in: 0..<3, using: &random) == 0
          ? extremes.randomElement(using: &random) ?? 0 : Float.random(in: -30...30, using: &random)
      }
    }
    u = components()
    v = components()
    tables = (0..<6 * 96).map { _ in Float.random(in: -2...2, using: &random) }
    layer = (0..<Self.longest + 16).map { _ in
      let pixel = UInt32.random(in: 0...UInt32.max, using: &random)
      return Bool.random(using: &random) ? pixel & 0xFFFFFF : pixel
    }
  }

  private let look = OverlayLook(tint: 90, glyph: 230, white: 0.4, rim: 0.6, rimWidth: 1)

  @Test func flowview() {
    expectParity(start: [UInt32](repeating: 5, count: Self.longest)) { kernels, output, count in
      let drawing = GlyphDrawing(pitch: 96, distance: -1.5, lengths: lengths, alpha: 200)
      kernels.flowviewRow(u, v, tables, RenderingPalette.uniform.ring, drawing, PixelRow(base: output, count: count))
    }
  }

  @Test func overlay() {
    expectParity(start: [UInt32](repeating: 5, count: Self.longest)) { kernels, output, count in
      let drawing = GlyphDrawing(pitch: 96, distance: 2.5, lengths: lengths)
      kernels.overlayRow(
        u, v, tables, RenderingPalette.hue.ring, OverlayDrawing(glyphs: drawing, look: look),
        PixelRow(base: output, count: count))
    }
  }

  /// Pixels that stay clear do not depend on their neighbors, by which eight of them may be passed over at once.
  @Test func whatIsStillStaysClear() {
    let scale: Float = 0.05
    let limit: Float = 2  // −bias / scale
    for table in variants {
      for lengths in [[1.9, 1.9, 1.9], [1.9, 2.5, 1.9], [2.5, 2.5, 2.5]] as [[Float]] {
        let signs: [Float] = [0.6, -0.6]
        let u = (0..<40).map { index -> Float in lengths[index % 3] * signs[index % 2] }
        let v = (0..<40).map { index -> Float in lengths[index % 3] * 0.8 }
        let output = Guarded([UInt32](repeating: 5, count: 32), sign: 99)
        let drawing = GlyphDrawing(
          pitch: 96, distance: 2.5, lengths: LengthScale(scale: scale, bias: -scale * limit))
        table.render.overlayRow(
          u, v, tables, RenderingPalette.hue.ring, OverlayDrawing(glyphs: drawing, look: look),
          PixelRow(base: output.base, count: output.count))
        let pixels = output.finish().values
        for x in pixels.indices { #expect((pixels[x] == 0) == (lengths[x % 3] < limit), "\(table.level), \(lengths)") }
      }
    }
  }

  @Test func wheel() {
    expectParity(start: [UInt32](repeating: 5, count: Self.longest)) { kernels, output, count in
      kernels.wheelRow(u, v, MiddleburyRing.table, 0.04, 255, PixelRow(base: output, count: count))
    }
  }

  @Test func ramp() {
    expectParity(start: [UInt32](repeating: 5, count: Self.longest)) { kernels, output, count in
      kernels.rampRow(
        u, v, HeatMap.words, LengthScale(scale: 0.04, bias: 0), 255, PixelRow(base: output, count: count))
    }
  }

  @Test func arrow() {
    let arrow: [Float] = [-3, 1, 0.8, -0.6, 1, 9, 14, 0.9, 0.4, 0.8, 255, 40, 3, 0.9]
    expectParity(start: Array(layer.prefix(Self.longest))) { kernels, pixels, count in
      kernels.arrowRow(arrow, pixels, count)
    }
  }

  @Test func fade() {
    expectParity(start: Array(layer.prefix(Self.longest))) { kernels, pixels, count in
      kernels.fadeRow(pixels, u.map { $0 / 30 }, count)
    }
  }

  @Test func fadingEndsWhereTheConfidencePassesAHalf() {
    let confidence: [Float] = [0, 0.25, 0.5, 1, 2, -1, .nan, 0.999] + [Float](repeating: 0, count: 8)
    var pixels = [UInt32](repeating: 0xC812_3456, count: 16)
    KernelTable.current.render.fadeRow(&pixels, confidence, 8)
    #expect(pixels.prefix(8).map { $0 >> 24 } == [0, 0, 100, 200, 200, 0, 0, 200])
    #expect(pixels.allSatisfy { $0 & 0xFF_FFFF == 0x12_3456 } && pixels.suffix(8).allSatisfy { $0 >> 24 == 0xC8 })
  }

  @Test func blend8() {
    var random = FixedRandom(seed: 12)
    let samples = (0..<Self.longest).map { _ in UInt8.random(in: 0...255, using: &random) }
    expectParity(start: samples) { kernels, output, count in
      kernels.blendRow8(layer, [0.2, 0.6, 0.06, 16, 255], output, count)
    }
  }

  @Test func blend16() {
    var random = FixedRandom(seed: 13)
    let samples = (0..<Self.longest).map { _ in UInt16.random(in: 0...65535, using: &random) }
    expectParity(start: samples) { kernels, output, count in
      kernels.blendRow16(layer, [70, 150, 37, 0, 65535], output, count)
    }
  }

  @Test func blendChroma8() {
    var random = FixedRandom(seed: 14)
    let samples = (0..<Self.longest).map { _ in UInt8.random(in: 0...255, using: &random) }
    let sums = (0..<4 * 96).map { _ in Float(Int.random(in: 0...1020, using: &random)) }
    expectParity(start: samples) { kernels, output, count in
      kernels.blendChromaRow8(sums, 96, [-0.2, -0.3, 0.5, 128, 255], 1 / 1020, output, count)
    }
  }

  @Test func blendChroma16() {
    var random = FixedRandom(seed: 15)
    let samples = (0..<Self.longest).map { _ in UInt16.random(in: 0...1023, using: &random) }
    let sums = (0..<4 * 96).map { _ in Float(Int.random(in: 0...1020, using: &random)) }
    expectParity(start: samples) { kernels, output, count in
      kernels.blendChromaRow16(sums, 96, [-0.8, -1.2, 2, 512, 1023], 1 / 1020, output, count)
    }
  }

  @Test(arguments: [0, 1, 2])
  func premultipliedSumsAreExact(shiftX: Int) {
    var random = FixedRandom(seed: 16)
    let pitch = 80
    for count in 1...Self.longest {
      for rowCount in 1...4 {
        // Rows are transparent past their end.
        let rows = (0..<rowCount * pitch).map { $0 % pitch < count ? UInt32(truncatingIfNeeded: random.next()) : 0 }
        let block = 1 << shiftX
        for variant in variants {
          var sums = [Float](repeating: -1, count: 4 * pitch)
          variant.render.premultipliedSums(
            rows, pitch * 4, ChromaBlock(shiftX: shiftX, rowCount: rowCount), &sums, pitch, count)
          for x in 0..<(count + block - 1) / block {
            var expected = [UInt32](repeating: 0, count: 4)
            for row in 0..<rowCount {
              for column in x * block..<(x + 1) * block {
                let pixel = rows[row * pitch + column]
                let alpha = pixel >> 24
                expected[0] += alpha
                for channel in 0..<3 { expected[channel + 1] += alpha * (pixel >> UInt32(8 * channel) & 255) }
              }
            }
            for index in 0..<4 { #expect(sums[index * pitch + x] == Float(expected[index])) }
          }
        }
      }
    }
  }

  @Test func largestSquareIgnoresUnknownVectorsAndWhatFollows() {
    for count in 1...Self.longest {
      var expected: Float = 0
      for index in 0..<count where abs(u[index]) + abs(v[index]) < 1e9 {
        let square: Float = u[index] * u[index] + v[index] * v[index]
        expected = max(expected, square)
      }
      for variant in variants { #expect(variant.render.largestSquare(u, v, 0, count) == expected) }
    }
  }

  /// Runs a kernel on the first `count` elements for every count and variant.
  private func expectParity<Element: BitwiseCopyable & Equatable & ExpressibleByIntegerLiteral>(
    start: [Element], _ run: (RenderKernels, UnsafeMutablePointer<Element>, Int) -> Void
  ) {
    let whole = Guarded(start, sign: 99)
    run(variants[0].render, whole.base, Self.longest)
    let expected = whole.finish().values
    #expect(expected != start)
    for count in 1...Self.longest {
      for variant in variants {
        let memory = Guarded(Array(start.prefix(count)), sign: 99)
        run(variant.render, memory.base, count)
        let (values, isIntact) = memory.finish()
        #expect(values == Array(expected.prefix(count)), "\(variant.level), width \(count)")
        #expect(isIntact, "\(variant.level), width \(count)")
      }
    }
  }
}
