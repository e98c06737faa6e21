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

/// A row of vectors to read.
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

/// A row of vectors to write.
public struct MutableFlowRow {
  /// The components to the right.
  public let u: UnsafeMutablePointer<Float>
  /// The components downwards.
  public let v: UnsafeMutablePointer<Float>

  @inlinable
  public init(u: UnsafeMutablePointer<Float>, v: UnsafeMutablePointer<Float>) {
    self.u = u
    self.v = v
  }
}

/// A row to read, with others at a fixed distance: those beside it in an image, or further bands of the same pixels.
public struct StridedRow {
  /// The first sample of the row.
  public let base: UnsafePointer<Float>
  /// Floats from one row to the next.
  public let stride: Int

  @inlinable
  public init(base: UnsafePointer<Float>, stride: Int) {
    self.base = base
    self.stride = stride
  }
}

/// A row of several bands to read, with the rows above and below.
public struct StridedBands {
  /// The first sample of the row in the first band.
  public let base: UnsafePointer<Float>
  /// Floats from one row to the next.
  public let rowStride: Int
  /// Floats from one band to the next.
  public let bandStride: Int

  @inlinable
  public init(base: UnsafePointer<Float>, rowStride: Int, bandStride: Int) {
    self.base = base
    self.rowStride = rowStride
    self.bandStride = bandStride
  }
}

/// A row to write, with others at a fixed distance.
public struct MutableStridedRow {
  /// The first sample of the row.
  public let base: UnsafeMutablePointer<Float>
  /// Floats from one row to the next.
  public let stride: Int

  @inlinable
  public init(base: UnsafeMutablePointer<Float>, stride: Int) {
    self.base = base
    self.stride = stride
  }
}

/// The positions in an image that a row of vectors points to.
public struct PositionRow {
  /// The pixel at the upper left of each position, counted from the pixel (0, 0), less its lane in the vector of 16.
  public let origins: UnsafeMutablePointer<Int32>
  /// The distance of each position to the right of that pixel, 0 ≤ fx < 1.
  public let fx: UnsafeMutablePointer<Float>
  /// The distance of each position below that pixel, 0 ≤ fy < 1.
  public let fy: UnsafeMutablePointer<Float>
  /// 1 where the position lies in the image, borders included, else 0.
  public let inside: UnsafeMutablePointer<Float>

  @inlinable
  public init(
    origins: UnsafeMutablePointer<Int32>, fx: UnsafeMutablePointer<Float>, fy: UnsafeMutablePointer<Float>,
    inside: UnsafeMutablePointer<Float>
  ) {
    self.origins = origins
    self.fx = fx
    self.fy = fy
    self.inside = inside
  }
}
