// Crossings of trip lines.
//
// What travels is known by points that ride on it and by the straight way that each has come in the last window (at most a
// second), see `MotionTracks`. A way that leads from one side of a line to the other crosses it; ways that cross side by side
// are one thing's. A thing is counted when its first ways cross. What waves on the line comes back and does not travel, and
// what walks beside it never changes sides.

import Imaging

/// Counts what crosses lines. Used by one thread.
public struct TripLineMeter: Sendable {
  private struct Line: Sendable {
    var line: TripLine
    /// Pixels of the analysed picture.
    var start: SIMD2<Double>
    var along: SIMD2<Double>
    var length: Double

    /// How far right of the line a place is, for someone who looks along it.
    func side(_ place: SIMD2<Double>) -> Double {
      let offset = place - start
      return along.x * offset.y - along.y * offset.x
    }

    func position(_ place: SIMD2<Double>) -> Double {
      let offset = place - start
      return along.x * offset.x + along.y * offset.y
    }
  }

  /// A way that crosses a line.
  private struct Way {
    var traveller: MotionObservation.Traveller
    /// Where on the line, in pixels from its start.
    var position: Double
  }

  /// A thing on its way across a line.
  private struct Passage: Sendable {
    var line: Int
    var direction: LineCrossing.Direction
    /// The part of the line.
    var span: ClosedRange<Double>
    var lastSeen: Double
  }

  private let lines: [Line]
  private let grid: CellGrid
  private let fullSize: PixelSize
  /// The cells in which motion counts.
  private let open: [Bool]
  private var passages: [Passage] = []

  /// How far on each side of the line a way must lead, in pixels of the analysed picture: half a cell, which is how exactly
  /// places are known.
  private static let margin = Double(MotionParameters.cellSide) / 2
  /// Ways that cross this close to each other are one thing's, in pixels of the analysed picture.
  private static let reach = 3 * Double(MotionParameters.cellSide)
  /// A thing crosses by at least this many ways.
  private static let leastWays = 2
  /// Seconds without a way across after which the next one is another thing's.
  private static let hold = 0.6

  /// Watches the lines of a set.
  ///
  /// - Parameters:
  ///   - zones: With the lines, and the zones in which nothing counts.
  ///   - grid: Of the analysed pictures.
  ///   - size: Of the full-size picture.
  public init(zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.grid = grid
    fullSize = size
    open = ZoneMeter.openCells(zones, grid: grid, size: size, scene: .identity)
    let analysed = SIMD2(Double(grid.size.width), Double(grid.size.height))
    lines = zones.tripLines.map { line in
      let unit =
        line.effectiveUnits == .pixels ? analysed / SIMD2(Double(size.width), Double(size.height)) : analysed
      let start = SIMD2(line.from[0], line.from[1]) * unit - 0.5
      let way = SIMD2(line.to[0], line.to[1]) * unit - 0.5 - start
      let length = (way.x * way.x + way.y * way.y).squareRoot()
      return Line(line: line, start: start, along: way / length, length: length)
    }
  }

  /// Whether there is a line at all.
  public var hasLines: Bool { !lines.isEmpty }

  /// Forgets what is on its way, after a cut.
  public mutating func reset() { passages = [] }

  /// What crosses each line, in their order, and the things that began to.
  /// - Parameter observation: Of the last pair; nil when there is none.
  public mutating func measure(
    _ observation: MotionObservation?, seconds: Double
  ) -> (motions: [ZoneMotion], crossings: [LineCrossing]) {
    passages.removeAll { seconds - $0.lastSeen > Self.hold }
    var crossings: [LineCrossing] = []
    let motions = lines.indices.map { index in
      let ways = observation.map { crossingWays(of: index, $0) } ?? []
      var seen: [Way] = []
      for direction in LineCrossing.Direction.allCases where lines[index].line.counts(direction) {
        for thing in Self.things(ways.filter { self.direction($0, index) == direction }) {
          seen += thing
          let span = thing[0].position...thing[thing.count - 1].position
          if begins(Passage(line: index, direction: direction, span: span, lastSeen: seconds)) {
            crossings.append(LineCrossing(line: lines[index].line.name, direction: direction))
          }
        }
      }
      return motion(of: seen, on: index)
    }
    return (motions, crossings)
  }

  /// The ways that lead across a line, both ends well away from it.
  private func crossingWays(of index: Int, _ observation: MotionObservation) -> [Way] {
    let line = lines[index]
    return observation.travellers.compactMap { traveller in
      guard open[traveller.cell] else { return nil }
      let center = grid.center(traveller.cell)
      let end = SIMD2(Double(center.x), Double(center.y))
      let begin = end - SIMD2(Double(traveller.u), Double(traveller.v)) * Double(traveller.age)
      let (before, after) = (line.side(begin), line.side(end))
      guard before * after < 0, min(abs(before), abs(after)) > Self.margin else { return nil }
      let position = line.position(begin + (end - begin) * (before / (before - after)))
      return (0...line.length).contains(position) ? Way(traveller: traveller, position: position) : nil
    }
  }

  private func direction(_ way: Way, _ index: Int) -> LineCrossing.Direction {
    let motion = SIMD2(Double(way.traveller.u), Double(way.traveller.v))
    return lines[index].side(lines[index].start + motion) > 0 ? .leftToRight : .rightToLeft
  }

  /// Ways side by side, in their order along the line.
  private static func things(_ ways: [Way]) -> [[Way]] {
    var things: [[Way]] = []
    for way in ways.sorted(by: { ($0.position, $0.traveller.cell) < ($1.position, $1.traveller.cell) }) {
      if let last = things.last?.last, way.position - last.position <= reach {
        things[things.count - 1].append(way)
      } else {
        things.append([way])
      }
    }
    return things.filter { $0.count >= leastWays }
  }

  /// Whether a thing has not been on its way already.
  private mutating func begins(_ new: Passage) -> Bool {
    let known = passages.firstIndex { old in
      old.line == new.line && old.direction == new.direction
        && old.span.lowerBound - Self.reach <= new.span.upperBound
        && new.span.lowerBound - Self.reach <= old.span.upperBound
    }
    guard let known else {
      passages.append(new)
      return true
    }
    passages[known] = new
    return false
  }

  /// The area and the mean motion of what crosses. What has crossed counts for ``hold`` seconds more, with a bit of the area,
  /// so that one who passes fast is an event.
  private func motion(of ways: [Way], on index: Int) -> ZoneMotion {
    let percent = 100 / Double(max(grid.count, 1))
    guard !ways.isEmpty else {
      guard passages.contains(where: { $0.line == index }) else { return .none }
      return ZoneMotion(score: percent, moving: percent, age: 0, u: 0, v: 0, boxes: [])
    }
    let scale = Double(fullSize.width) / Double(max(grid.size.width, 1)) / Double(ways.count)
    return ZoneMotion(
      score: Double(ways.count) * percent, moving: Double(ways.count) * percent, age: 0,
      u: ways.reduce(0) { $0 + Double($1.traveller.u) } * scale,
      v: ways.reduce(0) { $0 + Double($1.traveller.v) } * scale,
      boxes: [grid.box(ways.map(\.traveller.cell), in: fullSize)])
  }
}
