import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The outlines of what moves against the camera's motion between two images, on the grid of `previous`.
public struct MotionContoursObservation: AnalysisObservation, Codable {
  /// The outlines, in pixels of `previous`: outer contours with their holes, and what lies in these.
  public let contours: ContourHierarchy
  /// The least speed of what is inside, in pixels per pair of frames: what was asked for, or the noise of the flow.
  public let threshold: Float
  /// The registration that tells how the camera moved.
  public let camera: ImageHomographicAlignmentObservation
  /// The time at which `previous` shows.
  public let previousTime: MediaTime?
  /// The time at which `current` shows.
  public let currentTime: MediaTime?

  /// The size of the images.
  public var size: PixelSize { contours.size }
  /// The number of all contours.
  public var contourCount: Int { contours.contourCount }
  /// The number of contours that lie in no other one.
  public var topLevelContourCount: Int { contours.topLevelContours.count }
  /// The contours that lie in no other one.
  public var topLevelContours: [Contour] { contours.topLevelContours }
  /// The contour that stands at `indexPath`; nil when there is none.
  public func contour(at indexPath: IndexPath) -> Contour? { contours.contour(at: indexPath) }

  /// The points of a contour in fractions of the image, origin at the top left.
  public func normalizedPoints(of contour: Contour) -> [NormalizedPoint] {
    contour.points.map { NormalizedPoint(PixelPoint(x: $0.x, y: $0.y), in: size) }
  }
}
