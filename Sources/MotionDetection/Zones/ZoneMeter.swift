// Observations cut into zones.

import Imaging

/// Measures what each zone sees of an observation.
public struct ZoneMeter: Sendable {
  private struct Field: Sendable {
    var zone: Zone?
    /// The minimum area of a component, in cells.
    var minimum: Double
    /// The maximum area of a component, in cells.
    var maximum: Double
  }

  private let grid: CellGrid
  private let fullSize: PixelSize
  private let cells: ZoneCells
  private let followsScene: Bool
  /// The fields that are measured, in the order of ``ZoneSet/measuredNames``.
  private let fields: [Field]
  /// The fields of each cell, which excluded cells have none of.
  private var fieldsOfCells: ZonesOfCells

  /// A meter for images of one size.
  ///
  /// - Parameters:
  ///   - zones: Where motion counts, and where not.
  ///   - grid: The grid of the analysed images.
  ///   - size: The size of the full-size image.
  public init(zones: ZoneSet, grid: CellGrid, size: PixelSize) {
    self.grid = grid
    fullSize = size
    cells = ZoneCells(zones, grid: grid, size: size)
    followsScene = zones.zones.contains { $0.anchor == .scene }
    fields = Self.fields(zones, grid: grid, size: size)
    fieldsOfCells = Self.fieldsOfCells(cells, fields, grid: grid, scene: .identity)
  }

  /// Moves the zones that are anchored to the scene.
  /// - Parameter scene: Pixels of the analysed image in which the zones were drawn to those of the current one.
  public mutating func follow(_ scene: Homography) {
    guard followsScene else { return }
    fieldsOfCells = Self.fieldsOfCells(cells, fields, grid: grid, scene: scene)
  }

  private static func fields(_ zones: ZoneSet, grid: CellGrid, size: PixelSize) -> [Field] {
    let included = zones.included
    guard !included.isEmpty else {
      return zones.tripLines.isEmpty ? [Field(zone: nil, minimum: 0, maximum: .infinity)] : []
    }
    let total = Double(max(grid.count, 1))
    return included.map { zone in
      let unit = zone.effectiveUnits == .pixels ? total / Double(max(size.area, 1)) : total
      return Field(
        zone: zone, minimum: (zone.minimumArea ?? 0) * unit, maximum: (zone.maximumArea ?? .infinity) * unit)
    }
  }

  private static func fieldsOfCells(
    _ cells: ZoneCells, _ fields: [Field], grid: CellGrid, scene: Homography
  ) -> ZonesOfCells {
    let (open, included) = cells.cells(scene: scene)
    // Without a zone that includes, all open cells count.
    let isWhole = fields.count == 1 && fields[0].zone == nil
    return ZonesOfCells(isWhole ? [open.indices.filter { open[$0] }] : included, cellCount: grid.count)
  }

  /// The motion in each measured zone, in the order of ``ZoneSet/measuredNames``.
  public func measure(_ observation: MotionObservation) -> [ZoneMotion] {
    var counted = CellMask(grid: grid)
    return measure(observation, visited: [:], counted: &counted)
  }

  /// The motion in each measured zone, in the order of ``ZoneSet/measuredNames``.
  /// - Parameters:
  ///   - visited: The cells through which something travelled while the scene was settling; each with whether the
  ///     cell has proven to be dynamic background.
  ///   - counted: Gets the cells that any zone counts.
  func measure(_ observation: MotionObservation, visited: [Int: Bool], counted: inout CellMask) -> [ZoneMotion] {
    var scratch = ComponentScratch()
    var log: RuleLog?
    var parts = parts(of: observation)
    for (cell, isDynamic) in visited {
      fieldsOfCells.forEachZone(of: cell) {
        parts[$0].visited += 1
        parts[$0].dynamic += isDynamic ? 1 : 0
      }
    }
    let percent = 100 / Double(max(grid.count, 1))
    return fields.indices.map { index in
      let part = parts[index]
      let components = components(part, in: fields[index], &scratch, &log)
      var undecided = 0
      for movingCell in components.joined() {
        counted.contains[movingCell.cell] = true
        if part.undecided.contains(movingCell.cell) { undecided += 1 }
      }
      var motion = motion(of: components, part)
      (motion.undecided, motion.insects) = (Double(undecided) * percent, Double(part.insects) * percent)
      (motion.present, motion.alive) = (Double(part.present.count) * percent, Double(part.alive) * percent)
      motion.stopped = Double(part.stopped) * percent
      motion.dynamicBackgroundShare = Double(part.dynamic) / Double(max(part.visited, 1))
      return motion
    }
  }

