import Imaging
import Registration

/// Finds what moves against the camera's motion: a heat map and up to three boxes. Both images have one size.
///
/// Revision 1. The dense flow less the motion that a registration gives the camera leaves a residual; it is averaged
/// over cells, the image's own noise is measured as the residual of its quieter half, and what stands out from that is
/// the heat, as far as the flow explains the second image better there than the camera's motion does: where there is
/// nothing to see, it does not. Boxes surround connected hot cells, the hottest first. A registration in doubt gives
/// way to the median shift of the flow, where that leaves less. Objects at other depths than most of the scene move
/// against the camera's motion, too, when the camera stands elsewhere in the next image; an object that fills half of
/// the image counts as the scene.
public struct GenerateMotionSaliencyRequest: AnalysisRequest, Codable {
  /// The revisions that this release knows: 1.
  public static let supportedRevisions = [1]
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The accuracy of the flow. Slow components show better over several frames, see ``frameSpacing``, than by accuracy.
  public var computationAccuracy: OpticalFlowRequest.ComputationAccuracy

  /// A request for the whole image and all frames.
  public init(computationAccuracy: OpticalFlowRequest.ComputationAccuracy = .medium) {
    self.computationAccuracy = computationAccuracy
  }

  /// The maximum number of boxes, as in Vision.
  public static let maximumObjectCount = 3

  /// The request for the flow of the pair that this one builds on.
  var flowRequest: OpticalFlowRequest {
    var request = OpticalFlowRequest(computationAccuracy: computationAccuracy)
    request.revision = 1
    request.regionOfInterest = regionOfInterest
    return request
  }

  /// Looks at a pair of one size, else throws `sizeMismatch`.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> MotionSaliencyObservation {
    let flow = try pair.observation(of: flowRequest).flow
    // The whole image tells the camera's motion best, and frames lie close together.
    var cameraRequest = HomographicImageRegistrationRequest(method: .direct)
    cameraRequest.revision = 1
    let camera = try pair.observation(of: cameraRequest)
    let grid = MotionGrid(of: flow, camera: camera.warpTransform)
    let evidence = grid.evidence(
      for: flow, previous: pair.previous, current: pair.current, parallelism: pair.parallelism)
    let heat = grid.heat(evidence: evidence, parallelism: pair.parallelism)
    return MotionSaliencyObservation(
      heatMap: heat.map, cellSize: grid.cellSize, size: flow.size, noiseFloor: heat.floor,
      salientObjects: HotRegions(heat.map).strongest(Self.maximumObjectCount).map { grid.object($0) }, camera: camera,
      sceneMotion: grid.scene, previousTime: pair.previousTime, currentTime: pair.currentTime)
  }
}

/// The observation of what moves against the camera's motion between two images.
public struct MotionSaliencyObservation: AnalysisObservation, Codable {
  /// The heat, 0 (moves with the scene) … 1, a value for every cell of `cellSize` × `cellSize` pixels of `previous`;
  /// cells at the right and lower border may be cut off. Where the images confirm the motion, ½ is twice the noise
  /// floor, ⅔ three times; smoothed over neighbouring cells.
  public let heatMap: Plane<Float>
  /// The number of pixels along the side of a cell.
  public let cellSize: Int
  /// The size of the images.
  public let size: PixelSize
  /// The number of pixels that a cell must move against the camera's motion to be warm at all: what noise and errors of
  /// the flow make.
  public let noiseFloor: Float
  /// The components that stand out, up to three, the strongest first.
  public let salientObjects: [SalientObject]
  /// The registration that tells how the camera moved.
  public let camera: ImageHomographicAlignmentObservation
  /// The map that counted as the scene's motion, from `previous` to `current`: the camera's, or the median shift of the
  /// flow.
  let sceneMotion: Homography
  /// The time at which `previous` shows.
  public let previousTime: MediaTime?
  /// The time at which `current` shows.
  public let currentTime: MediaTime?

  /// A component that moves.
  public struct SalientObject: Sendable, Hashable, Codable {
    /// The box around the component, in fractions of the image, origin at the top left.
    public let boundingBox: NormalizedRect
    /// The heat of the component's hottest cell, ½…1.
    public let confidence: Float
    /// The motion of the component against the camera's motion: pixels to the right and down.
    public let motion: SIMD2<Float>
  }

  /// The boxes of ``salientObjects`` in pixels of `previous`.
  public var boundingBoxes: [BoundingBox] { salientObjects.map { BoundingBox($0.boundingBox, in: size) } }

  /// The heat at a point in fractions of the image; 0 outside.
  public func heat(at point: NormalizedPoint) -> Float {
    let (x, y) = (point.x * Double(size.width), point.y * Double(size.height))
    guard x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) else { return 0 }
    return heatMap[Int(x) / cellSize, Int(y) / cellSize]
  }

  /// The heat of every pixel of `previous`, interpolated between the middles of the cells.
  public func fullSizeHeatMap(parallelism: Parallelism = Parallelism()) -> Plane<Float> {
    let cells = heatMap
    // Cells cut off at the border are interpolated as if they were whole.
    let scale = Double(cellSize)
    let map = Homography([scale, 0, (scale - 1) / 2, 0, scale, (scale - 1) / 2, 0, 0, 1])
    return cells.warped(
      by: map, size: size, interpolation: .bilinear, border: .replicate, fill: 0, parallelism: parallelism)
  }
}
