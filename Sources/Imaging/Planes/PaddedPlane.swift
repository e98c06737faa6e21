// Images with a border of replicated pixels, so that filters and patches may look past the edge.

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A plane of floats with `margin` pixels around it that repeat the nearest pixel of the border.
///
/// A value, like `Plane`, which it is made of.
@usableFromInline
package struct PaddedPlane: Sendable {
  /// Pixels on each side: one cache line, so that rows stay aligned.
  @inlinable package static var margin: Int { 16 }

  /// The size without the margin.
  package let size: PixelSize
  @usableFromInline var plane: Plane<Float>

  /// Zeros.
  package init(size: PixelSize) {
    self.size = size
    plane = Plane(width: size.width + 2 * Self.margin, height: size.height + 2 * Self.margin)
  }

  /// Gives access for reading: the grid's rows −16 ..< height + 16 and columns −16 ..< width + 16 exist.
  @inlinable
  package func withView<Result>(_ body: (GridView) -> Result) -> Result {
    plane.withView { view in
      body(Self.grid(base: UnsafeMutablePointer(mutating: view.base), stride: view.stride))
    }
  }

  /// Gives access for writing; copies the memory first when another value shares it. Whoever writes also fills the
  /// margin, as with ``GridView/replicateBorders(of:margin:)``.
  @inlinable
  package mutating func withMutableView<Result>(_ body: (GridView) -> Result) -> Result {
    plane.withMutableView { view in body(Self.grid(base: view.base, stride: view.stride)) }
  }

  @inlinable
  static func grid(base: UnsafeMutablePointer<Float>, stride: Int) -> GridView {
    let floats = stride / MemoryLayout<Float>.stride
    return GridView(base: base + (margin * floats + margin), stride: floats)
  }
}

/// Rows of floats at a fixed distance: the pixel (0, 0) and what lies around it. Valid as long as its owner.
@usableFromInline
package struct GridView: @unchecked Sendable {
  // SAFETY: a pointer; whoever shares one between threads makes each write its own rows.

  /// The sample (0, 0).
  @usableFromInline package let base: UnsafeMutablePointer<Float>
  /// Floats from one row to the next.
  @usableFromInline package let stride: Int

  /// Rows that lie `stride` floats apart; `base` is the sample (0, 0).
  @inlinable
  package init(base: UnsafeMutablePointer<Float>, stride: Int) {
    self.base = base
    self.stride = stride
  }

  /// The rows of a plane, to be read only.
  @inlinable
  package init(_ view: PlaneView<Float>) {
    precondition(view.stride % MemoryLayout<Float>.stride == 0, "rows \(view.stride) bytes apart")
    self.init(base: UnsafeMutablePointer(mutating: view.base), stride: view.stride / MemoryLayout<Float>.stride)
  }

  /// The row `y`; negative rows lie above the first one, in the margin.
  @inlinable
  package func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y &* stride }

  /// Fills `margin` samples left and right of a row with its first and its last one.
  package func replicateSides(ofRow y: Int, width: Int, margin: Int) {
    let samples = row(y)
    (samples - margin).update(repeating: samples[0], count: margin)
    (samples + width).update(repeating: samples[width - 1], count: margin)
  }

  /// Fills the margin on all sides.
  package func replicateBorders(of size: PixelSize, margin: Int) {
    replicateBorders(of: size, margin: margin, aroundRows: 0..<size.height)
  }

  /// Fills the margin left and right of some rows, and above the first row and below the last one if these are among
  /// them.
  package func replicateBorders(of size: PixelSize, margin: Int, aroundRows stripe: Range<Int>) {
    for y in stripe { replicateSides(ofRow: y, width: size.width, margin: margin) }
    let count = size.width + 2 * margin
    let last = size.height - 1
    for distance in 1...margin {
      if stripe.contains(0) { (row(-distance) - margin).update(from: row(0) - margin, count: count) }
      if stripe.contains(last) { (row(last + distance) - margin).update(from: row(last) - margin, count: count) }
    }
  }
}

/// Working memory for grids of changing size. One owner, one task; freed with its owner.
package final class GridMemory {
  private var memory: UnsafeMutableRawBufferPointer
  /// The grid that `reshape` made last.
  package private(set) var view: GridView

  /// No memory to speak of until the first `reshape`.
  package init() {
    memory = Self.allocate(64)
    view = GridView(base: memory.baseAddress!.assumingMemoryBound(to: Float.self), stride: 16)
  }

  deinit { free(memory.baseAddress) }

  private static func allocate(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: FrameMemory.allocate(byteCount: byteCount), count: byteCount)
  }

  /// Makes a grid of `rows` rows of `width` samples, with margins; the contents are whatever was there, finite.
  ///
  /// - Parameters:
  ///   - rows: Rows without those above and below.
  ///   - width: Samples in a row, without the margins.
  ///   - margin: Samples left and right, rounded up to whole cache lines.
  ///   - marginRows: Rows above and below.
  package func reshape(rows: Int, width: Int, margin: Int, marginRows: Int) {
    let side = (margin + 15) / 16 * 16
    let stride = (width + 15) / 16 * 16 + 2 * side + 16
    let byteCount = ((rows + 2 * marginRows) * stride + 16) * MemoryLayout<Float>.stride
    if byteCount > memory.count {
      free(memory.baseAddress)
      memory = Self.allocate(byteCount)
      memory.initializeMemory(as: UInt8.self, repeating: 0)
    }
    let floats = memory.baseAddress!.assumingMemoryBound(to: Float.self)
    view = GridView(base: floats + (marginRows * stride + side), stride: stride)
  }
}