  /// Returns the tallies of the rules of each zone.
  public func explain(_ observation: MotionObservation) -> [[RuleTally]] {
    var scratch = ComponentScratch()
    let parts = parts(of: observation)
    return fields.indices.map { index in
      var log: RuleLog? = RuleLog([.direction, .minimumArea, .maximumArea])
      _ = components(parts[index], in: fields[index], &scratch, &log)
      return log?.tallies ?? []
    }
  }

  /// The part of an observation that lies in a field.
  private struct Part {
    /// The number of cells through which anything moves.
    var moving = 0
    /// The cells in which something is that came, and the number of those in which it shows a sign of life.
    var present: [Int] = []
    var alive = 0
    /// The number of those in which what came stopped.
    var stopped = 0
    /// The number of cells that something travelled through while the scene was settling, and of those among them that
    /// have proven to be dynamic background.
    var (visited, dynamic) = (0, 0)
    var movingCells: [MotionObservation.MovingCell] = []
    /// The cells of what may be an insect close to the lens, and the number of those of insects.
    var undecided: Set<Int> = []
    var insects = 0
  }

  /// Cuts an observation into the parts of all fields: the work grows with what moves in them, not with their number.
  private func parts(of observation: MotionObservation) -> [Part] {
    var parts = [Part](repeating: Part(), count: fields.count)
    for cell in 0..<grid.count where observation.motionMask[cell] {
      fieldsOfCells.forEachZone(of: cell) { parts[$0].moving += 1 }
    }
    for cell in observation.presentMask.indices where observation.presentMask[cell] {
      fieldsOfCells.forEachZone(of: cell) {
        parts[$0].present.append(cell)
        parts[$0].alive += observation.aliveMask[cell] ? 1 : 0
        if observation.stoppedMask.indices.contains(cell), observation.stoppedMask[cell] { parts[$0].stopped += 1 }
      }
    }
    for cell in observation.undecidedCells {
      fieldsOfCells.forEachZone(of: cell) { parts[$0].undecided.insert(cell) }
    }
    for cell in observation.insectCells {
      fieldsOfCells.forEachZone(of: cell) { parts[$0].insects += 1 }
    }
    for movingCell in observation.movingCells {
      fieldsOfCells.forEachZone(of: movingCell.cell) { parts[$0].movingCells.append(movingCell) }
    }
    return parts
  }

  /// Returns the components of a part that a field counts.
  private func components(
    _ part: Part, in field: Field, _ scratch: inout ComponentScratch, _ log: inout RuleLog?
  ) -> [[MotionObservation.MovingCell]] {
    var seen: [MotionObservation.MovingCell] = []
    for movingCell in part.movingCells {
      if let direction = field.zone?.direction(u: movingCell.u, v: movingCell.v) {
        log?.note(direction)
        guard direction.isSatisfied else { continue }
      }
      seen.append(movingCell)
    }
    return grid.components(of: seen, &scratch).filter { component in
      let minimum = RuleResult(.minimumArea, Double(component.count), limit: field.minimum)
      let maximum = RuleResult(.maximumArea, Double(component.count), limit: field.maximum)
      log?.note(minimum)
      if minimum.isSatisfied { log?.note(maximum) }
      return minimum.isSatisfied && maximum.isSatisfied
    }
  }

  /// The share of a component's cells that must move in the pair for its box to be theirs. Chosen on the tuning half of
  /// the drawn scenes.
  private static let currentShare = 0.3

  /// The median contrast of what does not show the background from which on that is told from what does: in the dark
  /// and in noise both look alike. Chosen on the tuning half of the drawn scenes, where 16 gives up heavy snow, and on
  /// walkers in dark noise, where 4 begins an event of noise.
  private static let clearContrast: Float = 8

  /// Returns whether the contrast of cells tells what shows the background from them.
  private static func isClear(_ cells: [MotionObservation.MovingCell]) -> Bool {
    let median = cells.filter { !$0.hasGoneOn }.map(\.contrast).median
    return median.map { $0 >= clearContrast } ?? false
  }

  /// Returns some cells of a component; all of them where those are too few to tell.
  private static func enough(
    _ cells: [MotionObservation.MovingCell], of component: [MotionObservation.MovingCell]
  ) -> [MotionObservation.MovingCell] {
    Double(cells.count) >= currentShare * Double(component.count) ? cells : component
  }

  /// Returns the cells in which what moves is now, without those behind it that it has left.
  private static func body(of component: [MotionObservation.MovingCell]) -> [MotionObservation.MovingCell] {
    enough(component.filter(\.isCurrent), of: component)
  }

  /// Returns the cells of a body that do not show the background, where those are told from it.
  private static func withoutBackground(
    _ body: [MotionObservation.MovingCell]
  ) -> [MotionObservation.MovingCell] {
    isClear(body) ? enough(body.filter { !$0.hasGoneOn }, of: body) : body
  }

