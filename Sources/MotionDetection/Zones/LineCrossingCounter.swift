// Crossings of trip lines.
//
// What travels is known by points that ride on it and by the straight way that each has come in the last window (at
// most a second), see `MotionTracks`. A way that leads from one side of a line to the other crosses it; the ways of
// cells that touch are one component's. Of a component on the line it is summed up how far it moves across it. It is
// counted, once, when that is a good part of its own size: what slides along the line touches it again and again and
// gets nowhere across, and what swings on the line, or leans over it, comes back before.

import Imaging

/// Counts what crosses lines. Used by one thread. The constants were chosen by hand.
public struct LineCrossingCounter: Sendable {
  private struct Line: Sendable {
    var line: TripLine
    /// Pixels of the analysed image.
    var start: SIMD2<Double>
    var along: SIMD2<Double>
    var length: Double

    /// Returns the distance of a point to the right of the line, for someone who looks along it.
    func side(_ position: SIMD2<Double>) -> Double {
      let offset = position - start
      return along.x * offset.y - along.y * offset.x
    }

    func position(_ position: SIMD2<Double>) -> Double {
      let offset = position - start
      return along.x * offset.x + along.y * offset.y
    }
  }

  /// A way that crosses a line.
  private struct Way {
    var movingCell: MotionObservation.MovingCell
    /// The position of the crossing on the line, in pixels from its start.
    var position: Double
    /// The distance that the way leads across the line, in pixels.
    var distance: Double
    /// The distance that the way leads across the line in one frame, in pixels.
    var speed: Double
    /// The component that the way belongs to.
    var component: Component
  }

  /// A group of cells that travel side by side.
  private struct Component: Hashable {
    /// The number among the components of the frame.
    var number: Int
    /// The part of the line beside which the component is, in pixels from the line's start.
    var span: ClosedRange<Double>
    /// The extent of the component across the line, in pixels.
    var size: Double
  }

  /// A component on its way across a line.
  private struct PendingCrossing: Sendable {
    var line: Int
    var direction: LineCrossing.Direction
    /// The part of the line.
    var span: ClosedRange<Double>
    var lastSeen: Double
    /// The distance that the component has moved across the line, in pixels of the analysed image.
    var progress: Double
    /// The extent of the component across the line, as far as that was seen, in pixels of the analysed image.
    var size: Double
    var isCounted = false
  }

  private let lines: [Line]
  private let grid: CellGrid
  private let fullSize: PixelSize
  /// The cells in which motion counts.
  private let open: [Bool]
  private var pendingCrossings: [PendingCrossing] = []

  /// The minimum distance that a way must lead on each side of the line, in pixels of the analysed image: half a cell,
  /// which is how exactly positions are known.
  private static let margin = Double(MotionParameters.cellSide) / 2
  /// The distance within which ways that cross belong to one component, in pixels of the analysed image.
  private static let groupingDistance = 3 * Double(MotionParameters.cellSide)
  /// The minimum number of ways by which a component crosses.
  private static let minimumWays = 2
  /// The number of seconds without a way across after which the next one belongs to another component.
  private static let hold = 0.6
  /// The share of its size that a component must move across a line.
  private static let minimumCrossedShare = 0.6

