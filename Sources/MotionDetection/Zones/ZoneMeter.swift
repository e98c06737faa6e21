// Observations cut into zones.

import Imaging

/// Measures what each zone sees of an observation.
public struct ZoneMeter: Sendable {
  private struct Field: Sendable {
    var zone: Zone?
    /// The cells of the zone without those of excluded ones.
    var isIncluded: [Bool]
    /// The minimum area of a component, in cells.
    var minimum: Double
    /// The maximum area of a component, in cells.
    var largest: Double
  }

  private let zones: ZoneSet
  private let grid: CellGrid
  private let fullSize: PixelSize
  private var fields: [Field]

  /// A meter for images of one size.
  ///
  /// - Parameters:
  ///   - zones: Where motion counts, and where not.
  ///   - grid: The grid of the analysed images.
  ///   - size: The size of the full-size image.
  public init(zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.zones = zones
    self.grid = grid
    fullSize = size
    fields = Self.fields(zones, grid: grid, size: size, scene: .identity)
  }

  /// Moves the zones that are anchored to the scene.
  /// - Parameter scene: Pixels of the analysed image in which the zones were drawn to those of the current one.
  public mutating func follow(_ scene: Homography) {
    guard zones.zones.contains(where: { $0.anchor == .scene }) else { return }
    fields = Self.fields(zones, grid: grid, size: fullSize, scene: scene)
  }

  private static func fields(_ zones: ZoneSet, grid: CellGrid, size: PixelSize, scene: Homography) -> [Field] {
    let open = openCells(zones, grid: grid, size: size, scene: scene)
    let included = zones.included
    guard !included.isEmpty else {
      return zones.tripLines.isEmpty ? [Field(zone: nil, isIncluded: open, minimum: 0, largest: .infinity)] : []
    }
    let total = Double(max(grid.count, 1))
    let back = scene.inverse ?? .identity
    return included.map { zone in
      let unit = zone.effectiveUnits == .pixels ? total / Double(max(size.area, 1)) : total
      return Field(
        zone: zone,
        isIncluded: (0..<grid.count).map { open[$0] && grid.isCell($0, in: zone, size: size, back: back) },
        minimum: (zone.minimumArea ?? 0) * unit, largest: (zone.maximumArea ?? .infinity) * unit)
    }
  }

  /// The cells that no zone bars.
  static func openCells(_ zones: ZoneSet, grid: CellGrid, size: PixelSize, scene: Homography) -> [Bool] {
    let barred = zones.zones.filter { $0.effectiveMode != .include }
    let back = scene.inverse ?? .identity
    return (0..<grid.count).map { cell in
      !barred.contains { grid.isCell(cell, in: $0, size: size, back: back) }
    }
  }

  /// The motion in each measured zone, in the order of ``ZoneSet/measuredNames``.
  public func measure(_ observation: MotionObservation) -> [ZoneMotion] {
    var log: RuleLog?
    return fields.map { measure(observation, in: $0, &log) }
  }

  /// Returns the tallies of the rules of each zone.
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
    for cell in 0..<grid.count where observation.motionMask[cell] && field.isIncluded[cell] { moving += 1 }
    var seen: [MotionObservation.MovingCell] = []
    for movingCell in observation.movingCells where field.isIncluded[movingCell.cell] {
      if let direction = field.zone?.direction(u: movingCell.u, v: movingCell.v) {
        log?.note(direction)
        guard direction.isSatisfied else { continue }
      }
      seen.append(movingCell)
    }
    let components = grid.components(of: seen).filter { component in
      let minimum = RuleResult(.minimumArea, Double(component.count), limit: field.minimum)
      let largest = RuleResult(.maximumArea, Double(component.count), limit: field.largest)
      log?.note(minimum)
      if minimum.isSatisfied { log?.note(largest) }
      return minimum.isSatisfied && largest.isSatisfied
    }
    guard !components.isEmpty else {
      return ZoneMotion(score: 0, moving: Double(moving) * percent, age: 0, u: 0, v: 0, boxes: [])
    }
    let counted = components.joined()
    let ages = counted.map(\.age).sorted()
    let lags = counted.map(\.lag).sorted()
    var (u, v) = (0.0, 0.0)
    for movingCell in counted {
      u += Double(movingCell.u)
      v += Double(movingCell.v)
    }
    let count = Double(ages.count)
    let scale = Double(fullSize.width) / Double(max(grid.size.width, 1))
    return ZoneMotion(
      score: count * percent, moving: Double(moving) * percent, age: ages[ages.count / 2],
      lag: lags[lags.count / 2], u: u / count * scale,
      v: v / count * scale, boxes: components.map { grid.box($0.map(\.cell), in: fullSize) })
  }
}

extension CellGrid {
  /// Returns whether the middle of a cell lies in a zone.
  /// - Parameter back: Pixels of the current image to those of the one in which scene zones were drawn.
  fileprivate func isCell(_ cell: Int, in zone: Zone, size fullSize: PixelSize, back: Homography) -> Bool {
    let center = center(cell)
    var position = (x: Double(center.x), y: Double(center.y))
    if zone.anchor == .scene { position = back.apply(x: position.x, y: position.y) }
    return zone.contains(
      x: (position.x + 0.5) / Double(size.width), y: (position.y + 0.5) / Double(size.height), size: fullSize)
  }

  /// The full-size rectangle around cells.
  func box(_ cells: [Int], in fullSize: PixelSize) -> MotionBox {
    let (xs, ys) = (cells.map { $0 % columns }, cells.map { $0 / columns })
    let side = MotionParameters.cellSide
    let (left, right) = ((xs.min() ?? 0) * side, ((xs.max() ?? 0) + 1) * side)
    let (top, bottom) = ((ys.min() ?? 0) * side, ((ys.max() ?? 0) + 1) * side)
    let x = left * fullSize.width / size.width
    let y = top * fullSize.height / size.height
    return MotionBox(
      x: x, y: y, width: right * fullSize.width / size.width - x, height: bottom * fullSize.height / size.height - y)
  }
}
