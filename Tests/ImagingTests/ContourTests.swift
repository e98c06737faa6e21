import Foundation
import Imaging
import TestSupport
import Testing

/// Contours of images that fit on a few lines.
@Suite struct ContourTests {
  /// `#` is inside.
  private func contours(_ rows: String..., minimumArea: Double = 0) -> ContourHierarchy {
    ContourHierarchy(mask: mask(rows), minimumArea: minimumArea)
  }

  private func mask(_ rows: [String]) -> Plane<UInt8> {
    let pixels = rows.map { Array($0) }
    return Plane(width: pixels[0].count, height: pixels.count) { x, y in pixels[y][x] == "#" ? 255 : 0 }
  }

  @Test func onePixelIsAUnitSquare() throws {
    let found = contours("...", ".#.", "...")
    #expect(found.contourCount == 1)
    let contour = found.topLevelContours[0]
    #expect(contour.points == [[0.5, 0.5], [1.5, 0.5], [1.5, 1.5], [0.5, 1.5]])
    #expect(contour.area == 1 && contour.orientedArea == 1 && contour.perimeter == 4 && contour.aspectRatio == 1)
    #expect(contour.boundingBox == BoundingBox(x: 1, y: 1, width: 1, height: 1))
    #expect(contour.boundingCircle.center == [1, 1])
    #expect(abs(contour.boundingCircle.radius - 0.5.squareRoot()) < 1e-12)
    #expect(!contour.isHole && contour.childContours.isEmpty && contour.indexPath == [0])
  }

  @Test func nothingHasNoContour() {
    #expect(contours("....", "....").contourCount == 0)
    #expect(contours("....").topLevelContours.isEmpty)
    #expect(ContourHierarchy(mask: Plane(width: 0, height: 0)).contourCount == 0)
    #expect(ContourHierarchy(mask: Plane(width: 5, height: 0)).contourCount == 0)
  }

  @Test func aFullImageIsBoundedByItsEdges() {
    let found = contours("#####", "#####", "#####")
    #expect(found.topLevelContours.map(\.points) == [[[-0.5, -0.5], [4.5, -0.5], [4.5, 2.5], [-0.5, 2.5]]])
    #expect(found.topLevelContours[0].area == 15)
    #expect(found.topLevelContours[0].boundingBox == BoundingBox(found.size))
    #expect(found.topLevelContours[0].aspectRatio == 5.0 / 3)
  }

  @Test func diagonalNeighboursAreOneRegion() {
    let found = contours("#..", ".#.", "..#")
    #expect(found.contourCount == 1)
    #expect(found.topLevelContours[0].area == 3 && found.topLevelContours[0].perimeter == 12)
    let other = contours(".#", "#.")
    #expect(other.contourCount == 1 && other.topLevelContours[0].area == 2)
  }

  @Test func aDiamondOfPixelsEnclosesAHole() {
    let found = contours(".#.", "#.#", ".#.")
    #expect(found.contourCount == 2)
    let outer = found.topLevelContours[0]
    #expect(outer.area == 5 && outer.regionArea == 4)
    #expect(outer.childContours[0].isHole && outer.childContours[0].orientedArea == -1)
  }

  @Test func holesAreConnectedOverEdgesOnly() {
    // Two empty pixels that touch at a corner: two holes.
    let found = contours("####", "#.##", "##.#", "####")
    #expect(found.contourCount == 3)
    #expect(found.topLevelContours[0].childContours.map(\.area) == [1, 1])
    #expect(found.topLevelContours[0].childContours.map(\.indexPath) == [[0, 0], [0, 1]])
  }

  @Test func ringsNestThreeDeep() throws {
    let side = 23
    // Rings at distances 0…1, 4…5 and 8…9 from the border, and nothing else.
    let mask = Plane<UInt8>(width: side, height: side) { x, y in
      let depth = min(min(x, y), min(side - 1 - x, side - 1 - y))
      return depth % 4 < 2 && depth < 10 ? 1 : 0
    }
    let found = ContourHierarchy(mask: mask)
    #expect(found.contourCount == 6 && found.topLevelContours.count == 1)
    var path: IndexPath = [0]
    for level in 0..<6 {
      let contour = try #require(found.contour(at: path))
      let inset = Double(2 * level)
      #expect(contour.isHole == (level % 2 == 1))
      #expect(contour.indexPath == path)
      #expect(contour.area == (23 - 2 * inset) * (23 - 2 * inset))
      #expect(contour.childContourCount == (level < 5 ? 1 : 0))
      path.append(0)
    }
    #expect(found.contour(at: path) == nil && found.contour(at: [1]) == nil && found.contour(at: []) == nil)
    #expect(found.contours.map(\.indexPath.count) == [1, 2, 3, 4, 5, 6])
  }

