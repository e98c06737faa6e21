import FlowKernelTypes
import FlowKernels
import TestSupport
import Testing

@Suite struct RegistrationTileTests {
  private static let side = RegistrationKernels.tileSide
  private static let margin = 24

  /// The sum of 16 lanes as the kernels order it, of one term per pixel.
  private func sum(_ term: (_ i: Int, _ j: Int) -> Float) -> UInt32 {
    var lanes = [Float](repeating: 0, count: 16)
    for j in 0..<16 {
      for i in 0..<16 { lanes[i] += term(i, j) }
    }
    for half in [8, 4, 2, 1] {
      for i in 0..<half { lanes[i] += lanes[i + half] }
    }
    return comparableBits(lanes[0])
  }

  private struct Image {
    let row: GuardedRow
    let stride: Int

    init(width: Int, random: inout FixedRandom) {
      stride = width + 2 * margin + 16
      row = GuardedRow(SampleKind.ordinary.values(stride * (side + 2 * margin), using: &random).map(abs))
    }

    var base: UnsafeMutablePointer<Float> { row.base + (margin * stride + margin) }

    func value(_ x: Int, _ y: Int) -> Float { base[y * stride + x] }
    func dx(_ x: Int, _ y: Int) -> Float { (value(x + 1, y) - value(x - 1, y)) * 0.5 }
    func dy(_ x: Int, _ y: Int) -> Float { (value(x, y + 1) - value(x, y - 1)) * 0.5 }
  }

