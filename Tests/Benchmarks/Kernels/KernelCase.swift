// A kernel with the rows it works on, and what one pixel costs it.

import FlowKernels

struct KernelCase {
  let name: String
  /// Pixels of one call.
  let pixels: Int
  /// Bytes of the rows that one pixel takes from and puts into, each sample counted once.
  let read: Double
  let written: Double
  /// Additions, multiplications, divisions and comparisons of floating-point numbers for one pixel.
  let operations: Double
  let run: () -> Void

  /// Rows of floats.
  init(
    _ name: String, pixels: Int, rowsRead: Double, rowsWritten: Double, operations: Double, run: @escaping () -> Void
  ) {
    self.init(
      name, pixels: pixels, bytesRead: 4 * rowsRead, bytesWritten: 4 * rowsWritten, operations: operations, run: run)
  }

  init(
    _ name: String, pixels: Int, bytesRead: Double, bytesWritten: Double, operations: Double, run: @escaping () -> Void
  ) {
    self.name = name
    self.pixels = pixels
    read = bytesRead
    written = bytesWritten
    self.operations = operations
    self.run = run
  }

  static func all(_ kernels: KernelTable, count: Int) -> [KernelCase] {
    filters(kernels.filter, count: count) + resizing(kernels.resize, kernels.resample, count: count)
      + averaging(kernels.resize, count: count) + motion(kernels.motion, count: count)
      + farneback(kernels.farneback, count: count) + lucasKanade(kernels.lucasKanade, count: count)
      + inverseSearch(kernels.inverseSearch, count: count) + wideSearch(kernels.inverseSearch, count: count)
      + planes(kernels.planes, count: count) + variational(kernels.variational, count: count)
      + confidence(kernels.confidence, count: count) + medianFilterPasses(kernels, count: count)
      + rendering(kernels.render, count: count)
  }
}

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

/// Rows one below the other, with pointers to all of them.
final class Rows {
  private let memory: Row
  let pointers: UnsafeMutablePointer<UnsafePointer<Float>>
  /// Floats from one row to the next.
  let stride: Int

  init(_ rowCount: Int, of count: Int) {
    stride = (count + 63) / 32 * 32
    memory = Row(stride * rowCount)
    pointers = .allocate(capacity: rowCount)
    for i in 0..<rowCount { (pointers + i).initialize(to: UnsafePointer(memory.start + i * stride)) }
  }

  subscript(row: Int) -> UnsafeMutablePointer<Float> { memory.start + row * stride }

  deinit { pointers.deallocate() }
}

/// Numbers that are not floats.
final class Numbers<Element> {
  let start: UnsafeMutablePointer<Element>

  init(_ count: Int, _ value: (Int) -> Element) {
    start = .allocate(capacity: count)
    for i in 0..<count { (start + i).initialize(to: value(i)) }
  }

  deinit { start.deallocate() }
}
