import Imaging

extension OpticalFlowObservation {
  /// The vector at a point, in pixels: bilinear between the known ones of the four around it.
  ///
  /// - Returns: nil outside the image, or where none of the four is known.
  public func flow(at point: PixelPoint) -> (u: Float, v: Float)? { flow.vector(at: point) }

  /// The vector at a point in fractions of the image's size, origin at the top left corner; the vector is in pixels.
  public func flow(at point: NormalizedPoint) -> (u: Float, v: Float)? { flow.vector(at: point.inPixels(of: size)) }

  /// Returns an image warped by the flow: with forward flow `current`, or another image of its time and size, as
  /// `previous` looked; with backward flow `previous` as `current` looks.
  ///
  /// - Parameters:
  ///   - image: `current` with forward flow, `previous` with backward flow, or an image of that time and size.
  ///   - interpolation: How the image is sampled between its pixels.
  ///   - fill: Shown where the vector is unknown or leaves the image.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch` for an image of another size than the flow's.
  public func warp<Scalar: WarpSample>(
    _ image: Plane<Scalar>, interpolation: Interpolation = .bicubic, fill: Scalar,
    parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) -> Plane<Scalar> {
    guard image.size == size else {
      throw AnalysisError(code: .sizeMismatch, message: "the image is \(image.size), the flow \(size)")
    }
    return flow.warp(image, interpolation: interpolation, fill: fill, parallelism: parallelism)
  }

  /// The statistics of the flow, how much is known and how far it moves: mean, extremes, percentiles. Computed anew at
  /// each call.
  public var statistics: FlowStatistics { flow.statistics }

  /// The direction and length of most of the motion; nil when nothing moves. Computed anew at each call.
  public var dominantDirection: FlowDirection? { flow.dominantDirection() }

  /// The flow in small, for storing that of many videos.
  ///
  /// - Parameter cellSize: Pixels along the side of a cell, 1 or more.
  public func summary(cellSize: Int = 16) -> FlowSummary { FlowSummary(of: flow, cellSize: cellSize) }
}