  /// Tiles at all columns of rows of all widths: every alignment of a vector occurs.
  @Test func measuringEqualsItsReference() {
    var random = FixedRandom(seed: 71)
    for width in widths where width >= Self.side {
      let image = Image(width: width, random: &random)
      let origins = (0...(width - Self.side)).map(Int32.init)
      let expected = origins.flatMap { origin -> [UInt32] in
        let x = Int(origin)
        let middle = image.value(x + 8, 8)
        func t(_ i: Int, _ j: Int) -> Float { image.value(x + i, j) - middle }
        func gx(_ i: Int, _ j: Int) -> Float { image.dx(x + i, j) }
        func gy(_ i: Int, _ j: Int) -> Float { image.dy(x + i, j) }
        return [
          sum { gx($0, $1) * gx($0, $1) }, sum { gx($0, $1) * gy($0, $1) }, sum { gy($0, $1) * gy($0, $1) }, sum(gx),
          sum(gy), sum { gx($0, $1) * t($0, $1) }, sum { gy($0, $1) * t($0, $1) }, sum(t),
          sum { t($0, $1) * t($0, $1) },
        ]
      }
      for variant in variants {
        let sums = GuardedRow(count: origins.count * RegistrationKernels.measureCount)
        let scratch = GuardedRow(count: RegistrationKernels.scratchCount)
        variant.registration.measureTiles(
          image.base, image.stride, origins, origins.count, sums.base, scratch.base)
        let bits = sums.bits
        let found = origins.indices.flatMap { index in
          bits.dropFirst(index * RegistrationKernels.measureCount).prefix(9)
        }
        #expect(found == expected, "\(variant.level), \(width)")
        #expect(sums.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  /// The second image at a position, in the order of the kernel's sums.
  private func sample(_ image: Image, _ position: [Float], _ i: Int, _ j: Int, from left: Int) -> Float {
    let (across, down) = (Float(i) - 7.5, Float(j) - 7.5)
    let (x, y) = (position[0] + position[3] * down, position[1] + position[5] * down)
    let shift: Float = position[6] == 0 ? 64 : 64.5
    let (wholeX, wholeY) = ((x + shift).rounded(.down) - 64, (y + shift).rounded(.down) - 64)
    let (ex, ey) = (across * position[2] + (x - wholeX), across * position[4] + (y - wholeY))
    let (column, row) = (left + i + Int(wholeX), j + Int(wholeY))
    if position[6] == 0 {
      func weights(_ f: Float) -> [Float] {
        let (inner, outer) = ((f - 1) * (f - 2), (f + 1) * f)
        return [
          (0 - f * (1 / 6)) * inner, ((f + 1) * 0.5) * inner, (0 - (f - 2) * 0.5) * outer, ((f - 1) * (1 / 6)) * outer,
        ]
      }
      let (wx, wy) = (weights(ex), weights(ey))
      let lines = (-1...2).map { k in
        (image.value(column, row + k) * wx[1] + image.value(column + 1, row + k) * wx[2])
          + (image.value(column - 1, row + k) * wx[0] + image.value(column + 2, row + k) * wx[3])
      }
      return (lines[1] * wy[1] + lines[2] * wy[2]) + (lines[0] * wy[0] + lines[3] * wy[3])
    }
    if position[6] <= 1 && position[7] <= 1 {
      let (right, below) = (max(ex, 0), max(ey, 0))
      let (before, above) = (right - ex, below - ey)
      let lines = (-1...1).map { k in
        (image.value(column - 1, row + k) * before + image.value(column, row + k) * ((1 - right) - before))
          + image.value(column + 1, row + k) * right
      }
      return (lines[0] * above + lines[1] * ((1 - below) - above)) + lines[2] * below
    }
    var value: Float = 0
    for ky in -Int(position[7])...Int(position[7]) {
      var line: Float = 0
      for kx in -Int(position[6])...Int(position[6]) {
        line += image.value(column + kx, row + ky) * max(1 - abs(ex - Float(kx)), 0)
      }
      value += line * max(1 - abs(ey - Float(ky)), 0)
    }
    return value
  }

  @Test(arguments: [Float(0), 0.03, 0.06, 0.5])
  func comparingEqualsItsReference(deformation: Float) {
    var random = FixedRandom(seed: 72)
    for width in widths where width >= Self.side {
      let template = Image(width: width, random: &random)
      let target = Image(width: width, random: &random)
      let origins = (0...(width - Self.side)).map(Int32.init)
      let positions = origins.map { _ -> [Float] in
        let rest = (0..<2).map { _ in Float.random(in: -0.5...0.5, using: &random) }
        let slopes = (0..<4).map { _ in Float.random(in: -1...1, using: &random) * deformation }
        let reach = [slopes[0], slopes[2]].map { deformation <= 0.03 ? 0 : (0.501 + 7.5 * abs($0)).rounded(.up) }
        return rest + slopes + reach
      }
      let expected = origins.indices.flatMap { index -> [UInt32] in
        let x = Int(origins[index])
        let middle = template.value(x + 8, 8)
        var difference = [Float](repeating: 0, count: 256)
        for j in 0..<16 {
          for i in 0..<16 {
            difference[j * 16 + i] = sample(target, positions[index], i, j, from: x) - template.value(x + i, j)
          }
        }
        func r(_ i: Int, _ j: Int) -> Float { difference[j * 16 + i] }
        return [
          sum { r($0, $1) * template.dx(x + $0, $1) }, sum { r($0, $1) * template.dy(x + $0, $1) },
          sum { r($0, $1) * (template.value(x + $0, $1) - middle) }, sum(r), sum { r($0, $1) * r($0, $1) },
        ]
      }
      for variant in variants {
        let sums = GuardedRow(count: origins.count * RegistrationKernels.comparisonCount)
        let scratch = GuardedRow(count: RegistrationKernels.scratchCount)
        compare(
          variant.registration, template, target, origins, positions.flatMap(\.self), sums: sums.base,
          scratch: scratch.base)
        let bits = sums.bits
        let found = origins.indices.flatMap { index in
          bits.dropFirst(index * RegistrationKernels.comparisonCount).prefix(5)
        }
        #expect(found == expected, "\(variant.level), \(width)")
        #expect(sums.isGuardUntouched && scratch.isGuardUntouched)
      }
    }
  }

  /// Compares tiles that begin at the same positions of both images.
  private func compare(
    _ kernels: RegistrationKernels, _ template: Image, _ target: Image, _ origins: [Int32], _ positions: [Float],
    sums: UnsafeMutablePointer<Float>, scratch: UnsafeMutablePointer<Float>
  ) {
    origins.withUnsafeBufferPointer { origins in
      positions.withUnsafeBufferPointer { positions in
        guard let first = origins.baseAddress, let position = positions.baseAddress else { return }
        kernels.compareTiles(
          StridedRow(base: template.base, stride: template.stride),
          StridedRow(base: target.base, stride: target.stride),
          TilePositions(origins: first, targets: first, positions: position, count: origins.count), sums, scratch)
      }
    }
  }

  @Test(arguments: [Float(0), 1, 2])
  func wholePixelsAreComparedExactly(reach: Float) {
    var random = FixedRandom(seed: 73)
    let image = Image(width: 40, random: &random)
    let kernels = KernelTable.current.registration
    var sums = [Float](repeating: 1, count: RegistrationKernels.comparisonCount)
    var scratch = [Float](repeating: 0, count: RegistrationKernels.scratchCount)
    compare(kernels, image, image, [5], [0, 0, 0, 0, 0, 0, 1, 1], sums: &sums, scratch: &scratch)
    #expect(sums.prefix(5).allSatisfy { $0 == 0 })
  }

  @Test func pairingEqualsItsReference() {
    var random = FixedRandom(seed: 74)
    for width in widths {
      let input = GuardedRow(SampleKind.ordinary.values(2 * width + 64, using: &random))
      let expected = (0..<width).map { j -> UInt32 in
        let p = input.base + (2 * j + 1)
        return comparableBits((p[-1] + p[2]) * 0.125 + (p[0] + p[1]) * 0.375)
      }
      for variant in variants {
        let output = GuardedRow(count: width)
        variant.resize.pairRow(input.base + 1, output.base, width)
        #expect(output.bits == expected && output.isGuardUntouched, "\(variant.level), \(width)")
      }
    }
  }
}
