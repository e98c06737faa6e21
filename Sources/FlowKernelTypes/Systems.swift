// Rows and weights of the linear systems that flow solves, as kernels take them.

/// A row of the derivatives of two images.
public struct DerivativeRow {
  /// The derivatives to the right of the mean of both images.
  public let dx: UnsafePointer<Float>
  /// The derivatives downwards of the mean of both images.
  public let dy: UnsafePointer<Float>
  /// The second image minus the first.
  public let difference: UnsafePointer<Float>
  /// Floats from one row to the next, of each of the three.
  public let stride: Int

  @inlinable
  public init(
    dx: UnsafePointer<Float>, dy: UnsafePointer<Float>, difference: UnsafePointer<Float>, stride: Int
  ) {
    self.dx = dx
    self.dy = dy
    self.difference = difference
    self.stride = stride
  }
}

/// A row to write whose even and odd columns lie apart.
public struct SplitRow {
  /// The even columns of the first band.
  public let base: UnsafeMutablePointer<Float>
  /// Floats from the even columns to the odd ones; half as many as from one band to the next.
  public let partStride: Int

  @inlinable
  public init(base: UnsafeMutablePointer<Float>, partStride: Int) {
    self.base = base
    self.partStride = partStride
  }
}

/// Split bands of a row: its data terms and its flow.
public struct DataTermRow {
  /// Nine bands of data terms.
  public let terms: UnsafePointer<Float>
  /// Two bands, u and v.
  public let flow: UnsafePointer<Float>

  @inlinable
  public init(terms: UnsafePointer<Float>, flow: UnsafePointer<Float>) {
    self.terms = terms
    self.flow = flow
  }
}

/// The split diffusivities of a row and of those beside it.
public struct DiffusivityRows {
  /// The row above.
  public let above: UnsafePointer<Float>
  /// The row itself.
  public let row: UnsafePointer<Float>
  /// The row below.
  public let below: UnsafePointer<Float>

  @inlinable
  public init(above: UnsafePointer<Float>, row: UnsafePointer<Float>, below: UnsafePointer<Float>) {
    self.above = above
    self.row = row
    self.below = below
  }
}

/// The weights of the variational data terms.
public struct DataTermWeights: Sendable {
  /// The weight of constant brightness.
  public let brightness: Float
  /// The weight of a constant gradient.
  public let gradient: Float
  /// ε² of the robust penalty √(x² + ε²).
  public let epsilonSquared: Float

  @inlinable
  public init(brightness: Float, gradient: Float, epsilonSquared: Float) {
    self.brightness = brightness
    self.gradient = gradient
    self.epsilonSquared = epsilonSquared
  }
}

/// A row of a polynomial expansion: five bands (bx, by, axx, ayy, ½·axy).
public struct ExpansionRow {
  /// The row in the first band.
  public let base: UnsafePointer<Float>
  /// Floats from one band to the next.
  public let bandStride: Int
  /// The number of the row.
  public let y: Int

  @inlinable
  public init(base: UnsafePointer<Float>, bandStride: Int, y: Int) {
    self.base = base
    self.bandStride = bandStride
    self.y = y
  }
}

/// The weights of the equations of a row.
public struct EquationWeights {
  /// The weight of each column.
  public let columns: UnsafePointer<Float>
  /// The weight of the row, which multiplies those of the columns.
  public let row: Float

  @inlinable
  public init(columns: UnsafePointer<Float>, row: Float) {
    self.columns = columns
    self.row = row
  }
}

/// The limits within which a displacement is taken from the equations of a window.
public struct DisplacementLimits: Sendable {
  /// The amount added to the diagonal of the matrix, above 0, in squared grey levels per pixel.
  public let regularization: Float
  /// The maximum distance from the displacement so far, in pixels.
  public let maximumStep: Float
  /// The trace of the matrix below which the displacement stays, in squared grey levels per pixel.
  public let minimumTrace: Float

  @inlinable
  public init(regularization: Float, maximumStep: Float, minimumTrace: Float) {
    self.regularization = regularization
    self.maximumStep = maximumStep
    self.minimumTrace = minimumTrace
  }
}

/// The choice of those of nine windows around a pixel that count.
public struct WindowChoice: Sendable {
  /// The distance of eight of the windows, in pixels: (±shift, 0), (0, ±shift), (±shift, ±shift).
  public let shift: Int
  /// The share of the smallest residual by which a window's residual may exceed it.
  public let tolerance: Float
  /// The amount that is added to the smallest residual before it is compared, in grey levels.
  public let floor: Float

  @inlinable
  public init(shift: Int, tolerance: Float, floor: Float) {
    self.shift = shift
    self.tolerance = tolerance
    self.floor = floor
  }
}

/// Moments of the columns around a row, from which a polynomial expansion is made.
public struct MomentRows {
  /// Weighted means.
  public let mean: UnsafeMutablePointer<Float>
  /// Weighted slopes.
  public let slope: UnsafeMutablePointer<Float>
  /// Weighted curvatures.
  public let curvature: UnsafeMutablePointer<Float>

  @inlinable
  public init(
    mean: UnsafeMutablePointer<Float>, slope: UnsafeMutablePointer<Float>, curvature: UnsafeMutablePointer<Float>
  ) {
    self.mean = mean
    self.slope = slope
    self.curvature = curvature
  }
}

/// Positions and the vectors there, one sample after the other.
public struct VectorSamples {
  /// The columns.
  public let x: UnsafePointer<Float>
  /// The rows.
  public let y: UnsafePointer<Float>
  /// The components to the right.
  public let u: UnsafePointer<Float>
  /// The components downwards.
  public let v: UnsafePointer<Float>

  @inlinable
  public init(
    x: UnsafePointer<Float>, y: UnsafePointer<Float>, u: UnsafePointer<Float>, v: UnsafePointer<Float>
  ) {
    self.x = x
    self.y = y
    self.u = u
    self.v = v
  }
}

/// Samples that go from one point to another.
public struct PlaneSamples {
  /// The columns of the first points.
  public let x: UnsafePointer<Float>
  /// The rows of the first points.
  public let y: UnsafePointer<Float>
  /// The columns of the second points.
  public let targetX: UnsafePointer<Float>
  /// The rows of the second points.
  public let targetY: UnsafePointer<Float>

  @inlinable
  public init(
    x: UnsafePointer<Float>, y: UnsafePointer<Float>, targetX: UnsafePointer<Float>, targetY: UnsafePointer<Float>
  ) {
    self.x = x
    self.y = y
    self.targetX = targetX
    self.targetY = targetY
  }
}