  @Test func parentsAreFoundPastSiblings() throws {
    let found = contours(
      "#########.###", "#.......#.#.#", "#.#.###.#.###", "#...#.#.#....", "#.#.###.#.##.", "#.......#....",
      "#########.#.#")
    #expect(found.topLevelContours.map(\.area) == [63, 9, 2, 1, 1])
    let hole = found.topLevelContours[0].childContours
    #expect(hole.count == 1 && hole[0].area == 35)
    #expect(hole[0].childContours.map(\.area) == [1, 9, 1])
    #expect(hole[0].childContours[1].childContours.map(\.area) == [1])
    #expect(found.topLevelContours[1].childContours.map(\.area) == [1])
    #expect(found.contour(at: [0, 0, 1, 0])?.isHole == true)
  }

  @Test func areasAddUpToThePixelsOfAnyMask() {
    var random = FixedRandom(seed: 5)
    for share in [0.1, 0.4, 0.5, 0.6, 0.9] {
      let mask = Plane<UInt8>(width: 61, height: 47) { _, _ in
        Double.random(in: 0..<1, using: &random) < share ? 1 : 0
      }
      let found = ContourHierarchy(mask: mask)
      let pixels = (0..<47).reduce(0) { sum, y in sum + (0..<61).count { mask[$0, y] != 0 } }
      #expect(found.contours.reduce(0) { $0 + $1.orientedArea } == Double(pixels))
      #expect(found.contours.filter { !$0.isHole }.reduce(0) { $0 + $1.regionArea } == Double(pixels))
      let edges = found.contours.reduce(0) { $0 + $1.perimeter }
      #expect(edges == Double(Self.edgeCount(mask)))
      #expect(found.contours.allSatisfy { $0.isHole == ($0.indexPath.count % 2 == 0) })
      #expect(found.contours.allSatisfy { found.contour(at: $0.indexPath) == $0 })
      #expect(found == ContourHierarchy(mask: mask))
    }
  }

  /// The number of edges that lie between a pixel inside and one outside.
  private static func edgeCount(_ mask: Plane<UInt8>) -> Int {
    func value(_ x: Int, _ y: Int) -> UInt8 { mask.size.contains(x: x, y: y) ? mask[x, y] : 0 }
    var count = 0
    for y in 0...mask.height {
      for x in 0...mask.width {
        count += (value(x, y) != value(x - 1, y) ? 1 : 0) + (value(x, y) != value(x, y - 1) ? 1 : 0)
      }
    }
    return count
  }

  @Test func regionsAndHolesMatchAFloodFill() {
    var random = FixedRandom(seed: 9)
    for _ in 0..<20 {
      let mask = Plane<UInt8>(width: 17, height: 13) { _, _ in UInt8.random(in: 0...1, using: &random) }
      let found = ContourHierarchy(mask: mask)
      #expect(found.contours.count { !$0.isHole } == Self.regionCount(mask, of: 1, diagonals: true))
      // One of the empty regions, the one around the image, is no hole.
      let framed = Plane<UInt8>(width: 19, height: 15) { x, y in
        mask.size.contains(x: x - 1, y: y - 1) ? mask[x - 1, y - 1] : 0
      }
      #expect(found.contours.count(where: \.isHole) == Self.regionCount(framed, of: 0, diagonals: false) - 1)
    }
  }

