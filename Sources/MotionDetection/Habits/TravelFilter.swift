// What of all that travels is worth telling, where much moves without getting anywhere.

import Imaging

/// Leaves out of an observation what travels in places where things use to move, and what is too small to stand out of
/// all that moves without travelling: in rain, or in a swaying tree, single cells seem to travel by chance. Used by one
/// thread.
struct TravelFilter: Sendable {
  private let grid: CellGrid
  private(set) var habits: HabitualMotionMap
  private var appearance: AppearanceModel
  private var newcomers: NewcomerTracker
  private var screens: ScreenMap
  private var news: NewsMap
  private var colors: ColorTravelTracker
  private var light: SoftLightMap
  /// The share of the image that moves away from all that is worth telling, 0…1: a mean over about a second.
  private(set) var restlessShare = 0.0
  private var lastTime: Double?
  /// The highest restless share of late, 0…1.
  private var highestRestlessShare = 0.0
  private var isTravelling: [Bool]
  /// The share of about the last second in which something moved without travelling in each block of the image, 0…1.
  private var blockShares = [Double](repeating: 0, count: blocks * blocks)
  /// The cells through which something travelled while the scene was settling; each with whether the place has proven
  /// to be habitual since.
  private(set) var visited: [Int: Bool] = [:]
  /// Boolean values that tell for each cell whether something went far through it while the scene was settling.
  private var wentFar: [Bool]

  /// The number of blocks along each side of the image.
  private static let blocks = 6
  /// The share from which on a block is restless.
  private static let blockLimit = 0.2
  /// The time in which a scene is young, in seconds: a slow swing of a tree, to and fro.
  private static let settlingTime = 3.0
  /// The time over which the restless share is taken, in seconds.
  private static let span = 0.7
  /// The number of cells around what travels whose motion belongs to it.
  private static let reach = 3
  /// The multiple of the square root of the number of restless cells that a component must exceed to be told: clusters
  /// by chance grow so. Tuned on the tuning half of the drawn scenes.
  private static let chanceFactor = 0.25
  /// The multiple of the square root of the number of cells in lively places.
  private static let livelyFactor = 0.1
  /// The multiple in rain and snow, whose drops go one way.
  private static let weatherChanceFactor = 0.65
  /// The multiple for what looks new, and where the image was restless of late. Tuned on the same half.
  private static let restlessChanceFactor = 0.5
  /// The minimum way within a window of what gets on, as a share of the longest side: 48 pixels of 320. From 40 to 60
  /// little changes.
  private static let clearWay: Float = 0.15
  /// The multiple of the size by chance from which on a thing is clear without getting on. From 4 to 6 little changes.
  private static let clearFactor = 4.0
  /// The highest restless share from which on what travels must look new. Tuned on the same half: flags, water and
  /// screens reach 0.012 and more, people who stand and read up to 0.014.
  private static let restlessLimit = 0.011
  /// The time in which the highest restless share is forgotten, in seconds.
  private static let restlessMemory = 20.0
  /// The share of the cells of a thing from which on it is only on a screen.
  private static let screenShare = 0.7

  /// The images in which things are looked at, all of the grid's size.
  struct View {
    /// The frame.
    var image: Plane<Float>
    /// The median of the last frames.
    var steady: Plane<Float>
    /// The colour differences of the frame, a sample for each cell; nil: not known, or the camera moves.
    var colors: ChrominancePlanes?
    /// A Boolean value that tells whether it rains or snows.
    var isWeather = false
  }

  init(grid: CellGrid) {
    self.grid = grid
    news = NewsMap(grid: grid)
    colors = ColorTravelTracker(grid: grid)
    light = SoftLightMap(grid: grid)
    habits = HabitualMotionMap(grid: grid)
    appearance = AppearanceModel(grid: grid)
    newcomers = NewcomerTracker(grid: grid)
    screens = ScreenMap(grid: grid)
    wentFar = Array(repeating: false, count: grid.count)
    isTravelling = Array(repeating: false, count: grid.count)
  }

  /// A Boolean value that tells whether the scene is so young that what seems to travel may prove to sway.
  var isSettling: Bool { habits.age < Self.settlingTime }

  /// Forgets all, for another scene.
  mutating func reset() {
    habits.reset()
    appearance.reset()
    newcomers.reset()
    screens.reset()
    news.reset()
    colors.reset()
    light.reset()
    for cell in 0..<grid.count { wentFar[cell] = false }
    (restlessShare, highestRestlessShare, lastTime, visited) = (0, 0, nil, [:])
    for block in blockShares.indices { blockShares[block] = 0 }
  }