  /// Returns whether a component shows the background but for few of its cells.
  private static func hasGoneOn(_ component: [MotionObservation.MovingCell]) -> Bool {
    Double(component.count { !$0.hasGoneOn }) < currentShare * Double(component.count)
  }

  /// The way from which on what does not move in the pair has gone on, as a multiple of the side of what is seen of it.
  /// Chosen on the tuning half of the drawn scenes.
  private static let leftWay: Float = 1.5

  /// Returns the components without those that what moves has left: they show the background, or none of their cells
  /// moves in the pair and they had come farther than their own side; all where no others are there.
  private static func withoutLeft(
    _ components: [[MotionObservation.MovingCell]]
  ) -> [[MotionObservation.MovingCell]] {
    let isClear = Self.isClear(Array(components.joined()))
    let there = components.filter { component in
      let way = component.reduce(SIMD2<Float>.zero) { $0 + $1.way }.length / Float(component.count)
      let side = Float(MotionParameters.cellSide) * Float(component.count).squareRoot()
      return !(isClear && hasGoneOn(component)) && (component.contains(where: \.isCurrent) || way < leftWay * side)
    }
    return there.isEmpty ? components : there
  }

  /// The share of a body that moves below which it is one that stands there and moves a part: who walks leaves cells
  /// behind that are still taken for present, up to as many as their own. Chosen on the tuning half of the drawn scenes
  /// and `cdnet_office`.
  private static let partShare = 0.3

  /// The cells of what moves or stands, and how far it has got since it was there, in pixels.
  private struct Body {
    var cells: [Int]
    var shift = SIMD2<Float>.zero
    /// The cells that moved, those included that show the background again.
    var moved: [Int] = []
  }

  /// Returns how far a component has got on since it was where its cells are: what is seen in the median of some frames
  /// is late by half of them.
  private static func shift(of component: [MotionObservation.MovingCell]) -> SIMD2<Float> {
    let late = component.filter { $0.isCurrent && $0.lag > 0 }
    let sum = late.reduce(SIMD2<Float>.zero) { $0 + Float($1.lag) * SIMD2($1.u, $1.v) }
    return sum / Float(max(component.count(where: \.isCurrent), 1))
  }

  /// Returns the bodies that components are: who came and stands there moves a hand, and is more than that.
  /// - Parameter present: The cells in which something is that came.
  private func bodies(of components: [[MotionObservation.MovingCell]], present: [Int]) -> [Body] {
    let moving = Self.withoutLeft(components).map { component in
      let body = Self.body(of: component)
      return Body(
        cells: Self.withoutBackground(body).map(\.cell), shift: Self.shift(of: component),
        moved: body.map(\.cell))
    }
    guard !present.isEmpty else { return moving }
    let movingCells = moving.flatMap(\.moved)
    var isOpen = [Bool](repeating: false, count: grid.count)
    for cell in present + movingCells { isOpen[cell] = true }
    // What touches is one body: its cells, and how many of them move.
    var (bodies, movingCounts): ([[Int]], [Int]) = ([], [])
    var bodyOfCell = [Int](repeating: 0, count: grid.count)
    for cell in movingCells {
      if isOpen[cell] {
        let body = isOpen.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, $1) }
        for member in body { bodyOfCell[member] = bodies.count }
        bodies.append(body)
        movingCounts.append(0)
      }
      movingCounts[bodyOfCell[cell]] += 1
    }
    var standing: [Int: [Int]] = [:]
    var result: [Body] = []
    for mover in moving {
      let body = mover.moved.first.map { bodyOfCell[$0] } ?? 0
      if Double(movingCounts[body]) < Self.partShare * Double(bodies[body].count) {
        standing[body, default: bodies[body]] += mover.cells
      } else {
        result.append(mover)
      }
    }
    return result + standing.sorted { $0.key < $1.key }.map { Body(cells: $0.value) }
  }

  private func motion(of components: [[MotionObservation.MovingCell]], _ part: Part) -> ZoneMotion {
    let percent = 100 / Double(max(grid.count, 1))
    let moving = part.moving
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
      v: v / count * scale, boxes: bodies(of: components, present: part.present).map { box(of: $0) })
  }

  /// Returns the full-size rectangle around a body where it is now, as far as that is in the image.
  private func box(of body: Body) -> MotionBox {
    let box = grid.box(body.cells, in: fullSize)
    let shift = Float(fullSize.width) / Float(max(grid.size.width, 1)) * body.shift
    let (dx, dy) = (Int(shift.x.rounded()), Int(shift.y.rounded()))
    let (left, right) = (max(box.x + dx, 0), min(box.x + dx + box.width, fullSize.width))
    let (top, bottom) = (max(box.y + dy, 0), min(box.y + dy + box.height, fullSize.height))
    guard left < right, top < bottom else { return box }
    return MotionBox(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension CellGrid {
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
