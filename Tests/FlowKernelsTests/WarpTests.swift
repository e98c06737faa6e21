import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct WarpTests {
  private static let height = 5
  private static let margin = 16

  private func cubic(_ p: [Float], _ f: Float) -> [Float] {
    [
      ((1 - 0.5 * f) * f - 0.5) * f, (1.5 * f - 2.5) * (f * f) + 1, ((2 - 1.5 * f) * f + 0.5) * f,
      (0.5 * f - 0.5) * (f * f),
    ]
  }

  @Test(arguments: [Float(0.7), 30, 1e30])
  func warpEqualsItsReference(reach: Float) {
    var random = FixedRandom(seed: 50)
    for width in widths {
      let stride = width + 2 * Self.margin + 16
      let rows = Self.height + 2 * Self.margin
      let image = GuardedRow(SampleKind.ordinary.values(rows * stride, using: &random))
      let base = image.base + (Self.margin * stride + Self.margin)
      let y = Int.random(in: 0..<Self.height, using: &random)
      let u = GuardedRow((0..<width + 16).map { _ in Float.random(in: -reach...reach, using: &random) })
      let v = GuardedRow((0..<width + 16).map { _ in Float.random(in: -reach...reach, using: &random) })
      func reference(_ x: Int) -> (bicubic: Float, bilinear: Float, inside: Float) {
        let px = Float(x) + 3 + u.base[x]
        let py = Float(y) + 3 + v.base[x]
        let isInside = px >= 3 && py >= 3 && px <= Float(width - 1) + 3 && py <= Float(Self.height - 1) + 3
        let cx = min(max(px, 0), Float(width - 1) + 6)
        let cy = min(max(py, 0), Float(Self.height - 1) + 6)
        let (x0, y0) = (cx.rounded(.down), cy.rounded(.down))
        let (wx, wy) = (cubic([], cx - x0), cubic([], cy - y0))
        let lines = (-1...2).map { line -> Float in
          let at = base + ((Int(y0) - 3 + line) * stride + Int(x0) - 3)
          return (at[0] * wx[1] + at[1] * wx[2]) + (at[-1] * wx[0] + at[2] * wx[3])
        }
        let value = (lines[1] * wy[1] + lines[2] * wy[2]) + (lines[0] * wy[0] + lines[3] * wy[3])
        let at = base + ((Int(y0) - 3) * stride + Int(x0) - 3)
        let (fx, fy) = (cx - x0, cy - y0)
        let top = at[0] * (1 - fx) + at[1] * fx
        let bottom = at[stride] * (1 - fx) + at[stride + 1] * fx
        return (value, top * (1 - fy) + bottom * fy, isInside ? 1 : 0)
      }
      let expected = (0..<width).map(reference)
      for variant in variants {
        let positions = Positions(count: width + 16)
        let rows = StridedRow(base: base, stride: stride)
        let output = GuardedRow(count: width + 16)
        variant.variational.locateRow(
          FlowRow(u, v), y, ImageRows(base: base, stride: stride, width: width, height: Self.height), positions.row)
        variant.variational.sampleRow(rows, positions.row, output.base, width)
        #expect(
          Array(output.bits.prefix(width)) == expected.map { comparableBits($0.bicubic) }, "\(variant.level), \(width)")
        let softer = GuardedRow(count: width + 16)
        variant.warp.sampleRowBilinear(rows, positions.row, softer.base, width)
        #expect(
          Array(softer.bits.prefix(width)) == expected.map { comparableBits($0.bilinear) }, "\(variant.level), \(width)"
        )
        #expect(Array(positions.inside.prefix(width)) == expected.map(\.inside), "\(variant.level), \(width)")
        #expect(output.isGuardUntouched && softer.isGuardUntouched && positions.isGuardUntouched)
      }
    }
  }

  @Test func wholePixelsAreCopiedExactly() {
    let stride = 64 + 48
    let image = GuardedRow((0..<40 * stride).map { Float(($0 * 7919) % 255) })
    let base = image.base + (16 * stride + 16)
    let (u, v) = (GuardedRow([Float](repeating: 2, count: 64)), GuardedRow([Float](repeating: -1, count: 64)))
    let positions = Positions(count: 64)
    let output = GuardedRow(count: 64)
    let kernels = KernelTable.current.variational
    kernels.locateRow(FlowRow(u, v), 3, ImageRows(base: base, stride: stride, width: 64, height: 8), positions.row)
    kernels.sampleRow(StridedRow(base: base, stride: stride), positions.row, output.base, 64)
    #expect(output.values == (0..<64).map { base[2 * stride + $0 + 2] })
    #expect(positions.inside == (0..<64).map { $0 < 62 ? 1 : 0 })
  }
}
