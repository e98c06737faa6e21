// Borrowed planes: a base pointer, a stride and a size. A view never outlives the memory it looks at.

/// A plane to read from. Valid only inside the closure that received it.
@usableFromInline
package struct PlaneView<Scalar: PlaneScalar> {
  /// The first pixel of the row 0.
  @usableFromInline package let base: UnsafePointer<Scalar>
  /// Bytes from one row to the next; negative when the rows are stored bottom up.
  @usableFromInline package let stride: Int
  /// Width and height in pixels.
  @usableFromInline package let size: PixelSize

  /// Borrows memory that must outlive the view: rows of pixels that lie `stride` bytes apart.
  @inlinable
  package init(base: UnsafePointer<Scalar>, stride: Int, size: PixelSize) {
    self.base = base
    self.stride = stride
    self.size = size
  }

  /// Pixels in a row.
  @inlinable package var width: Int { size.width }
  /// Rows.
  @inlinable package var height: Int { size.height }

  /// The row `y`, which must lie inside.
  @inlinable
  package func row(_ y: Int) -> UnsafePointer<Scalar> {
    assert(y >= 0 && y < size.height)
    return (UnsafeRawPointer(base) + y &* stride).assumingMemoryBound(to: Scalar.self)
  }

  /// The row nearest to `y`: the first above the image, the last below it.
  @inlinable
  package func clampedRow(_ y: Int) -> UnsafePointer<Scalar> { row(min(max(y, 0), size.height &- 1)) }
}

/// A plane to write to. Valid only inside the closure that received it.
@usableFromInline
package struct MutablePlaneView<Scalar: PlaneScalar> {
  /// The first pixel of the row 0.
  @usableFromInline package let base: UnsafeMutablePointer<Scalar>
  /// Bytes from one row to the next; negative when the rows are stored bottom up.
  @usableFromInline package let stride: Int
  /// Width and height in pixels.
  @usableFromInline package let size: PixelSize

  /// Borrows memory that must outlive the view: rows of pixels that lie `stride` bytes apart.
  @inlinable
  package init(base: UnsafeMutablePointer<Scalar>, stride: Int, size: PixelSize) {
    self.base = base
    self.stride = stride
    self.size = size
  }

  /// Pixels in a row.
  @inlinable package var width: Int { size.width }
  /// Rows.
  @inlinable package var height: Int { size.height }

  /// The row `y`, which must lie inside.
  @inlinable
  package func row(_ y: Int) -> UnsafeMutablePointer<Scalar> {
    assert(y >= 0 && y < size.height)
    return (UnsafeMutableRawPointer(base) + y &* stride).assumingMemoryBound(to: Scalar.self)
  }

  /// A view of the same memory for reading.
  @inlinable
  package var readOnly: PlaneView<Scalar> { PlaneView(base: UnsafePointer(base), stride: stride, size: size) }
}

// SAFETY: a view is a pointer; whoever shares one between threads makes each write its own rows.
extension PlaneView: @unchecked Sendable {}
extension MutablePlaneView: @unchecked Sendable {}
