import Foundation
import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// Many zones with many corners: what they cost is bounded, and what they cover is that of the plain rules.
@Suite struct ZoneLimitTests {
  private static let whole = [[0.0, 0], [1, 0], [1, 1], [0, 1]]

  @Test func tooManyZonesLinesAndCornersAreRefused() throws {
    func zones(_ count: Int) -> [Zone] { (0..<count).map { Zone(name: "\($0)", polygon: Self.whole) } }
    func lines(_ count: Int) -> [TripLine] { (0..<count).map { TripLine(name: "l\($0)", from: [0, 0], to: [1, 1]) } }
    func circle(_ corners: Int) -> [Zone] {
      let polygon = (0..<corners).map { corner in
        let angle = 2 * Double.pi * Double(corner) / Double(corners)
        return [0.5 + 0.4 * cos(angle), 0.5 + 0.4 * sin(angle)]
      }
      return [Zone(name: "circle", polygon: polygon)]
    }
    _ = try ZoneSet(zones(4000), tripLines: lines(250))
    _ = try ZoneSet(circle(100_000))
    for (message, attempt) in [
      ("4001 zones are too many; 4000", { try ZoneSet(zones(4001)) }),
      ("251 trip lines are too many; 250", { try ZoneSet([], tripLines: lines(251)) }),
      ("100001 corners in all zones are too many; 100000", { try ZoneSet(circle(100_001)) }),
    ] as [(String, () throws -> ZoneSet)] {
      let error = thrown(MotionDetectionError.self) { _ = try attempt() }
      #expect(error?.code == .invalidZones && error?.message.contains(message) == true, "\(String(describing: error))")
    }
  }

  // MARK: Files

