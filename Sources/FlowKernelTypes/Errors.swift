// Limits of errors between images, as kernels take them.

/// Limits of what is compared between two images.
public struct ErrorLimits: Sendable {
  /// The maximum difference that counts, in grey levels.
  public let limit: Float
  /// The error where the second image is not known.
  public let outside: Float

  @inlinable
  public init(limit: Float, outside: Float) {
    self.limit = limit
    self.outside = outside
  }
}

/// A row of errors that two flows leave.
public struct ErrorRows {
  /// The errors of the flow.
  public let flow: UnsafePointer<Float>
  /// The errors of no motion at all: the change between the images.
  public let still: UnsafePointer<Float>

  @inlinable
  public init(flow: UnsafePointer<Float>, still: UnsafePointer<Float>) {
    self.flow = flow
    self.still = still
  }
}
