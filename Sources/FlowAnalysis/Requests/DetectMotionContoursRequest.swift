import Imaging

/// Finds the outlines of what moves against the camera's motion: polygons around regions, with holes, nested. Both
/// images have one size.
///
/// Revision 1. The dense flow less the scene's motion, as ``GenerateMotionSaliencyRequest`` finds it, leaves a speed
/// for every pixel; the outlines lie where it passes ``threshold``. A region counts when the images confirm its motion
/// somewhere: one of its cells is hot in the saliency's map, or it is left out, with all that lies in it.
///
/// On synthetic scenes outlines lie 1 to 1.5 pixels from the truth on average; where an object is about to cover the
/// ground the flow is a guess, and they may be off by as much as it moves. Beside something more than twice as fast, a
/// slow object is not seen over some cells of the map.
///
/// `FlowField.motionContours(threshold:minimumArea:)` finds motion as it appears in the image, the camera's included.
public struct DetectMotionContoursRequest: AnalysisRequest, Codable {
  /// The revisions that this release knows: 1.
  public static let supportedRevisions = [1]
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image; outside of it nothing moves.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The accuracy of the flow.
  public var computationAccuracy: OpticalFlowRequest.ComputationAccuracy
  /// The speed against the scene above which a pixel lies inside an outline: pixels per pair of frames,
  /// ``thresholdRange``. nil: half the speed of each component, where its outline is sharpest, but not less than the
  /// noise that the pair's flow has. Vision's `contrastPivot`, for speed instead of brightness.
  public var threshold: Float?
  /// The minimum area of a region, in square pixels: smaller ones are left out, smaller holes are filled.
  public var minimumArea = 16.0

  /// The range of ``threshold``, in pixels; above the lower bound.
  public static let thresholdRange: ClosedRange<Float> = 0...1000

  /// A request for the whole image and all frames.
  public init(computationAccuracy: OpticalFlowRequest.ComputationAccuracy = .medium, threshold: Float? = nil) {
    self.computationAccuracy = computationAccuracy
    self.threshold = threshold
  }

  /// - Throws: ``AnalysisError`` with code `unsupportedRevision`, or `invalidParameters` for a region, spacing,
  ///   threshold or area out of range.
  public func validate() throws(AnalysisError) {
    try validateCommonProperties()
    if let threshold, !(threshold > Self.thresholdRange.lowerBound && threshold <= Self.thresholdRange.upperBound) {
      throw AnalysisError(
        code: .invalidParameters,
        message: "a threshold of \(threshold) px: it is more than 0 and up to \(Self.thresholdRange.upperBound)")
    }
    // Also false for NaN.
    guard minimumArea >= 0 else {
      throw AnalysisError(code: .invalidParameters, message: "a minimum area of \(minimumArea) px²: it is 0 or more")
    }
  }

  /// Looks at a pair of one size, else throws `sizeMismatch`.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> MotionContoursObservation {
    var saliencyRequest = GenerateMotionSaliencyRequest(computationAccuracy: computationAccuracy)
    saliencyRequest.revision = 1
    saliencyRequest.regionOfInterest = regionOfInterest
    let saliency = try pair.observation(of: saliencyRequest)
    var motion = try pair.observation(of: saliencyRequest.flowRequest).flow
    motion.subtract(motionOf: saliency.sceneMotion, parallelism: pair.parallelism)
    let speed = motion.speed(parallelism: pair.parallelism)
    // Without a threshold of the caller's, each pixel has its own.
    let excess =
      threshold == nil
      ? RelativeSpeed(speed, cellSize: saliency.cellSize, floor: saliency.noiseFloor)
        .excess(parallelism: pair.parallelism) : speed
    let contours = ContourHierarchy(excess, threshold: threshold ?? 0, minimumArea: minimumArea) {
      saliency.confirms($0)
    }
    return MotionContoursObservation(
      contours: contours, threshold: threshold ?? saliency.noiseFloor, camera: saliency.camera,
      previousTime: pair.previousTime, currentTime: pair.currentTime)
  }
}

extension MotionSaliencyObservation {
  /// Returns whether the region inside a contour has a hot cell: one that a point of the contour lies in, or whose
  /// middle it surrounds. A hole needs none.
  fileprivate func confirms(_ contour: Contour) -> Bool {
    if contour.isHole { return true }
    if contour.points.contains(where: { isHot(column: cell($0.x), row: cell($0.y)) }) { return true }
    let box = contour.boundingBox
    for row in rows(of: box) {
      for column in columns(of: box) where isHot(column: column, row: row) {
        let half = Double(cellSize - 1) / 2
        let middle = SIMD2(Double(column * cellSize) + half, Double(row * cellSize) + half)
        if contour.contains(middle) { return true }
      }
    }
    return false
  }

  private func rows(of box: BoundingBox) -> ClosedRange<Int> {
    max(cell(box.y - 0.5), 0)...min(cell(box.y + box.height - 0.5), heatMap.height - 1)
  }

  private func columns(of box: BoundingBox) -> ClosedRange<Int> {
    max(cell(box.x - 0.5), 0)...min(cell(box.x + box.width - 0.5), heatMap.width - 1)
  }

  private func cell(_ position: Double) -> Int { Int((position + 0.5).rounded(.down)) / cellSize }

  private func isHot(column: Int, row: Int) -> Bool {
    heatMap.size.contains(x: column, y: row) && heatMap[column, row] >= HotRegions.hot
  }
}