  private static func regionCount(_ mask: Plane<UInt8>, of value: UInt8, diagonals: Bool) -> Int {
    var open = mask
    var count = 0
    for y in 0..<mask.height {
      for x in 0..<mask.width where open[x, y] == value {
        count += 1
        var stack = [(x, y)]
        while let (px, py) = stack.popLast() {
          guard open.size.contains(x: px, y: py), open[px, py] == value else { continue }
          open[px, py] = 2
          for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] { stack.append((px + dx, py + dy)) }
          guard diagonals else { continue }
          for (dx, dy) in [(1, 1), (-1, 1), (1, -1), (-1, -1)] { stack.append((px + dx, py + dy)) }
        }
      }
    }
    return count
  }

  @Test func smallContoursAreLeftOutWithWhatTheyHold() {
    let rows = ["#####.#", "#...#..", "#.#.#..", "#...#.#", "#####.#"]
    let all = ContourHierarchy(mask: mask(rows))
    #expect(all.contours.map(\.area) == [25, 9, 1, 1, 2])
    let large = ContourHierarchy(mask: mask(rows), minimumArea: 2)
    #expect(large.contours.map(\.area) == [25, 9, 2])
    #expect(large.contours.map(\.indexPath) == [[0], [0, 0], [1]] && large.contourCount == 3)
    #expect(ContourHierarchy(mask: mask(rows), minimumArea: 10).contours.map(\.area) == [25])
  }

  // MARK: Isolines

  @Test func isolinesOfARampAreExact() throws {
    // Above 4.3 from x = 4.3 on; at the border half a pixel beyond the last centre.
    let ramp = Plane<Float>(width: 9, height: 5) { x, _ in Float(x) }
    let found = ContourHierarchy(ramp, threshold: 4.25)
    let box = try #require(found.topLevelContours.first).boundingBox
    #expect(found.contourCount == 1)
    #expect(box == BoundingBox(x: 4.75, y: 0, width: 4.25, height: 5))
  }

  @Test func isolinesOfAConeAreCircles() throws {
    let cone = Plane<Float>(width: 61, height: 51) { x, y in
      Float(40 - (Double((x - 30) * (x - 30) + (y - 25) * (y - 25))).squareRoot())
    }
    let found = ContourHierarchy(cone, threshold: 21.5)
    let contour = try #require(found.topLevelContours.first)
    #expect(found.contourCount == 1)
    for point in contour.points {
      let radius = ((point.x - 30) * (point.x - 30) + (point.y - 25) * (point.y - 25)).squareRoot()
      #expect(abs(radius - 18.5) < 0.01)
    }
    #expect(abs(contour.area / (Double.pi * 18.5 * 18.5) - 1) < 0.002)
    #expect(abs(contour.perimeter / (2 * Double.pi * 18.5) - 1) < 0.002)
    #expect(abs(contour.boundingCircle.radius - 18.5) < 0.01)
    #expect(abs(contour.boundingCircle.center.x - 30) < 0.01 && abs(contour.boundingCircle.center.y - 25) < 0.01)
  }

  @Test func unknownPixelsAreOutside() throws {
    var plane = Plane<Float>(size: PixelSize(width: 7, height: 7), repeating: 9)
    plane[3, 3] = .nan
    let found = ContourHierarchy(plane, threshold: 1)
    #expect(found.contourCount == 2)
    let hole = try #require(found.contour(at: [0, 0]))
    #expect(hole.points.count == 4 && hole.boundingBox == BoundingBox(x: 3, y: 3, width: 1, height: 1))
    plane.fill(.nan)
    #expect(ContourHierarchy(plane, threshold: 1).contourCount == 0)
    plane.fill(.infinity)
    #expect(
      ContourHierarchy(plane, threshold: 1).topLevelContours[0].points.allSatisfy { $0.x.isFinite && $0.y.isFinite })
  }

  // MARK: Polygons and circles

  @Test func anApproximationKeepsTheCornersOfASquare() {
    // A square on its corner: stairs along the pixels' edges, four corners in truth.
    let mask = Plane<UInt8>(width: 81, height: 81) { x, y in abs(x - 40) + abs(y - 40) <= 30 ? 1 : 0 }
    let contour = ContourHierarchy(mask: mask).topLevelContours[0]
    #expect(contour.points.count > 100)
    let simple = contour.polygonApproximation(epsilon: 1.2)
    #expect(simple.points.count <= 8)
    #expect(abs(simple.area / contour.area - 1) < 0.03)
    #expect(contour.polygonApproximation(epsilon: 0).area == contour.area)
    #expect(contour.polygonApproximation(epsilon: 1000).points.count == 2)
  }

  @Test func noPointIsFartherFromAnApproximationThanEpsilon() {
    var random = FixedRandom(seed: 3)
    let noise = Plane<Float>(width: 40, height: 40) { _, _ in Float.random(in: 0..<1, using: &random) }
    let smooth = noise.smoothed()
    for contour in ContourHierarchy(smooth, threshold: 0.5).contours where contour.pointCount > 8 {
      for epsilon in [0.2, 0.7, 2] {
        let simple = contour.polygonApproximation(epsilon: epsilon)
        #expect(simple.points.count < contour.points.count)
        for point in contour.points {
          let nearest =
            simple.points.indices.map { index in
              Self.distance(point, simple.points[index], simple.points[(index + 1) % simple.points.count])
            }.min() ?? .infinity
          #expect(nearest <= epsilon + 1e-9)
        }
      }
    }
  }

  private static func distance(_ p: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    let (way, offset) = (b - a, p - a)
    let length = (way * way).sum()
    let share = length > 0 ? max(0, min(1, (offset * way).sum() / length)) : 0
    let rest = offset - way * share
    return (rest * rest).sum().squareRoot()
  }

  @Test func noSmallerCircleHoldsThePoints() {
    var random = FixedRandom(seed: 11)
    for count in [1, 2, 3, 4, 9, 200] {
      let points = (0..<count).map { _ in
        SIMD2(Double.random(in: -9...9, using: &random), Double.random(in: -3...3, using: &random))
      }
      let circle = BoundingCircle(around: points)
      #expect(points.allSatisfy(circle.contains))
      // Around any other centre the farthest point is farther away.
      for shift in [SIMD2(0.01, 0), SIMD2(-0.01, 0), SIMD2(0, 0.01), SIMD2(0, -0.01), SIMD2(0.01, 0.01)] {
        let radius = points.map { Self.distance($0, circle.center + shift, circle.center + shift) }.max() ?? 0
        #expect(radius > circle.radius - 1e-12)
      }
    }
    let line = BoundingCircle(around: [[0, 0], [1, 1], [2, 2], [4, 4], [3, 3], [1, 1]])
    #expect(line.contains([0, 0]) && line.contains([4, 4]) && abs(line.radius - 8.0.squareRoot()) < 1e-9)
  }
}

extension Plane where Scalar == Float {
  fileprivate func smoothed() -> Plane {
    Plane(width: width, height: height) { x, y in
      var (sum, count): (Float, Float) = (0, 0)
      for dy in -2...2 {
        for dx in -2...2 where size.contains(x: x + dx, y: y + dy) {
          sum += self[x + dx, y + dy]
          count += 1
        }
      }
      return sum / count
    }
  }
}