  /// Forgets how places use to look and move: the camera shows others.
  mutating func forgetPlaces() {
    habits.forgetPlaces()
    appearance.reset()
    newcomers.reset()
    screens.reset()
    news.reset()
    colors.reset()
    light.reset()
  }

  /// Returns an observation without what is not worth telling.
  /// - Parameters:
  ///   - observation: All that moves and travels in a frame.
  ///   - frame: What moves and changes from frame to frame alone.
  ///   - view: What the frame shows, and what it is compared with.
  ///   - excluded: The cells whose motion says nothing about the place.
  mutating func filtered(
    _ observation: MotionObservation, frame: MotionObservation, in view: View, excluding excluded: [Bool],
    seconds: Double
  ) -> MotionObservation {
    var kept = observation
    let candidates = observation.movingCells.filter(habits.isUnusual)
    kept.movingCells = grid.components(of: candidates).filter { component in
      isPlausible(
        component.map(\.cell), getsOn: component.contains(where: getsOn), in: view, seconds: seconds)
    }.flatMap { $0 }
    news.endFrame()
    kept.movingCells += strides(in: view.image, frame, besides: kept.movingCells, seconds: seconds)
    kept.movingCells += colored(view, besides: kept.movingCells, seconds: seconds)
    let told = kept.movingCells
    kept.movingCells = light.bodies(grid.components(of: told), in: view.image, seconds: seconds).flatMap { $0 }
    let lightCount = told.count - kept.movingCells.count
    kept.lightShare = min(1, kept.lightShare + Double(lightCount) / Double(max(grid.count, 1)))
    let abrupt = frame.changedMask.indices.filter {
      frame.changedMask[$0] && !frame.motionMask[$0] && habits.isLively($0)
    }
    screens.note(changed: frame.changedMask, moving: frame.motionMask, image: view.image, seconds: seconds)
    appearance.learn(view.steady, abrupt: abrupt, seconds: seconds)
    let wasSettling = isSettling
    habits.note(travelling: observation.movingCells, seconds: seconds)
    noteTravelling(told)
    let restless = frame.motionMask.indices.map { frame.motionMask[$0] && !isTravelling[$0] }
    habits.note(frame.changedMask, restless: restless, excluding: excluded, seconds: seconds)
    if wasSettling {
      for moving in kept.movingCells { visited[moving.cell] = false }
      for moving in kept.movingCells where habits.goesFar(moving) { wentFar[moving.cell] = true }
      for cell in visited.keys
      where habits.isHabitual[cell] || habits.isClearlyLively(cell) && !wentFar[cell] {
        visited[cell] = true
      }
    } else {
      visited = [:]
    }
    note(restless: frame.motionMask, seconds: seconds)
    return kept
  }

  /// Returns what gets on by strides that no flow follows, where frames are far apart.
  private mutating func strides(
    in image: Plane<Float>, _ frame: MotionObservation, besides known: [MotionObservation.MovingCell], seconds: Double
  ) -> [MotionObservation.MovingCell] {
    guard let lastTime, seconds - lastTime >= NewcomerTracker.minimumInterval, !appearance.isLearning else { return [] }
    let isNew = frame.changedMask.indices.map { frame.changedMask[$0] && appearance.looksNew([$0], in: image) }
    let cells = Set(known.map(\.cell))
    return newcomers.advance(isNew).filter { !cells.contains($0.cell) }
  }

  /// Returns what travels and is seen by its colour alone, where little else moves.
  private mutating func colored(
    _ view: View, besides known: [MotionObservation.MovingCell], seconds: Double
  ) -> [MotionObservation.MovingCell] {
    guard let colors = view.colors, !view.isWeather, highestRestlessShare < Self.restlessLimit else {
      self.colors.reset()
      return []
    }
    let cells = Set(known.map(\.cell))
    // What flaps reaches further now and then.
    let restless = restlessPlaces
    var excluded = restless
    for cell in restless.indices where restless[cell] {
      grid.forEachNeighbor(of: cell, distance: Self.reach) { excluded[$0] = true }
    }
    let moving = self.colors.advance(view.image, colors: colors, excluding: excluded, seconds: seconds)
    return isSettling ? [] : moving.filter { !cells.contains($0.cell) }
  }

