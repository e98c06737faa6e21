import Imaging

/// The dense flow between two images.
public struct OpticalFlowObservation: AnalysisObservation {
  /// A vector for every pixel, in pixels of the full-size image; unknown ones are NaN. Forward flow, unless
  /// `direction` is `backward`.
  public let flow: FlowField
  /// The direction that was asked for.
  public let direction: OpticalFlowRequest.Direction
  /// The time at which `previous` shows.
  public let previousTime: MediaTime?
  /// The time at which `current` shows.
  public let currentTime: MediaTime?
  /// The backward flow, with direction `both`: from `current` to `previous`, on the grid of `current`.
  public let backwardFlow: FlowField?
  /// The confidence in each vector, 0…1, on the grid of `flow`: how far it can be trusted; 0 where it is unknown or
  /// leads out of the image.
  ///
  /// The confidence tells, with ``OpticalFlowRequest/measuresConfidence``, how well the two images show the same
  /// structure (not the same brightness) at both ends of the vector, in a window of some 10 pixels, and for vectors
  /// that move, how much better than without motion; ½ is where one tends to be wrong. Low where a pixel is hidden in
  /// the other image, in the halo of motion around what moves, and for vectors that move on an even surface, which
  /// match anything; a surface that stands still is trusted as long as nothing changes there.
  ///
  /// The confidence tells, with direction `both`, how well the backward flow confirms the vector; ½ is the limit of
  /// consistency. With both, the smaller number. nil with neither.
  public let confidence: Plane<Float>?
  /// The occlusion mask, with direction `both`: 255 where the flows contradict each other, as where a pixel is hidden
  /// in `current`, or where it leaves the image; else 0.
  public let occlusion: Plane<UInt8>?
  /// The minimum eigenvalue at each pixel, with ``OpticalFlowRequest/measuresMinimumEigenvalue`` and Lucas-Kanade's
  /// method: the confidence that it has in its equations, the smaller eigenvalue of the structure tensor Σ w·∇I·∇Iᵀ
  /// around each pixel, on the grid of `flow`, NaN outside the region. nil for other methods and unless asked for.
  ///
  /// The weights w of the window sum to 1, so that windows of different size compare. In squared grey levels (of 0…255)
  /// per squared pixel of the size at which the engine worked, which `maximumDimension` may make smaller than the
  /// image. At least 0: near 0 the motion in at least one direction came from the surroundings (the aperture
  /// problem); 1 is a faint texture, 100 a clear one. The parameter `regularization` has the same unit: where the
  /// eigenvalue is far above it, the window alone decides.
  public let minimumEigenvalue: Plane<Float>?

  init(
    flow: FlowField, direction: OpticalFlowRequest.Direction, previousTime: MediaTime?, currentTime: MediaTime?,
    backwardFlow: FlowField? = nil,
    confidence: Plane<Float>? = nil, occlusion: Plane<UInt8>? = nil, minimumEigenvalue: Plane<Float>? = nil
  ) {
    self.flow = flow
    self.direction = direction
    self.previousTime = previousTime
    self.currentTime = currentTime
    self.backwardFlow = backwardFlow
    self.confidence = confidence
    self.occlusion = occlusion
    self.minimumEigenvalue = minimumEigenvalue
  }

  /// The size of the images.
  public var size: PixelSize { flow.size }

  /// The consistency of the backward flow, with direction `both`: how well the forward flow confirms each vector, 0…1,
  /// on the grid of `current`; computed anew at each call. ½ is the limit of consistency.
  public func backwardConfidence(parallelism: Parallelism = Parallelism()) -> Plane<Float>? {
    backwardFlow.map { ForwardBackwardConsistency(of: $0, against: flow, parallelism: parallelism).confidence }
  }
}