  /// Watches the lines of a set.
  ///
  /// - Parameters:
  ///   - zones: The zones, with the lines and the zones in which nothing counts.
  ///   - grid: The grid of the analysed images.
  ///   - size: The size of the full-size image.
  public init(zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.grid = grid
    fullSize = size
    open = ZoneCells(zones, grid: grid, size: size).cells(scene: .identity).open
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

  /// Forgets what is on its way, after a cut.
  public mutating func reset() { pendingCrossings = [] }

  /// Measures what crosses each line, in the order of the lines, and lists the crossings that are new with this frame.
  /// - Parameters:
  ///   - observation: The observation of the last pair; nil when there is none.
  ///   - seconds: The time of the later frame of the pair, in seconds.
  public mutating func measure(
    _ observation: MotionObservation?, seconds: Double
  ) -> (motions: [ZoneMotion], crossings: [LineCrossing]) {
    let (motions, crossings, _) = measureCells(observation, seconds: seconds)
    return (motions, crossings)
  }

  /// Measures what crosses each line, and tells its cells, too.
  mutating func measureCells(
    _ observation: MotionObservation?, seconds: Double
  ) -> (motions: [ZoneMotion], crossings: [LineCrossing], cells: CellMask) {
    pendingCrossings.removeAll { seconds - $0.lastSeen > Self.hold }
    var crossings: [LineCrossing] = []
    var cells = CellMask(grid: grid)
    let moving = lines.isEmpty ? [] : observation?.movingCells.filter { open[$0.cell] } ?? []
    let groups = grid.components(of: moving)
    let motions = lines.indices.map { index in
      let ways = crossingWays(of: index, groups)
      var seen: [Way] = []
      for direction in LineCrossing.Direction.allCases where lines[index].line.counts(direction) {
        for component in Self.components(ways.filter { self.direction($0, index) == direction }) {
          let pendingCrossing = advance(component, on: index, direction, seconds)
          if pendingCrossing.isCounted { seen += component }
          if pendingCrossing.isNew {
            crossings.append(LineCrossing(line: lines[index].line.name, direction: direction))
          }
        }
      }
      for way in seen { cells.contains[way.movingCell.cell] = true }
      return motion(of: seen, on: index)
    }
    return (motions, crossings, cells)
  }

  /// Returns the ways that lead across a line, both ends well away from it.
  /// - Parameter components: The components of what travels.
  private func crossingWays(of index: Int, _ components: [[MotionObservation.MovingCell]]) -> [Way] {
    let line = lines[index]
    return components.enumerated().flatMap { number, movingCells -> [Way] in
      let centers = movingCells.map { grid.position($0.cell) }
      let (sides, positions) = (centers.map(line.side), centers.map(line.position))
      let component = Component(
        number: number, span: (positions.min() ?? 0)...(positions.max() ?? 0),
        size: (sides.max() ?? 0) - (sides.min() ?? 0) + Double(MotionParameters.cellSide))
      return zip(movingCells, sides).compactMap { movingCell, after in
        let motion = SIMD2(Double(movingCell.u), Double(movingCell.v))
        let end = grid.position(movingCell.cell)
        let begin = end - motion * Double(movingCell.age)
        let before = line.side(begin)
        guard before * after < 0, min(abs(before), abs(after)) > Self.margin else { return nil }
        let position = line.position(begin + (end - begin) * (before / (before - after)))
        guard (0...line.length).contains(position) else { return nil }
        return Way(
          movingCell: movingCell, position: position, distance: abs(after - before),
          speed: abs(after - before) / Double(max(movingCell.age, 1)), component: component)
      }
    }
  }

  private func direction(_ way: Way, _ index: Int) -> LineCrossing.Direction {
    let motion = SIMD2(Double(way.movingCell.u), Double(way.movingCell.v))
    return lines[index].side(lines[index].start + motion) > 0 ? .leftToRight : .rightToLeft
  }

  /// Returns the ways of each component, in the order of the components along the line.
  private static func components(_ ways: [Way]) -> [[Way]] {
    Dictionary(grouping: ways, by: \.component.number).values.filter { $0.count >= minimumWays }
      .sorted { ($0[0].position, $0[0].component.number) < ($1[0].position, $1[0].component.number) }
  }

  /// Takes a component's ways across a line into account.
  /// - Returns: Two Boolean values: whether the component has been counted, and whether it was counted with this frame.
  private mutating func advance(
    _ component: [Way], on line: Int, _ direction: LineCrossing.Direction, _ seconds: Double
  ) -> (isCounted: Bool, isNew: Bool) {
    let (span, size) = (component[0].component.span, component[0].component.size)
    let distance = component.map(\.distance).median ?? 0
    let known = pendingCrossings.firstIndex { old in
      old.line == line && old.direction == direction && old.span.lowerBound - Self.groupingDistance <= span.upperBound
        && span.lowerBound - Self.groupingDistance <= old.span.upperBound
    }
    guard let known else {
      pendingCrossings.append(
        PendingCrossing(
          line: line, direction: direction, span: span, lastSeen: seconds, progress: distance, size: size))
      return count(pendingCrossings.count - 1)
    }
    let step = component.reduce(0) { $0 + $1.speed } / Double(component.count)
    pendingCrossings[known].progress = max(pendingCrossings[known].progress + step, distance)
    pendingCrossings[known].size = max(pendingCrossings[known].size, size)
    (pendingCrossings[known].span, pendingCrossings[known].lastSeen) = (span, seconds)
    return count(known)
  }

  /// Counts a crossing that has come far enough.
  private mutating func count(_ index: Int) -> (isCounted: Bool, isNew: Bool) {
    let wasCounted = pendingCrossings[index].isCounted
    if pendingCrossings[index].progress >= Self.minimumCrossedShare * pendingCrossings[index].size {
      pendingCrossings[index].isCounted = true
    }
    return (pendingCrossings[index].isCounted, pendingCrossings[index].isCounted && !wasCounted)
  }

  /// The area and the mean motion of what crosses. What has crossed counts for ``hold`` seconds more, with a bit of the
  /// area, so that one who passes fast is an event.
  private func motion(of ways: [Way], on index: Int) -> ZoneMotion {
    let percent = 100 / Double(max(grid.count, 1))
    guard !ways.isEmpty else {
      guard pendingCrossings.contains(where: { $0.line == index && $0.isCounted }) else { return .none }
      return ZoneMotion(score: percent, moving: percent, age: 0, u: 0, v: 0, boxes: [])
    }
    let scale = Double(fullSize.width) / Double(max(grid.size.width, 1)) / Double(ways.count)
    return ZoneMotion(
      score: Double(ways.count) * percent, moving: Double(ways.count) * percent, age: 0,
      u: ways.reduce(0) { $0 + Double($1.movingCell.u) } * scale,
      v: ways.reduce(0) { $0 + Double($1.movingCell.v) } * scale,
      boxes: [grid.box(ways.map(\.movingCell.cell), in: fullSize)])
  }
}
