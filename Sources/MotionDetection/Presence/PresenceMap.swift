// The map of what came and is still there.

import Imaging

/// Finds the cells in which the image differs from how it looked before something came: somebody who stands and reads
/// hardly travels, and is present all the same. Used by one thread.
///
/// The background is a slow mean of temporal averages, where nothing moves. What travelled to a cell and differs from
/// the background there is present, as long as it shows signs of life: a bottle that was put down shows none, and
/// becomes background. Who came and stopped may show none for longer than what a hand left behind. The constants were
/// tuned on the tuning half of the drawn scenes (Tests/DetectionScenes).
struct PresenceMap {
  private let grid: CellGrid
  private var comparer: CellComparer
  private var background: Plane<Float>?
  /// The difference from the background that each cell has while nobody is there.
  private var noiseFloor: NoiseFloor?
  private var previous: Plane<Float>?
  /// The difference from one average to the next that each cell has while nothing moves.
  private var lifeFloor: NoiseFloor?
  private var lastSeconds: Double?
  /// The time at which something last travelled at each cell or near it, in seconds.
  private var lastVisit: [Double]
  /// The time at which what is in each cell last showed a sign of life, in seconds.
  private var lastLife: [Double]
  /// The cells in which something is that came.
  private(set) var isPresent: [Bool]
  /// The cells of which something shows a sign of life right now.
  private(set) var isAlive: [Bool]
  /// The cells of ``isPresent`` in which what came stopped, and from which nothing went away since: somebody who came,
  /// and not what a hand put down.
  private(set) var hasStopped: [Bool]
  private var differs: [Bool]
  /// The share of the time in which each cell differs from the background though nothing came there, 0…1, and the time
  /// over which it is known, in seconds.
  private var (unrest, unrestTime): ([Float], [Float])

  /// The time for which a cell counts as visited after something travelled there, in seconds.
  private static let visitTime = 1.5
  /// The maximum time between two signs of life, in seconds.
  private static let lifeTime = 2.5
  /// The maximum time between two signs of life of what came and stopped, in seconds: somebody who reads hardly moves.
  private static let stoppedLifeTime = 12.0
  /// The share of the cells that something travelled through in the last moments before it stopped that are those of
  /// what stopped: in the last half second somebody who came has 0.27 and more, what a hand left behind at the border
  /// 0.03.
  private static let arrivalShare = 0.35
  /// The time of these last moments, in seconds.
  private static let arrivalTime = 0.2
  /// The squared difference from the background up to which a cell shows it: a multiple of the noise, and an amount in
  /// squared grey levels for what codecs leave.
  private static let (backgroundFactor, backgroundOffset): (Float, Float) = (2, 4)
  /// The time in which the background takes up what is there, in seconds.
  private static let adaptionTime = 3.0
  /// The factor by which the squared difference from the background must exceed its noise.
  private static let factor: Float = 4
  /// The amount by which the squared difference from the background must exceed its noise times ``factor``, in squared
  /// grey levels.
  private static let offset: Float = 12
  /// The factor by which the squared difference between two averages must exceed its noise for a sign of life.
  private static let lifeFactor: Float = 2.5
  /// The amount by which it must exceed the noise times ``lifeFactor``, in squared grey levels.
  private static let lifeOffset: Float = 2
  /// The minimum share of a cell's contrast that differs where something came: a change of exposure, which no gain and
  /// offset quite explains, leaves less.
  private static let contrastShare: Float = 0.25
  /// The minimum share of a cell's contrast that a sign of life changes.
  private static let lifeShare: Float = 0.03
  /// The share of the image whose brightness changes from which on nothing that changes is a sign of life.
  private static let maximumIlluminationShare = 0.2
  /// The maximum share of the image that one who is present covers; more is another view or another light.
  private static let maximumPresentShare = 0.25
  /// The number of cells around what travels that count as visited.
  private static let reachInCells = 2
  /// The ``unrest`` of a cell, and its mean over a component, from which on what moves there is no sign of life: where
  /// a television or a flag is, or a written clock, the background differs by itself. Where people stood the mean is
  /// below 0.02, there 0.07 and more.
  private static let maximumUnrest: Float = 0.04
  /// The time over which ``unrest`` is a mean, in seconds.
  private static let unrestWindow: Float = 60
  /// The time for which nothing must have travelled in a cell for it to tell how restless the background is, in
  /// seconds.
  private static let unvisitedTime = 4.0
  /// The minimum number of cells that show a sign of life.
  private static let minimumLife = 2

  init(grid: CellGrid) {
    self.grid = grid
    comparer = CellComparer(grid: grid)
    lastVisit = Array(repeating: -.infinity, count: grid.count)
    lastLife = lastVisit
    isPresent = Array(repeating: false, count: grid.count)
    isAlive = isPresent
    hasStopped = isPresent
    differs = isPresent
    unrest = Array(repeating: 0, count: grid.count)
    unrestTime = unrest
  }

