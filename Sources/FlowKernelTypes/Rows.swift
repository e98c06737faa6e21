// Rows in memory, as kernels take them: by value, at most four words, which stay in registers.
//
// A module of its own, so that the three variants of a kernel have one type.

/// A whole image to read from.
public struct ImageRows {
  /// The pixel (0, 0).
  public let base: UnsafePointer<Float>
  /// Floats from one row to the next.
  public let stride: Int
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int

  @inlinable
  public init(base: UnsafePointer<Float>, stride: Int, width: Int, height: Int) {
    self.base = base
    self.stride = stride
    self.width = width
    self.height = height
  }
}

/// One row of vectors to read.
public struct FlowRow {
  /// The components to the right.
  public let u: UnsafePointer<Float>
  /// The components downwards.
  public let v: UnsafePointer<Float>

  @inlinable
  public init(u: UnsafePointer<Float>, v: UnsafePointer<Float>) {
    self.u = u
    self.v = v
  }
}