  /// As many zones, corners and digits as a file may have: 5 MB.
  @Test func theLargestFileIsRead() throws {
    let (zones, corners) = (ZoneSet.maximumZoneCount, ZoneSet.maximumCornerCount / ZoneSet.maximumZoneCount)
    let polygon = (0..<corners).map { corner in
      let angle = 2 * Double.pi * Double(corner) / Double(corners)
      return "[\(0.5 + 0.4 * cos(angle)), \(0.5 + 0.4 * sin(angle))]"
    }
    let list = (0..<zones).map { #"{"name": "\#($0)", "polygon": [\#(polygon.joined(separator: ", "))]}"# }
    let set = try ZoneSet(json: Data(#"{"zones": [\#(list.joined(separator: ",\n"))]}"#.utf8))
    #expect(set.zones.count == zones)
    #expect(set.zones.reduce(0) { $0 + $1.polygon.count } == ZoneSet.maximumCornerCount)
  }

  /// RFC 8259, section 6.
  @Test func numbersAreThoseOfJSON() {
    let numbers = ["0", "-0", "7", "-10.25", "0.5", "1e5", "1E+5", "120.0e-3", "0e0", "1e308", "123456789012345678901"]
    let others = [
      "01", "-01", "+1", ".5", "1.", "-.5", "1.e5", "1e", "1e+", "--1", "-", "1-", "1.2.3", "1e5e5", "1e5.5", "0x10",
      "1f", "1e999", "NaN", "Infinity", "inf", "tru", "True", "nul",
    ]
    for word in numbers + ["true", "false", "null"] {
      #expect(throws: Never.self, "\(word)") { try JSONOutline(Data("[1, \(word)]".utf8)) }
    }
    for word in others {
      let fault = thrown(JSONOutline.Fault.self, "\(word)") { try JSONOutline(Data("[1, \(word)]".utf8)) }
      #expect(fault?.message == "'\(word)' is no value")
    }
  }

  // MARK: What lies in a polygon

  /// The even-odd rule, edge by edge.
  private func contains(_ polygon: [SIMD2<Double>], _ point: SIMD2<Double>) -> Bool {
    var (isInside, last) = (false, polygon[polygon.count - 1])
    for corner in polygon {
      if (corner.y > point.y) != (last.y > point.y),
        point.x < (last.x - corner.x) * (point.y - corner.y) / (last.y - corner.y) + corner.x
      {
        isInside.toggle()
      }
      last = corner
    }
    return isInside
  }

  /// Random polygons that cross themselves; on a coarse grid corners, edges and points often meet.
  @Test(arguments: [3, 4, 7, 16, 17, 40, 300]) func aPolygonIsThatOfTheEvenOddRule(corners: Int) throws {
    var random = SplitMix64(seed: UInt64(corners))
    for round in 0..<40 {
      let steps = round % 2 == 0 ? 12 : 1 << 20
      func coordinate() -> Double { Double(Int.random(in: 0...steps, using: &random)) / Double(steps) }
      let polygon = (0..<corners).map { _ in SIMD2(coordinate(), coordinate()) }
      let edges = PolygonEdges(polygon)
      for y in 0...24 {
        for x in 0...24 {
          let point = SIMD2(Double(x) / 24, Double(y) / 24)
          #expect(edges.contains(point) == contains(polygon, point), "\(point)")
        }
      }
    }
  }

  @Test func flatAndEndlessPolygonsHoldNothing() {
    let flat: [SIMD2<Double>] = (0..<40).map { SIMD2(Double($0), 0.5) }
    let endless: [SIMD2<Double>] = (0..<40).map { corner in
      let (x, y): (Double, Double) = (corner % 2 == 0 ? 1e308 : -1e308, Double(corner) * 5e306 - 1e308)
      return SIMD2(x, y)
    }
    for polygon in [Array(flat.prefix(3)), flat, endless] {
      #expect(PolygonEdges(polygon).contains(SIMD2(0.5, 0.5)) == contains(polygon, SIMD2(0.5, 0.5)))
    }
  }

  /// Zones that overlap, of which some do not count and some go with the scene.
  @Test func whatManyZonesSeeIsThatOfEachAlone() throws {
    let grid = CellGrid(size: PixelSize(width: 128, height: 64))
    let size = PixelSize(width: 1280, height: 640)
    var random = SplitMix64(seed: 5)
    func polygon() -> [[Double]] {
      (0..<5).map { _ in [Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random)] }
    }
    let barred = [Zone(name: "out", mode: .exclude, polygon: polygon(), anchor: .scene)]
    let zones = (0..<60).map { index in
      Zone(
        name: "\(index)", polygon: polygon(), minimumArea: index % 3 == 0 ? 0.01 : nil,
        directions: index % 4 == 0 ? [[0, 180]] : nil, anchor: index % 2 == 0 ? .scene : nil)
    }
    let movingCells = (0..<grid.count).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { cell in
      MotionObservation.MovingCell(
        cell: cell, u: Float.random(in: -2...2, using: &random), v: Float.random(in: -2...2, using: &random),
        age: cell % 7, lag: cell % 3)
    }
    let observation = MotionObservation(
      grid: grid, motionMask: (0..<grid.count).map { _ in Bool.random(using: &random) }, movingCells: movingCells,
      lightShare: 0, unrelatedShare: 0)
    var all = ZoneMeter(zones: try ZoneSet(barred + zones), grid: grid, size: size)
    for scene in [Homography.identity, Homography.translation(x: 7, y: -3)] {
      all.follow(scene)
      let together = all.measure(observation)
      #expect(together.count == zones.count && together.contains { $0.score > 0 })
      for (index, zone) in zones.enumerated() {
        var alone = ZoneMeter(zones: try ZoneSet(barred + [zone]), grid: grid, size: size)
        alone.follow(scene)
        #expect(alone.measure(observation) == [together[index]])
        #expect(alone.explain(observation) == [all.explain(observation)[index]])
      }
    }
  }

  // MARK: What a polygon hides

  /// The rule of privacy masks, pixel by pixel: a winding number that is not 0, or an edge within reach.
  private func isHidden(_ polygon: [SIMD2<Double>], x: Int, y: Int) -> Bool {
    let (point, reach) = (SIMD2(Double(x) + 0.5, Double(y) + 0.5), 0.5.squareRoot() + 1)
    var (number, a) = (0, polygon[polygon.count - 1])
    for b in polygon {
      if (a.y > point.y) != (b.y > point.y), a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) > point.x {
        number += b.y > a.y ? 1 : -1
      }
      let (offset, way) = (point - a, b - a)
      let length = (way * way).sum()
      let share = length > 0 ? min(max((offset * way).sum() / length, 0), 1) : 0
      let rest = offset - share * way
      if (rest * rest).sum() <= reach * reach { return true }
      a = b
    }
    return number != 0
  }

  @Test(arguments: [3, 4, 9, 60]) func aPrivacyMaskIsThatOfThePlainRule(corners: Int) throws {
    let size = PixelSize(width: 48, height: 32)
    var random = SplitMix64(seed: UInt64(100 + corners))
    for round in 0..<30 {
      let isCoarse = round % 2 == 0
      func coordinate(_ limit: Int) -> Double {
        let value = Double.random(in: -8...Double(limit + 8), using: &random)
        return isCoarse ? (2 * value).rounded() / 2 : value
      }
      let polygon = (0..<corners).map { _ in SIMD2(coordinate(48), coordinate(32)) }
      let zones = try ZoneSet([Zone(name: "a", units: .pixels, mode: .privacy, polygon: polygon.map { [$0.x, $0.y] })])
      let mask = try #require(PrivacyMask(zones: zones, size: size))
      for y in 0..<size.height {
        for x in 0..<size.width { #expect(mask.hides(x: x, y: y) == isHidden(polygon, x: x, y: y), "\(x) \(y)") }
      }
    }
  }
}
