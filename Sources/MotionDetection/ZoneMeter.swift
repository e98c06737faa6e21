// Observations cut into zones.

import Imaging

/// Measures what each zone sees of an observation.
public struct ZoneMeter: Sendable {
  private struct Field: Sendable {
    var zone: Zone?
    /// The cells of the zone without those of excluded ones.
    var holds: [Bool]
    /// The smallest and the largest area of a thing, in cells.
    var least: Double
    var largest: Double
  }

  private let grid: CellGrid
  private let fullSize: PixelSize
  private let fields: [Field]

  /// A meter for pictures of one size.
  ///
  /// - Parameters:
  ///   - zones: Where motion counts, and where not.
  ///   - grid: Of the analysed pictures.
  ///   - size: Of the full-size picture.
  public init(zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.grid = grid
    fullSize = size
    let barred = zones.zones.filter { $0.effectiveMode != .include }
    let centers = (0..<grid.count).map { cell in
      let center = grid.center(cell)
      return (
        x: (Double(center.x) + 0.5) / Double(grid.size.width), y: (Double(center.y) + 0.5) / Double(grid.size.height)
      )
    }
    let open = centers.map { place in !barred.contains { $0.contains(x: place.x, y: place.y, size: size) } }
    let included = zones.included
    let total = Double(max(grid.count, 1))
    fields =
      included.isEmpty
      ? [Field(zone: nil, holds: open, least: 0, largest: .infinity)]
      : included.map { zone in
        let unit = zone.effectiveUnits == .pixels ? total / Double(max(size.area, 1)) : total
        return Field(
          zone: zone,
          holds: zip(centers, open).map { $1 && zone.contains(x: $0.x, y: $0.y, size: size) },
          least: (zone.minimumArea ?? 0) * unit, largest: (zone.maximumArea ?? .infinity) * unit)
      }
  }

  /// The motion in each measured zone, in the order of ``ZoneSet/measuredNames``.
  public func measure(_ observation: MotionObservation) -> [ZoneMotion] {
    var log: RuleLog?
    return fields.map { measure(observation, in: $0, &log) }
  }

  /// What the rules of each zone came to.
  public func explain(_ observation: MotionObservation) -> [[RuleTally]] {
    fields.map { field in
      var log: RuleLog? = RuleLog([.direction, .minimumArea, .maximumArea])
      _ = measure(observation, in: field, &log)
      return log?.tallies ?? []
    }
  }

  private func measure(_ observation: MotionObservation, in field: Field, _ log: inout RuleLog?) -> ZoneMotion {
    let percent = 100 / Double(max(grid.count, 1))
    var moving = 0
    for cell in 0..<grid.count where observation.moves[cell] && field.holds[cell] { moving += 1 }
    var seen: [MotionObservation.Traveller] = []
    for traveller in observation.travellers where field.holds[traveller.cell] {
      if let direction = field.zone?.direction(u: traveller.u, v: traveller.v) {
        log?.note(direction)
        guard direction.holds else { continue }
      }
      seen.append(traveller)
    }
    let things = groups(of: seen).filter { thing in
      let least = Verdict(.minimumArea, Double(thing.count), limit: field.least)
      let largest = Verdict(.maximumArea, Double(thing.count), limit: field.largest)
      log?.note(least)
      if least.holds { log?.note(largest) }
      return least.holds && largest.holds
    }
    guard !things.isEmpty else {
      return ZoneMotion(score: 0, moving: Double(moving) * percent, age: 0, u: 0, v: 0, boxes: [])
    }
    let counted = things.joined()
    let ages = counted.map(\.age).sorted()
    var (u, v) = (0.0, 0.0)
    for traveller in counted {
      u += Double(traveller.u)
      v += Double(traveller.v)
    }
    let count = Double(ages.count)
    let scale = Double(fullSize.width) / Double(max(grid.size.width, 1))
    return ZoneMotion(
      score: count * percent, moving: Double(moving) * percent, age: ages[ages.count / 2], u: u / count * scale,
      v: v / count * scale, boxes: things.map(box))
  }

  /// Travellers in cells that touch, also at corners or across one cell, belong to one thing.
  private func groups(of travellers: [MotionObservation.Traveller]) -> [[MotionObservation.Traveller]] {
    var indices = [Int](repeating: -1, count: travellers.isEmpty ? 0 : grid.count)
    for (index, traveller) in travellers.enumerated() { indices[traveller.cell] = index }
    var groups: [[MotionObservation.Traveller]] = []
    for first in travellers.sorted(by: { $0.cell < $1.cell }) where indices[first.cell] >= 0 {
      var group = [first]
      indices[first.cell] = -1
      var next = 0
      while next < group.count {
        grid.forEachNeighbor(of: group[next].cell, distance: 2) { cell in
          guard indices[cell] >= 0 else { return }
          group.append(travellers[indices[cell]])
          indices[cell] = -1
        }
        next += 1
      }
      groups.append(group)
    }
    return groups
  }

  /// The full-size rectangle around the cells of a thing.
  private func box(_ thing: [MotionObservation.Traveller]) -> MotionBox {
    let columns = thing.map { $0.cell % grid.columns }
    let rows = thing.map { $0.cell / grid.columns }
    let side = MotionParameters.cellSide
    let (left, right) = ((columns.min() ?? 0) * side, ((columns.max() ?? 0) + 1) * side)
    let (top, bottom) = ((rows.min() ?? 0) * side, ((rows.max() ?? 0) + 1) * side)
    let x = left * fullSize.width / grid.size.width
    let y = top * fullSize.height / grid.size.height
    return MotionBox(
      x: x, y: y, width: right * fullSize.width / grid.size.width - x,
      height: bottom * fullSize.height / grid.size.height - y)
  }
}
