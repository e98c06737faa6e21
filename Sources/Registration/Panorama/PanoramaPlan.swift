// The geometry of a panorama, from registrations.

import Imaging

/// The reason for which there is no panorama.
public struct PanoramaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind { case tooFewConnected, unboundedPlane, noFocalLength, interrupted }
    private let kind: Kind

    /// Fewer than two images are tied together.
    public static let tooFewConnected = Code(kind: .tooFewConnected)
    /// The panorama would have no end on a plane, or next to none.
    public static let unboundedPlane = Code(kind: .unboundedPlane)
    /// A cylinder was asked for, and the images do not tell the focal length.
    public static let noFocalLength = Code(kind: .noFocalLength)
    /// The work was stopped before two images were tied together.
    public static let interrupted = Code(kind: .interrupted)
  }

  /// The kind of the failure.
  public let code: Code
  /// A text that says what is missing, and what may help.
  public let message: String
  public var description: String { message }

  /// Makes an error, for those who plan panoramas of their own.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Finds where the images of a set lie, and on what to paint them.
public struct PanoramaPlan: Sendable {
  /// The images and the registrations that tie them together.
  package let graph: ImageGraph
  /// The sizes of all images of the set, in pixels.
  public let sizes: [PixelSize]
  /// The numbers of the images that are in, in ascending order.
  public let members: [Int]
  /// The number of the image that the others are placed around.
  public let center: Int
  /// The maps from pixels of each member to those of `center`, adjusted.
  public let placements: [Homography?]
  /// The focal length that the maps tell; nil when they tell none.
  package let rotation: RotationModel?
  /// The focal length, in pixels, with which the cameras of all members agree best as ones that turn about one point;
  /// nil when the maps do not tell it.
  public let focalLength: Double?
  /// The rotations from rays of each member's camera to those of the central one's, for a cylinder; nil without a focal
  /// length.
  public let rotations: [Homography?]
  private let memberLinks: [ImageLink]

  /// The maximum area to which a plane may stretch an image's corner, in parts of what it would have in the middle:
  /// corners of a field of view of about 100° (1/cos³ 51°).
  public static let maximumStretch = 4.0
  /// The maximum side of a panorama, in parts of the longest side of an image: a longer one is an error of the
  /// placement. Chosen by hand.
  private static let maximumSideRatio = 200.0

  /// - Throws: ``PanoramaError`` `tooFewConnected`.
  public init(links: [ImageLink], sizes: [PixelSize], model: TransformModel) throws {
    graph = ImageGraph(count: sizes.count, links: links)
    self.sizes = sizes
    let component = graph.components.first ?? []
    guard component.count >= 2 else {
      throw PanoramaError(
        .tooFewConnected, "no two of the \(sizes.count) images show the same: nothing can be stitched")
    }
    members = component
    center = graph.center(of: component)
    let inside = Set(component)
    let inner = graph.links.filter { inside.contains($0.reference) && inside.contains($0.floating) }
    memberLinks = inner
    placements = PlacementAdjustment(model: model, sizes: sizes, links: inner)
      .adjusted(graph.placements(around: center), center: center)
    rotation = model == .homography ? RotationModel(links: inner, sizes: sizes) : nil
    var cameras: RotationAdjustment.Cameras?
    if let rotation {
      cameras = RotationAdjustment(sizes: sizes, links: inner)
        .adjusted(focalLength: rotation.focalLength, graph: graph, center: center)
    }
    focalLength = cameras?.focalLength
    rotations = cameras?.rotations ?? Array(repeating: nil, count: sizes.count)
  }

  /// Returns the geometry of the panorama.
  ///
  /// - Parameters:
  ///   - projection: Nil: a plane, or a cylinder where the plane would stretch a corner more than `maximumStretch`.
  ///   - maximumSide: The longest side in pixels; what is larger is scaled down.
  /// - Throws: ``PanoramaError`` `unboundedPlane` or `noFocalLength`.
  public func layout(projection: PanoramaProjection?, maximumSide: Int) throws -> PanoramaLayout {
    let (surface, placements) = try surface(projection)
    let matrices = members.compactMap { index -> (index: Int, size: PixelSize, matrix: Homography)? in
      guard let inverse = placements[index]?.linearInverse else { return nil }
      return (index, sizes[index], (inverse * surface.frame).scaledToUnit)
    }
    var extent = SurfaceExtent()
    for image in matrices { extent.include(SurfaceExtent(of: image.size, matrix: image.matrix, on: surface)) }
    let (width, height) = ((extent.high.x - extent.low.x) * surface.unit, (extent.high.y - extent.low.y) * surface.unit)
    let side = Double(sizes.map { max($0.width, $0.height) }.max() ?? 1)
    guard !extent.isBehind, max(width, height) < Self.maximumSideRatio * side else {
      let hint = surface.projection == .plane ? "; a cylinder may hold them (projection cylinder)" : ""
      throw PanoramaError(
        .unboundedPlane, "the images reach too far to the side: the \(surface.projection) has no end there\(hint)")
    }
    let scale = min(1, Double(maximumSide - 1) / max(width, height, 1))
    let perUnit = surface.unit * scale
    // The central image's pixels stay whole pixels, where nothing is scaled: its samples are not interpolated.
    let start = (extent.low * perUnit)
    let first = SIMD2((start.x + 0.01).rounded(.down), (start.y + 0.01).rounded(.down))
    let last = extent.high * perUnit
    let size = PixelSize(
      width: Int((last.x - first.x - 0.01).rounded(.up)) + 1, height: Int((last.y - first.y - 0.01).rounded(.up)) + 1)
    return PanoramaLayout(
      surface: surface, origin: first / perUnit, perUnit: perUnit, step: 1, size: size, matrices: matrices)
  }

  /// Returns the surface and the placements of the images: for a cylinder by rotations of their cameras, as maps beyond
  /// a quarter of a turn have no end in pixels of the central image, and errors of their perspective would add up
  /// around a full one.
  private func surface(_ projection: PanoramaProjection?) throws -> (PanoramaSurface, [Homography?]) {
    // However far the links are from rotations: a plane that has no end is worse than a cylinder that bends lines.
    let isTooWide = rotation != nil && planeStretch > Self.maximumStretch
    let wantsCylinder = projection == .cylinder || (projection == nil && isTooWide)
    guard wantsCylinder else { return (.plane, placements) }
    guard let focalLength else {
      throw PanoramaError(
        .noFocalLength, "the images do not tell the focal length that a cylinder needs: use the projection plane")
    }
    let adjustment = RotationAdjustment(sizes: sizes, links: memberLinks)
    let turned = rotations.indices.map { index in
      rotations[index].flatMap { rotation in
        adjustment.camera(index, focalLength).linearInverse.map {
          adjustment.camera(center, focalLength) * rotation * $0
        }
      }
    }
    let surface = PanoramaSurface.cylinder(
      placements: turned, sizes: sizes, center: center, focalLength: adjustment.focalLength(center, focalLength))
    return (surface, turned)
  }

  /// The largest area, over all corners of all members, that the plane gives a pixel; infinite behind it.
  public var planeStretch: Double {
    members.reduce(0) { largest, index in
      guard let placement = placements[index] else { return largest }
      let (right, bottom) = (Double(sizes[index].width - 1), Double(sizes[index].height - 1))
      let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)]
      return corners.reduce(largest) { largest, corner in
        let depth = placement.applyHomogeneous(SIMD3(corner.0, corner.1, 1)).z
        return max(largest, depth > 0 ? placement.determinant / (depth * depth * depth) : .infinity)
      }
    }
  }
}
