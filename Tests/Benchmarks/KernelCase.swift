// The kernels with the rows they work on, and what one element costs them: bytes read and written, operations.

import FlowKernels

/// A row of floats with a margin on both sides that kernels may read.
final class Row {
  private static let margin = 128
  private let base: UnsafeMutablePointer<Float>
  let start: UnsafeMutablePointer<Float>

  /// Values rise slowly, so that nothing is denormal or the same everywhere.
  init(_ count: Int) {
    let size = count + 2 * Self.margin
    let raw = UnsafeMutableRawPointer.allocate(byteCount: size * 4, alignment: 64)
    base = raw.bindMemory(to: Float.self, capacity: size)
    for i in 0..<size { base[i] = 1 + Float(i % 251) * 0.01 }
    start = base + Self.margin
  }

  /// The same value everywhere.
  convenience init(_ count: Int, value: Float) {
    self.init(count)
    for i in 0..<count + 2 * Self.margin { base[i] = value }
  }

  deinit { UnsafeMutableRawPointer(base).deallocate() }
}

struct KernelCase {
  let name: String
  /// Bytes that one element reads and writes.
  let bytes: Double
  /// Floating-point operations of one element.
  let operations: Double
  let run: () -> Void

  static func all(_ kernels: KernelTable, count: Int) -> [KernelCase] {
    filters(kernels.filter, count: count) + farneback(kernels.farneback, count: count)
      + conversion(kernels.resample, count: count)
  }

  private static func conversion(_ kernels: ResampleKernels, count: Int) -> [KernelCase] {
    let output = Row(count)
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count + 64)
    bytes.initialize(repeating: 100, count: count + 64)
    return [
      KernelCase(name: "convertRow8", bytes: 5, operations: 1) { kernels.convertRow8(bytes, output.start, count, 1) }
    ]
  }

  private static func filters(_ kernels: FilterKernels, count: Int) -> [KernelCase] {
    let rows = (0..<7).map { _ in Row(count) }
    let output = Row(count), scratch = Row(count)
    let taps = UnsafeMutablePointer<UnsafePointer<Float>>.allocate(capacity: 7)
    for i in 0..<7 { taps[i] = UnsafePointer(rows[i].start) }
    let weights = Row(8)
    let positions = UnsafeMutablePointer<Int32>.allocate(capacity: count + 64)
    for i in 0..<count + 64 { positions[i] = Int32(min(i, count - 1)) }
    let window = 15
    return [
      KernelCase(name: "weightedSum, 7 taps", bytes: 32, operations: 14) {
        kernels.weightedSum(taps, weights.start, 7, output.start, count)
      },
      KernelCase(name: "interpolateColumns", bytes: 20, operations: 3) {
        kernels.interpolateColumns(rows[0].start, positions, rows[1].start, output.start, count)
      },
      KernelCase(name: "addRow", bytes: 12, operations: 1) { kernels.addRow(rows[0].start, scratch.start, count) },
      KernelCase(name: "slideRows", bytes: 16, operations: 2) {
        kernels.slideRows(rows[0].start, rows[1].start, scratch.start, count)
      },
      KernelCase(name: "windowSum, 15 wide", bytes: 8, operations: 2) {
        kernels.windowSum(rows[2].start, scratch.start, output.start, count - window, window)
      },
    ]
  }

  private static func farneback(_ kernels: FarnebackKernels, count: Int) -> [KernelCase] {
    let radius = 5
    let size = 2 * radius + 1
    let rows = (0..<size).map { _ in Row(count) }
    let taps = UnsafeMutablePointer<UnsafePointer<Float>>.allocate(capacity: size)
    for i in 0..<size { taps[i] = UnsafePointer(rows[i].start) }
    let weights = Row(64)
    let (mean, slope, curvature) = (Row(count), Row(count), Row(count))
    // Coefficient and equation rows are five planes, one behind the other.
    let stride = count + 128
    let (previous, current, sums) = (Row(stride * 5), Row(stride * 5 * 3), Row(stride * 5))
    let (u, v) = (Row(count, value: 0.25), Row(count, value: 0.25))
    let columnWeights = Row(count, value: 1)
    return [
      // Even and odd parts of pairs of rows, three weighted sums.
      KernelCase(name: "expandColumns, radius 5", bytes: Double(4 * (size + 3)), operations: Double(8 * radius + 1)) {
        kernels.expandColumns(taps, weights.start, radius, mean.start, slope.start, curvature.start, count)
      },
      KernelCase(name: "expandRow, radius 5", bytes: 32, operations: Double(14 * radius + 6)) {
        kernels.expandRow(
          mean.start, slope.start, curvature.start, weights.start, radius, sums.start, stride, count)
      },
      // Four samples of five planes, interpolation, five products.
      KernelCase(name: "formEquations", bytes: 132, operations: 60) {
        kernels.formEquations(
          previous.start, current.start, stride * 5, stride, u.start, v.start, 0, count, 2, columnWeights.start, 1,
          sums.start, stride)
      },
      KernelCase(name: "solveEquations", bytes: 28, operations: 16) {
        kernels.solveEquations(previous.start, stride, 1, 0.001, u.start, v.start, count)
      },
    ]
  }
}
