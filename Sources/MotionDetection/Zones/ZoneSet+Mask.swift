// Zones that someone has painted.

import Imaging

extension ZoneSet {
  /// The grey level from which on a mask is white: half of the range.
  public static let whiteLevel: Float = 128
  /// The minimum share of the mask of an area that is no speck: a cell of the analysis is as large.
  private static let minimumAreaShare = 1.0 / 4000

  /// Zones out of a painted mask: each white area that hangs together becomes one in which motion counts.
  ///
  /// The mask is stretched to the image, whatever its size. Black islands in a white area do not count. One area is
  /// called `mask`; several are `mask 1`, `mask 2` … from the uppermost one down.
  /// - Parameter mask: Luma, 0…255.
  /// - Throws: ``MotionDetectionError`` `invalidZones` when nothing is white.
  public init(mask: Plane<Float>) throws {
    let white = mask.withView { view in
      Plane<UInt8>(width: view.width, height: view.height) { x, y in view.row(y)[x] >= Self.whiteLevel ? 1 : 0 }
    }
    let minimum = Double(mask.size.area) * Self.minimumAreaShare
    let areas = ContourHierarchy(mask: white, minimumArea: minimum).topLevelContours.flatMap(Self.areas)
    guard !areas.isEmpty else {
      throw MotionDetectionError(
        .invalidZones, "nothing in the mask is white: no area of \(Int(minimum.rounded(.up))) pixels or more")
    }
    let size = SIMD2(Double(mask.width), Double(mask.height))
    try self.init(
      areas.enumerated().map { index, area in
        Zone(
          name: areas.count == 1 ? "mask" : "mask \(index + 1)",
          polygon: Self.outline(of: area).map { point in
            let position = (point + 0.5) / size
            return [position.x, position.y]
          })
      })
  }

  /// An outer contour, and those in its holes.
  private static func areas(in contour: Contour) -> [Contour] {
    [contour] + contour.childContours.flatMap(\.childContours).flatMap(areas)
  }

  /// The polygon of an area with its holes: the way to a hole is gone there and back, so that the even-odd rule does
  /// not see it.
  private static func outline(of area: Contour) -> [SIMD2<Double>] {
    var outline = area.points
    for hole in area.childContours {
      outline += [area.points[0]] + hole.points + [hole.points[0]]
    }
    if !area.childContours.isEmpty { outline.append(area.points[0]) }
    return outline
  }
}
