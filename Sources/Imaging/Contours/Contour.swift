#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A closed polygon around a region of pixels, or around a hole in one.
///
/// Points are in pixels, pixel centres at whole numbers; the last point joins the first. On the screen outer contours
/// run clockwise and those of holes counter-clockwise, so that the region is always on the right.
public struct Contour: Sendable, Hashable, Codable {
  /// The corners of the polygon in order, in pixels.
  public let points: [SIMD2<Double>]
  /// A Boolean value that tells whether the contour bounds a hole of a region, not a region.
  public let isHole: Bool
  /// The position of the contour in its hierarchy: the number of its ancestor at the top level, then that of each
  /// child.
  public internal(set) var indexPath: IndexPath
  /// The contours right inside this one: of an outer contour its holes, of a hole the regions in it.
  public internal(set) var childContours: [Contour]

  /// The number of contours that lie right inside this one.
  public var childContourCount: Int { childContours.count }
  /// The number of corners of the polygon.
  public var pointCount: Int { points.count }

  /// The contour, then each child followed by its own children.
  package var preorder: [Contour] {
    var (found, open) = ([Contour](), [self])
    while let next = open.popLast() {
      found.append(next)
      open.append(contentsOf: next.childContours.reversed())
    }
    return found
  }
}

/// The contours of an image's regions, nested.
///
/// Regions are connected over edges and corners (8-connected), holes over edges (4-connected), as in Suzuki & Abe,
/// "Topological structural analysis of digitized binary images by border following", CVGIP 30, 1985,
/// doi:10.1016/0734-189X(85)90016-7, whose rule also finds the parents. Siblings are in the order of the uppermost,
/// then leftmost, pixel edge.
public struct ContourHierarchy: Sendable, Hashable, Codable {
  /// The size of the image.
  public let size: PixelSize
  /// The outer contours that lie in no other region's hole.
  public let topLevelContours: [Contour]
  /// The number of all contours.
  public let contourCount: Int

  /// The contours of the pixels of `mask` that are not 0, along the pixels' edges: `area` is exactly the number of
  /// pixels inside.
  ///
  /// - Parameters:
  ///   - mask: 0 outside of the regions, anything else inside.
  ///   - minimumArea: Contours of smaller area are left out with all that lies inside them; small holes are so filled.
  /// - Complexity: O(width · height).
  public init(mask: Plane<UInt8>, minimumArea: Double = 0) {
    let follower = mask.withView { view in BorderFollower(size: view.size) { x, y in view.row(y)[x] != 0 } }
    self.init(follower, minimumArea: minimumArea, points: { steps in steps.corners })
  }

  /// The contours of the pixels of `plane` above `threshold`: isolines at sub-pixel precision (marching squares:
  /// Lorensen & Cline 1987 in two dimensions), each point by linear interpolation between two neighbouring pixels.
  ///
  /// NaN is unknown and belongs to no region. Beside unknown pixels and at the border there is nothing to interpolate
  /// with: there the contour passes half a pixel from the centre.
  /// - Parameters:
  ///   - plane: Values at the pixel centres.
  ///   - threshold: The value along the contours; above it is inside.
  ///   - minimumArea: As for a mask.
  /// - Complexity: O(width · height).
  public init(_ plane: Plane<Float>, threshold: Float, minimumArea: Double = 0) {
    self.init(plane, threshold: threshold, minimumArea: minimumArea) { _ in true }
  }

  /// The contours of the pixels above `threshold`, without those that `isWanted` refuses and all that lies inside them.
  /// It is shown each contour before those inside it, without its position and its children.
  package init(
    _ plane: Plane<Float>, threshold: Float, minimumArea: Double, where isWanted: (Contour) -> Bool
  ) {
    self = plane.withView { view in
      let follower = BorderFollower(size: view.size) { x, y in view.row(y)[x] > threshold }
      return ContourHierarchy(follower, minimumArea: minimumArea, where: isWanted) {
        $0.crossings(of: threshold, in: view)
      }
    }
  }

  private init(
    _ follower: BorderFollower, minimumArea: Double, where isWanted: (Contour) -> Bool = { _ in true },
    points: ([BorderStep]) -> [SIMD2<Double>]
  ) {
    size = follower.size
    let borders = follower.borders()
    var contours: [Contour?] = []
    for border in borders {
      let contour = Contour(
        points: points(border.steps), isHole: border.isHole, indexPath: IndexPath(), childContours: [])
      let isKept = border.parent.map { contours[$0] != nil } ?? true
      contours.append(isKept && contour.area >= minimumArea && isWanted(contour) ? contour : nil)
    }
    contourCount = contours.count { $0 != nil }
    topLevelContours = Self.nested(contours, parents: borders.map(\.parent))
  }

  /// Puts contours into their parents, which come before them.
  private static func nested(_ flat: [Contour?], parents: [Int?]) -> [Contour] {
    var contours = flat
    var childCounts = [Int](repeating: 0, count: flat.count)
    var topLevelCount = 0
    for index in flat.indices where flat[index] != nil {
      let path = parents[index].flatMap { contours[$0]?.indexPath } ?? IndexPath()
      if let parent = parents[index] {
        contours[index]?.indexPath = path.appending(childCounts[parent])
        childCounts[parent] += 1
      } else {
        contours[index]?.indexPath = [topLevelCount]
        topLevelCount += 1
      }
    }
    var top: [Contour] = []
    for index in flat.indices.reversed() {
      guard var contour = contours[index] else { continue }
      contour.childContours.reverse()
      contours[index] = nil
      if let parent = parents[index] {
        contours[parent]?.childContours.append(contour)
      } else {
        top.append(contour)
      }
    }
    return top.reversed()
  }

  /// All contours: each before those inside it, siblings in order.
  public var contours: [Contour] { topLevelContours.flatMap(\.preorder) }

  /// The contour that stands at `indexPath`; nil when there is none.
  public func contour(at indexPath: IndexPath) -> Contour? {
    var siblings = topLevelContours
    var found: Contour?
    for index in indexPath {
      guard siblings.indices.contains(index) else { return nil }
      found = siblings[index]
      siblings = siblings[index].childContours
    }
    return found
  }
}
