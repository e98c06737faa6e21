import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct VariationalSystemTests {
  private static let epsilon: Float = 1e-6

  /// Edge weights as they are: 0 beyond the right border, some below 1.
  private func edges(width: Int, random: inout FixedRandom) -> SplitRows {
    let values = (0..<6 * width).map { _ in Float.random(in: 0.05...1, using: &random) }
    return SplitRows(width: width, bands: 2) { x, y, band in
      band == 0 && x == width - 1 ? 0 : values[((y + 1) * 2 + band) * width + x]
    }
  }

  private func bands(_ count: Int, width: Int, _ range: ClosedRange<Float>, random: inout FixedRandom) -> SplitRows {
    let values = (0..<3 * count * width).map { _ in Float.random(in: range, using: &random) }
    return SplitRows(width: width, bands: count) { x, y, band in values[((y + 1) * count + band) * width + x] }
  }

  @Test func formDiffusivityRowEqualsItsReference() {
    var random = FixedRandom(seed: 30)
    for width in widths {
      let (flow, edges) = (bands(2, width: width, -9...9, random: &random), edges(width: width, random: &random))
      func squared(_ x: Int, _ y: Int, _ band: Int, _ from: Int, _ edge: Float) -> Float {
        let slope = flow.value(x, y, band) - flow[from, 0, band]
        return edge > 0 ? slope * slope : 0
      }
      let expected = (0..<width).map { x in
        var sum: Float = 0
        for band in 0..<2 {
          sum +=
            squared(x + 1, 0, band, x, edges[x, 0, 0]) + squared(x - 1, 0, band, x, edges.value(x - 1, 0, 0))
          sum += squared(x, 1, band, x, edges[x, 0, 1]) + squared(x, -1, band, x, edges[x, -1, 1])
        }
        return 18 * inverseSquareRootReference(sum * 0.5 + Self.epsilon)
      }
      for variant in variants {
        let output = SplitRows(width: width, bands: 1)
        variant.variational.formDiffusivityRow(
          flow.strided, edges.strided, 18, Self.epsilon, output.split, output.count)
        #expect(output.bits(0) == expected.map(comparableBits), "\(variant.level), width \(width)")
        #expect(output.isPaddingUntouched)
      }
    }
  }

  @Test func formSystemRowEqualsItsReference() {
    var random = FixedRandom(seed: 31)
    for width in widths {
      let (flow, edges) = (bands(2, width: width, -9...9, random: &random), edges(width: width, random: &random))
      let data = bands(9, width: width, -1...1, random: &random)
      let s = bands(1, width: width, 0.1...20, random: &random)
      let expected = (0..<width).map { systemReference(x: $0, flow: flow, edges: edges, data: data, s: s) }
      for variant in variants {
        let output = SplitRows(width: width, bands: 7)
        variant.variational.formSystemRow(
          DataTermRow(terms: data.row, flow: flow.row), edges.strided,
          DiffusivityRows(above: s.row - s.rowStride, row: s.row, below: s.row + s.rowStride),
          DataTermWeights(brightness: 5, gradient: 10, epsilonSquared: Self.epsilon), output.split, output.count)
        for band in 0..<7 {
          #expect(output.bits(band) == expected.map { comparableBits($0[band]) }, "\(variant.level), \(width), \(band)")
        }
        #expect(output.isPaddingUntouched)
      }
    }
  }

  private func systemReference(x: Int, flow: SplitRows, edges: SplitRows, data: SplitRows, s: SplitRows) -> [Float] {
    let own = s[x, 0, 0]
    let wr = (own + s.value(x + 1, 0, 0)) * 0.5 * edges[x, 0, 0]
    let wl = (s.value(x - 1, 0, 0) + own) * 0.5 * edges.value(x - 1, 0, 0)
    let wd = (own + s[x, 1, 0]) * 0.5 * edges[x, 0, 1]
    let wu = (s[x, -1, 0] + own) * 0.5 * edges[x, -1, 1]
    let d = (0..<9).map { data[x, 0, $0] }
    let (u, v) = (flow[x, 0, 0], flow[x, 0, 1])
    let r = [0, 3, 6].map { d[$0] * u + d[$0 + 1] * v + d[$0 + 2] }
    let w0 = 5 * inverseSquareRootReference(r[0] * r[0] + Self.epsilon)
    let w1 = 10 * inverseSquareRootReference(r[1] * r[1] + r[2] * r[2] + Self.epsilon)
    func sum(_ i: Int, _ j: Int) -> Float {
      let gradient: Float = d[3 + i] * d[3 + j] + d[6 + i] * d[6 + j]
      return (d[i] * d[j]) * w0 + gradient * w1
    }
    let total = ((wl + wr) + (wu + wd)) + 1e-6
    let (m11, m22, m12) = (sum(0, 0) + total, sum(1, 1) + total, sum(0, 1))
    let inverse = 1 / (m11 * m22 - m12 * m12)
    return [m22 * inverse, 0 - m12 * inverse, m11 * inverse, 0 - sum(0, 2), 0 - sum(1, 2), wr, wd]
  }

  @Test(arguments: [0, 1])
  func relaxRowEqualsItsReference(part: Int) {
    var random = FixedRandom(seed: 32)
    for width in widths {
      let system = bands(7, width: width, -1...1, random: &random)
      let start = bands(2, width: width, -9...9, random: &random)
      func value(_ x: Int, _ band: Int) -> Float {
        let wl = system.value(x - 1, 0, 5)
        let sides = start.value(x - 1, 0, band) * wl + start.value(x + 1, 0, band) * system[x, 0, 5]
        let ends = start[x, -1, band] * system[x, -1, 6] + start[x, 1, band] * system[x, 0, 6]
        return system[x, 0, 3 + band] + (sides + ends)
      }
      let expected = (0..<width).map { x -> [Float] in
        let (u, v) = (start[x, 0, 0], start[x, 0, 1])
        guard x % 2 == part else { return [u, v] }
        let (b1, b2) = (value(x, 0), value(x, 1))
        let newU = system[x, 0, 0] * b1 + system[x, 0, 1] * b2
        let newV = system[x, 0, 1] * b1 + system[x, 0, 2] * b2
        return [u + 1.6 * (newU - u), v + 1.6 * (newV - v)]
      }
      for variant in variants {
        let flow = SplitRows(width: width, bands: 2) { x, y, band in start[x, y, band] }
        variant.variational.relaxRow(
          system.strided, MutableStridedRow(base: flow.row, stride: flow.rowStride), part, 1.6, flow.partStride,
          flow.count)
        for band in 0..<2 {
          #expect(flow.bits(band) == expected.map { comparableBits($0[band]) }, "\(variant.level), width \(width)")
        }
        #expect(flow.isPaddingUntouched)
      }
    }
  }
}