  /// Forgets all, for another scene or another view.
  mutating func reset() {
    (background, previous, noiseFloor, lifeFloor, lastSeconds) = (nil, nil, nil, nil, nil)
    for cell in 0..<grid.count {
      (lastVisit[cell], lastLife[cell], unrest[cell], unrestTime[cell]) = (-.infinity, -.infinity, 0, 0)
      (isPresent[cell], isAlive[cell], hasStopped[cell]) = (false, false, false)
    }
  }

  /// Takes note of what travels in a frame.
  mutating func note(_ movingCells: [MotionObservation.MovingCell], seconds: Double) {
    for moving in movingCells {
      grid.forEachNeighbor(of: moving.cell, distance: Self.reachInCells) { lastVisit[$0] = seconds }
    }
  }

  /// Takes note of cells through which something travels that is nobody.
  mutating func noteNobody(_ cells: [Int]) {
    for cell in cells {
      grid.forEachNeighbor(of: cell, distance: Self.reachInCells) {
        (lastVisit[$0], lastLife[$0]) = (-.infinity, -.infinity)
        (isPresent[$0], isAlive[$0], hasStopped[$0]) = (false, false, false)
      }
    }
  }

  /// Takes the next temporal average.
  /// - Parameters:
  ///   - average: The mean of some frames, of the grid's size.
  ///   - isDynamic: Boolean values that tell for each cell whether it belongs to the dynamic background.
  mutating func advance(_ average: Plane<Float>, isDynamic: [Bool], seconds: Double) {
    defer { (previous, lastSeconds) = (average, seconds) }
    guard grid.count > 0 else { return }
    guard let background, let previous, let lastSeconds else {
      background = average
      return
    }
    let elapsed = Float(seconds - lastSeconds)
    let change = comparer.differences(previous: previous, current: average)
    let difference = comparer.differences(previous: background, current: average)
    var floor = noiseFloor ?? NoiseFloor(first: difference)
    var lifeFloor = self.lifeFloor ?? NoiseFloor(first: change)
    for cell in 0..<grid.count {
      let noise = floor.noise(cell, medianResidual: difference.medianResidual)
      let limit = max(Self.factor * noise + Self.offset, Self.contrastShare * difference.contrast[cell])
      differs[cell] = !isDynamic[cell] && difference.unexplained[cell] > limit
    }
    let (before, hadStopped) = (isPresent, hasStopped)
    for cell in 0..<grid.count { (isPresent[cell], isAlive[cell], hasStopped[cell]) = (false, false, false) }
    let paths = RecentPaths(grid: grid, through: lastVisit.map { seconds - $0 < Self.stoppedLifeTime })
    var open = differs
    for cell in 0..<grid.count where open[cell] {
      let component = open.takeComponent(of: cell) { [grid] in grid.forEachNeighbor(of: $0, distance: 2, $1) }
      guard component.contains(where: { before[$0] || seconds - lastVisit[$0] < Self.visitTime }),
        Double(component.count) <= Self.maximumPresentShare * Double(grid.count)
      else { continue }
      keep(component, before, hadStopped, paths, change, lifeFloor, seconds: seconds)
    }
    noteUnrest(seconds: seconds, elapsed: elapsed)
    floor.adapt(to: quiet(difference.unexplained, floor), elapsed: elapsed)
    lifeFloor.adapt(to: quiet(change.unexplained, lifeFloor), elapsed: elapsed)
    (noiseFloor, self.lifeFloor) = (floor, lifeFloor)
    adapt(to: average, before: before, seconds: seconds, elapsed: elapsed)
  }

  /// Returns how much a cell of an image differs from the background, as a multiple of what noise may make: up to one
  /// it shows the background. Infinity where that is not known.
  /// - Parameter noise: The difference that noise makes between two images, in squared grey levels.
  func contrast(of cell: Int, in image: PlaneView<Float>, noise: Float) -> Float {
    guard let background else { return .infinity }
    let side = MotionParameters.cellSide
    let (left, top) = (cell % grid.columns * side, cell / grid.columns * side)
    var sum: Float = 0
    background.withView { background in
      for y in top..<top + side {
        let (seen, known) = (image.row(y), background.row(y))
        for x in left..<left + side { sum += (seen[x] - known[x]) * (seen[x] - known[x]) }
      }
    }
    return sum / ((Self.backgroundFactor * noise + Self.backgroundOffset) * Float(side * side))
  }

  /// Keeps a component that differs from the background, if it lives.
  /// - Parameters:
  ///   - before: The cells that something was in at the average before: what passes lives on by itself.
  ///   - hadStopped: Those that something had stopped in.
  private mutating func keep(
    _ component: [Int], _ before: [Bool], _ hadStopped: [Bool], _ paths: RecentPaths, _ change: CellDifferences,
    _ floor: NoiseFloor, seconds: Double
  ) {
    let living = component.count { cell in
      // A written clock that somebody covered goes on.
      guard before[cell], unrest[cell] < Self.maximumUnrest else { return false }
      let noise = floor.noise(cell, medianResidual: change.medianResidual)
      return change.unexplained[cell]
        > max(Self.lifeFactor * noise + Self.lifeOffset, Self.lifeShare * change.contrast[cell])
    }
    let isCalm = meanUnrest(of: component) < Self.maximumUnrest
    let lives =
      isCalm && living >= Self.minimumLife && change.illuminationChangeShare < Self.maximumIlluminationShare
    let last = component.reduce(-Double.infinity) { max($0, lastLife[$1], lastVisit[$1]) }
    let stopped = isCalm && self.stopped(component, hadStopped, paths)
    guard lives || seconds - last < (stopped ? Self.stoppedLifeTime : Self.lifeTime) else { return }
    for cell in component {
      (isPresent[cell], isAlive[cell], hasStopped[cell]) = (true, lives, stopped)
      lastLife[cell] = lives ? seconds : max(lastLife[cell], last)
    }
  }