  /// Returns whether something gets further than waves and flags do.
  private func getsOn(_ moving: MotionObservation.MovingCell) -> Bool {
    let way = SIMD2(moving.u, moving.v) * Float(moving.age)
    return (way * way).sum().squareRoot() >= Self.clearWay * Float(max(grid.size.width, grid.size.height))
  }

  /// Returns whether a thing may be one: not only on a screen, and larger than what comes together by chance.
  /// Where much moves, in the image or in its place, it must look new, follow close to what did, or be clear.
  /// - Parameter getsOn: A Boolean value that tells whether it gets further than waves and flags do.
  private mutating func isPlausible(_ cells: [Int], getsOn: Bool, in view: View, seconds: Double) -> Bool {
    // Before it is known how places look behind rain and snow, all may be drops.
    guard !(appearance.isLearning && view.isWeather), !isOnScreen(cells) else { return false }
    let interval = seconds - (lastTime ?? seconds)
    let isNew =
      appearance.looksNew(cells, in: view.steady) && news.noteLook(cells, seconds: seconds, interval: interval)
    let isRestless = !appearance.isLearning && (view.isWeather || highestRestlessShare >= Self.restlessLimit)
    let chance = chanceSize(isNew: isNew, isRestless: isRestless, isWeather: view.isWeather)
    guard Double(cells.count) > chance else { return false }
    if isNew, !appearance.isLearning { news.noteNews(cells, seconds: seconds) }
    let isClear = !view.isWeather && (getsOn || Double(cells.count) >= Self.clearFactor * chance)
    let isCalm = (!isRestless || isClear) && 2 * cells.count(where: habits.isLively) < cells.count
    return isNew || isCalm || news.isFollowing(cells, seconds: seconds)
  }

  /// Returns the number of cells that come together by chance where so much moves without travelling.
  private func chanceSize(isNew: Bool, isRestless: Bool, isWeather: Bool) -> Double {
    let factor =
      isWeather && !isNew ? Self.weatherChanceFactor : isRestless ? Self.restlessChanceFactor : Self.chanceFactor
    return max(
      factor * (restlessShare * Double(grid.count)).squareRoot(),
      Self.livelyFactor * Double(habits.livelyCount).squareRoot())
  }

  private func isOnScreen(_ cells: [Int]) -> Bool {
    Double(cells.count { screens.isScreen[$0] }) >= Self.screenShare * Double(cells.count)
  }

  /// The cells in which or near which things use to move, and those of screens.
  var restlessPlaces: [Bool] {
    habits.isHabitual.indices.map { habits.isHabitual[$0] || habits.isLively($0) || screens.isScreen[$0] }
  }

  /// Takes back what has seemed to travel since the scene began: it was the weather.
  mutating func disproveVisits() {
    for cell in visited.keys { visited[cell] = true }
  }

  private mutating func noteTravelling(_ kept: [MotionObservation.MovingCell]) {
    for cell in 0..<grid.count { isTravelling[cell] = false }
    for moving in kept { grid.forEachNeighbor(of: moving.cell, distance: Self.reach) { isTravelling[$0] = true } }
  }

  private mutating func note(restless: [Bool], seconds: Double) {
    let elapsed = max(seconds - (lastTime ?? seconds), 0)
    lastTime = seconds
    let weight = min(elapsed / Self.span, 1)
    var (count, blocks) = (0, [Bool](repeating: false, count: blockShares.count))
    for cell in 0..<grid.count where restless[cell] && !isTravelling[cell] {
      count += 1
      let (row, column) = (cell / grid.columns, cell % grid.columns)
      blocks[row * Self.blocks / grid.rows * Self.blocks + column * Self.blocks / grid.columns] = true
    }
    for block in blocks.indices { blockShares[block] += weight * ((blocks[block] ? 1 : 0) - blockShares[block]) }
    restlessShare += weight * (Double(count) / Double(max(grid.count, 1)) - restlessShare)
    highestRestlessShare = max(restlessShare, highestRestlessShare * max(0, 1 - elapsed / Self.restlessMemory))
  }

  /// The share of the image, 0…1, in all parts of which something moves now and then without travelling: rain and snow
  /// are everywhere, a tree is not.
  var restlessSpread: Double {
    Double(blockShares.count { $0 > Self.blockLimit }) / Double(blockShares.count)
  }
}
