// Rows of patches, as the kernels of the inverse search take them.

/// A row of the first image with its derivatives.
public struct PatchSource {
  /// The row of the image, whose stride is that of the second image.
  public let image: UnsafePointer<Float>
  /// The row of the derivatives to the right.
  public let dx: UnsafePointer<Float>
  /// The row of the derivatives downwards.
  public let dy: UnsafePointer<Float>
  /// Floats from one row of the derivatives to the next.
  public let gradientStride: Int

  @inlinable
  public init(image: UnsafePointer<Float>, dx: UnsafePointer<Float>, dy: UnsafePointer<Float>, gradientStride: Int) {
    self.image = image
    self.dx = dx
    self.dy = dy
    self.gradientStride = gradientStride
  }
}

/// The positions of the patches of a row.
public struct PatchRowLayout {
  /// The row of pixels that is read: for a search the top row of the patches.
  public let y: Int
  /// Pixels from one patch to the next; patch k has its left column at k·`step`.
  public let step: Int
  /// Patches in the row.
  public let count: Int

  @inlinable
  public init(y: Int, step: Int, count: Int) {
    self.y = y
    self.step = step
    self.count = count
  }
}

/// The work on each patch of a search, and the memory for it.
public struct PatchWork {
  /// Shifts to compare.
  public let candidateCount: Int
  /// The maximum number of Gauß-Newton steps.
  public let iterations: Int
  /// Scratch memory.
  public let scratch: UnsafeMutablePointer<Float>
  /// The cost at which a shift is taken as it is; −∞: none is.
  public let tolerance: Float
  /// The costs of the patches' own shifts where a former round has measured them; nil: none has.
  public let knownCosts: UnsafePointer<Float>?

  @inlinable
  public init(
    candidateCount: Int, iterations: Int, scratch: UnsafeMutablePointer<Float>, tolerance: Float = -.infinity,
    knownCosts: UnsafePointer<Float>? = nil
  ) {
    self.candidateCount = candidateCount
    self.iterations = iterations
    self.scratch = scratch
    self.tolerance = tolerance
    self.knownCosts = knownCosts
  }
}

/// Shifts of a row of patches and what they cost.
public struct PatchShiftRow {
  /// The shifts to the right.
  public let u: UnsafeMutablePointer<Float>
  /// The shifts downwards.
  public let v: UnsafeMutablePointer<Float>
  /// The sums of squared differences about their mean.
  public let cost: UnsafeMutablePointer<Float>

  @inlinable
  public init(u: UnsafeMutablePointer<Float>, v: UnsafeMutablePointer<Float>, cost: UnsafeMutablePointer<Float>) {
    self.u = u
    self.v = v
    self.cost = cost
  }
}

/// Sums of weighted vectors for each pixel of a row.
public struct FlowSumRow {
  /// The weighted components to the right.
  public let u: UnsafeMutablePointer<Float>
  /// The weighted components downwards.
  public let v: UnsafeMutablePointer<Float>
  /// The weights.
  public let weight: UnsafeMutablePointer<Float>

  @inlinable
  public init(u: UnsafeMutablePointer<Float>, v: UnsafeMutablePointer<Float>, weight: UnsafeMutablePointer<Float>) {
    self.u = u
    self.v = v
    self.weight = weight
  }
}