  /// Takes note of where the image differs from the background though nothing came. What differs in much of the image
  /// is another light.
  private mutating func noteUnrest(seconds: Double, elapsed: Float) {
    let isLight = Double(differs.count { $0 }) > Self.maximumPresentShare * Double(grid.count)
    for cell in 0..<grid.count where !isPresent[cell] && seconds - lastVisit[cell] > Self.unvisitedTime {
      unrestTime[cell] = min(unrestTime[cell] + elapsed, Self.unrestWindow)
      let weight = unrestTime[cell] > 0 ? elapsed / unrestTime[cell] : 0
      unrest[cell] += min(weight, 1) * ((differs[cell] && !isLight ? 1 : 0) - unrest[cell])
    }
  }

  private func meanUnrest(of component: [Int]) -> Float {
    component.reduce(0) { $0 + unrest[$1] } / Float(max(component.count, 1))
  }

  /// Returns whether what travelled to a component stopped there: whether nothing travelled elsewhere since, on cells
  /// that are connected with it, and most of what travelled last did so there.
  /// - Parameter before: The cells that something had stopped in at the average before: who stands moves a hand.
  private func stopped(_ component: [Int], _ before: [Bool], _ paths: RecentPaths) -> Bool {
    let cells = component.filter { paths.path(of: $0) != nil }
    let stays =
      2 * component.count(where: { before[$0] }) >= component.count && !component.contains(where: grid.isBorder)
    guard !cells.isEmpty else { return stays }
    let region = Set(cells.compactMap(paths.path)).flatMap { paths.cells[$0] }
    let last = region.reduce(-Double.infinity) { max($0, lastVisit[$1]) }
    guard cells.contains(where: { lastVisit[$0] == last }) else { return false }
    func count(_ cells: [Int]) -> Int { cells.count { last - lastVisit[$0] < Self.arrivalTime } }
    return stays || Double(count(cells)) >= Self.arrivalShare * Double(count(region))
  }

  /// Returns differences in which those of present cells do not raise a floor.
  private func quiet(_ unexplained: [Float], _ floor: NoiseFloor) -> [Float] {
    (0..<grid.count).map { isPresent[$0] ? min(unexplained[$0], floor.values[$0]) : unexplained[$0] }
  }

  /// Takes the average into the background where nothing is, and at once where something was that does not live.
  private mutating func adapt(to average: Plane<Float>, before: [Bool], seconds: Double, elapsed: Float) {
    let (grid, side) = (grid, MotionParameters.cellSide)
    let share = min(elapsed / Float(Self.adaptionTime), 1)
    var weights = [Float](repeating: 0, count: grid.count)
    for cell in 0..<grid.count {
      if isPresent[cell] { continue }
      if before[cell], differs[cell] {
        weights[cell] = 1
      } else if seconds - lastVisit[cell] > Self.lifeTime {
        weights[cell] = share
      }
    }
    guard grid.rows > 0, grid.columns > 0 else { return }
    average.withView { source in
      background?.withMutableView { target in
        for y in 0..<source.height {
          let (from, to) = (source.row(y), target.row(y))
          let row = min(y / side, grid.rows - 1) * grid.columns
          for column in 0..<grid.columns where weights[row + column] > 0 {
            let (weight, left) = (weights[row + column], column * side)
            // The last cell has the pixels that are left over, too.
            for x in left..<(column == grid.columns - 1 ? source.width : left + side) {
              to[x] += weight * (from[x] - to[x])
            }
          }
        }
      }
    }
  }
}

/// The ways along which something travelled of late: sets of cells that are connected.
private struct RecentPaths {
  /// The cells of each path.
  private(set) var cells: [[Int]] = []
  private var numbers: [Int]

  /// - Parameter wasVisited: Boolean values that tell for each cell whether something travelled there.
  init(grid: CellGrid, through wasVisited: [Bool]) {
    numbers = Array(repeating: -1, count: grid.count)
    var open = wasVisited
    for cell in 0..<grid.count where open[cell] {
      let path = open.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, $1) }
      for cell in path { numbers[cell] = cells.count }
      cells.append(path)
    }
  }

  /// Returns the number of the path that a cell belongs to; nil: nothing was there.
  func path(of cell: Int) -> Int? { numbers[cell] < 0 ? nil : numbers[cell] }
}
