// The choice of what is worth telling of all that travels, where much moves without getting anywhere.

import Imaging

/// Leaves out of an observation what travels in the dynamic background, and what is too small to stand out of the
/// clutter: in rain, or in a swaying tree, single cells seem to travel by chance. Used by one thread.
///
/// Clutter is what moves away from all that travels. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes).
struct TravelFilter: Sendable {
  private let grid: CellGrid
  private(set) var dynamicBackground: DynamicBackgroundMap
  private var appearance: AppearanceModel
  private var newcomers: NewcomerTracker
  private var screens: ScreenMap
  private var novelty: NoveltyMap
  private var noveltyInWeather: NoveltyTracker
  private var passages: PassageTracker
  private var colors: ColorTravelTracker
  private var bodies: BodyFilter
  private var early = EarlyTravel()
  /// The share of the image that moves away from all that is worth telling, 0…1: a mean over about a second.
  private(set) var clutterShare = 0.0
  /// The share of the image in which something is worth telling, 0…1: a mean over about a second.
  private(set) var travelShare = 0.0
  private var lastTime: Double?
  /// Boolean values that tell which cells changed in the last frame that was looked at.
  private var lastChanged: [Bool] = []
  /// The maximum ``clutterShare`` of late, 0…1.
  private var maximumClutterShare = 0.0
  /// The part of ``clutterShare`` that lies away from where motion is frequent, and its maximum of late.
  private var (strayShare, maximumStrayShare) = (0.0, 0.0)
  private var isTravelling: [Bool]
  /// The share of about the last second in which something moved without travelling in each block of the image, 0…1.
  private var blockShares = [Double](repeating: 0, count: blocks * blocks)
  /// The cells through which something travelled while the scene was settling; each with whether the cell has proven
  /// to be dynamic background since.
  private(set) var visited: [Int: Bool] = [:]
  /// The time at which something last travelled through each cell, in seconds.
  private var travelTimes: [Double]
  /// The ``CellGrid/meanComponentShare(of:)`` of the cells through which something travelled for the last
  /// ``settlingTime``; 1 where nothing did.
  private var travelComponentShare = 1.0
  /// Boolean values that tell for each cell whether something went far through it while the scene was settling.
  private var wentFar: [Bool]

  /// The number of blocks along each side of the image.
  private static let blocks = 6
  /// The share from which on a block is cluttered.
  private static let blockLimit = 0.2
  /// The time in which a scene is young, in seconds: a slow swing of a tree, to and fro.
  static let settlingTime = 3.0
  /// The time over which ``clutterShare`` is taken, in seconds.
  private static let clutterWindow = 0.7
  /// The number of cells around what travels whose motion belongs to it.
  private static let reachInCells = 3
  /// The multiple of the square root of the number of cluttered cells that a component must exceed to be told:
  /// clusters by chance grow so.
  private static let chanceFactor = 0.25
  /// The multiple of the square root of the number of cells near which motion is frequent.
  private static let frequentMotionFactor = 0.1
  /// The multiple in rain and snow, whose drops go one way.
  private static let weatherChanceFactor = 0.65
  /// The multiple of the square root of the number of cells that long averages alone see moving that what they alone
  /// see travelling must exceed. Of waves and flags, 0.9 stays below it; of creeping objects there are no others.
  private static let slowChanceFactor = 1.0
  /// The multiple where the image was cluttered of late.
  private static let clutterChanceFactor = 0.5
  /// The minimum way within a window of what gets on, as a share of the longest side: 48 pixels of 320. From 40 to 60
  /// little changes.
  private static let clearWay: Float = 0.15
  /// The multiple of the size by chance from which on a component is clear without getting on. From 4 to 6 little
  /// changes.
  private static let clearSizeFactor = 4.0
  /// The ``maximumClutterShare`` from which on what travels must look new: flags, water and screens reach 0.012 and
  /// more, people who stand and read up to 0.014.
  private static let clutterLimit = 0.011
  /// The number of cells from where motion is frequent within which what travels must look new: what flaps reaches
  /// further now and then.
  private static let clutterReach = 6
  /// The time in which ``maximumClutterShare`` is forgotten, in seconds.
  private static let clutterMemoryInSeconds = 20.0
  /// The ``CellGrid/meanComponentShare(of:)`` of the cells through which something travelled of late below which they
  /// are scattered. In light rain it is 0.07 to 0.15, of people before trees 0.28 and more.
  private static let scatteredShare = 0.2
  /// The share below which what travelled while the scene was settling was the weather, however thin it falls, where
  /// most of what moves does not travel. In snow it is 0.07 to 0.15, in a busy street 0.2 and more.
  private static let strewnShare = 0.16
  /// The share of the cells of a component from which on it is only on a screen.
  private static let screenShare = 0.7

  /// The images in which components are looked at, all of the grid's size.
  struct View {
    /// The frame.
    var image: Plane<Float>
    /// The median of the last frames.
    var steady: Plane<Float>
    /// The colour differences of the frame, a sample for each cell; nil: not known, or the camera moves.
    var colors: ChrominancePlanes?
    /// A Boolean value that tells whether it rains or snows.
    var isWeather = false
    /// The number of frames from the one before that was looked at to this one.
    var frameCount = 1
  }

  /// - Parameters:
  ///   - grid: The cells of the image.
  ///   - enlargement: The factor by which frames were enlarged, 1 or more.
  init(grid: CellGrid, enlargement: Float = 1) {
    self.grid = grid
    novelty = NoveltyMap(grid: grid)
    noveltyInWeather = NoveltyTracker(grid: grid)
    passages = PassageTracker(grid: grid)
    colors = ColorTravelTracker(grid: grid)
    bodies = BodyFilter(grid: grid, enlargement: enlargement)
    dynamicBackground = DynamicBackgroundMap(grid: grid)
    appearance = AppearanceModel(grid: grid)
    newcomers = NewcomerTracker(grid: grid)
    screens = ScreenMap(grid: grid)
    wentFar = Array(repeating: false, count: grid.count)
    isTravelling = Array(repeating: false, count: grid.count)
    travelTimes = Array(repeating: -.infinity, count: grid.count)
  }

  /// A Boolean value that tells whether the scene is so young that what seems to travel may prove to sway.
  var isSettling: Bool { dynamicBackground.age < Self.settlingTime }

  /// Forgets all, for another scene.
  mutating func reset() {
    dynamicBackground.reset()
    appearance.reset()
    newcomers.reset()
    screens.reset()
    novelty.reset()
    noveltyInWeather.reset()
    passages.reset()
    colors.reset()
    bodies.reset()
    early = EarlyTravel()
    forgetTravel()
    for cell in 0..<grid.count { wentFar[cell] = false }
    (clutterShare, travelShare, maximumClutterShare, lastTime, visited) = (0, 0, 0, nil, [:])
    (strayShare, maximumStrayShare) = (0, 0)
    for block in blockShares.indices { blockShares[block] = 0 }
  }

  /// Forgets how all cells use to look and move: the camera shows another view.
  mutating func resetView() {
    dynamicBackground.resetCells()
    appearance.reset()
    newcomers.reset()
    screens.reset()
    novelty.reset()
    noveltyInWeather.reset()
    passages.reset()
    colors.reset()
    bodies.reset()
    forgetTravel()
  }

  private mutating func forgetTravel() {
    for cell in travelTimes.indices { travelTimes[cell] = -.infinity }
    travelComponentShare = 1
  }

  /// Returns an observation without what is not worth telling.
  /// - Parameters:
  ///   - observation: All that moves and travels in a frame.
  ///   - frame: What moves and changes from frame to frame alone.
  ///   - view: What the frame shows, and what it is compared with.
  ///   - excluded: The cells whose motion says nothing about the background.
  mutating func filtered(
    _ observation: MotionObservation, frame: MotionObservation, in view: View, excluding excluded: [Bool],
    seconds: Double
  ) -> MotionObservation {
    var kept = observation
    let candidates = observation.movingCells.filter(dynamicBackground.isUnusual)
    let components = grid.components(of: candidates)
    let areNew = novelties(components.map { $0.map(\.cell) }, in: view, seconds: seconds)
    let havePassed = passing(components, in: view, seconds: seconds)
    let slowChance = Self.slowChanceFactor * Double(slowClutterCount(observation, frame)).squareRoot()
    kept.movingCells = components.indices.filter {
      isPlausible(
        components[$0], isNew: areNew[$0], hasPassed: havePassed[$0], slowChance: slowChance, in: view,
        seconds: seconds)
    }.flatMap { components[$0] }
    novelty.endFrame()
    kept.movingCells += strides(in: view, frame, besides: kept.movingCells, seconds: seconds)
    kept.movingCells += colored(view, besides: kept.movingCells, seconds: seconds)
    let told = kept.movingCells
    kept = bodies.filtered(
      kept,
      in: BodyFilter.View(
        image: view.image, colors: view.colors,
        isRestless: view.isWeather || maximumClutterShare >= Self.clutterLimit, seconds: seconds))
    let abrupt = frame.changedMask.indices.filter {
      frame.changedMask[$0] && !frame.motionMask[$0] && dynamicBackground.hasFrequentMotion(near: $0)
    }
    lastChanged = frame.changedMask
    screens.note(changed: frame.changedMask, image: view.image, seconds: seconds)
    appearance.learn(view.steady, abrupt: abrupt, seconds: seconds)
    noteTravel(kept.movingCells, seconds: seconds)
    let wasSettling = isSettling
    dynamicBackground.note(travelling: observation.movingCells, seconds: seconds)
    noteTravelling(told)
    let isClutter = frame.motionMask.indices.map { frame.motionMask[$0] && !isTravelling[$0] }
    dynamicBackground.note(frame.changedMask, clutter: isClutter, excluding: excluded, seconds: seconds)
    if wasSettling {
      for moving in kept.movingCells { visited[moving.cell] = false }
      for moving in kept.movingCells where dynamicBackground.goesFar(moving) { wentFar[moving.cell] = true }
      for cell in visited.keys {
        if screens.isScreen[cell] {
          visited[cell] = true
        } else if wentFar[cell] {
          // Who walks slowly is in a cell for longer than some branches, but neither before he comes nor after he left.
          guard dynamicBackground.isDynamic[cell] else { continue }
          visited[cell] = dynamicBackground.hasMovedThroughout(cell)
        } else if dynamicBackground.isDynamic[cell] || dynamicBackground.hasVeryFrequentMotion(near: cell) {
          visited[cell] = true
        }
      }
      early.note(
        kept.movingCells, motionCount: frame.motionMask.count { $0 }, seconds: seconds,
        elapsed: max(seconds - (lastTime ?? seconds), 0))
      let isThinWeather = travelComponentShare < Self.strewnShare && clutter.travelIsLittle
      let isWeather = !isSettling && (isThinWeather || clutter.mayBeWeather)
      let isChance =
        early.isChance(at: seconds) && (early.furthestWay < minimumClearWay || travelIsScattered)
      if isWeather || isChance { disproveVisits() }
    } else {
      visited = [:]
    }
    note(clutter: frame.motionMask, travelling: kept.movingCells.count, seconds: seconds)
    return kept
  }

  /// Takes a frame that was not looked at: what a screen shows next, it shows for a moment.
  mutating func noteLeftOut(_ image: Plane<Float>, seconds: Double) {
    guard lastChanged.count == grid.count else { return }
    screens.note(changed: lastChanged, image: image, seconds: seconds)
  }

  /// Returns what gets on by strides that no flow follows, where frames are far apart.
  private mutating func strides(
    in view: View, _ frame: MotionObservation, besides known: [MotionObservation.MovingCell], seconds: Double
  ) -> [MotionObservation.MovingCell] {
    guard let lastTime, seconds - lastTime >= NewcomerTracker.minimumInterval, !appearance.isLearning else { return [] }
    let isNew = frame.changedMask.indices.map { frame.changedMask[$0] && appearance.looksNew([$0], in: view.image) }
    let cells = Set(known.map(\.cell))
    return newcomers.advance(
      isNew, where: dynamicCells, chanceSize: chanceSize(isCluttered: true, isWeather: view.isWeather),
      isWeather: view.isWeather, seconds: seconds
    ).filter { !cells.contains($0.cell) }
  }

  /// Returns what travels and is seen by its colour alone, where little else moves.
  private mutating func colored(
    _ view: View, besides known: [MotionObservation.MovingCell], seconds: Double
  ) -> [MotionObservation.MovingCell] {
    guard let colors = view.colors, !view.isWeather, maximumClutterShare < Self.clutterLimit else {
      self.colors.reset()
      return []
    }
    let cells = Set(known.map(\.cell))
    // What flaps reaches further now and then.
    let dynamic = dynamicCells
    var excluded = dynamic
    for cell in dynamic.indices where dynamic[cell] {
      grid.forEachNeighbor(of: cell, distance: Self.reachInCells) { excluded[$0] = true }
    }
    let moving = self.colors.advance(view.image, colors: colors, excluding: excluded, seconds: seconds)
    return isSettling ? [] : moving.filter { !cells.contains($0.cell) }
  }

  /// The minimum way within a window of what gets further than waves and flags do, in pixels.
  private var minimumClearWay: Float { Self.clearWay * Float(max(grid.size.width, grid.size.height)) }

  /// Returns whether something gets further than waves and flags do.
  private func getsOn(_ moving: MotionObservation.MovingCell) -> Bool {
    moving.wayLength >= minimumClearWay
  }

  /// Returns Boolean values that tell which components look new for more than a moment.
  private mutating func novelties(_ components: [[Int]], in view: View, seconds: Double) -> [Bool] {
    let interval = seconds - (lastTime ?? seconds)
    let looksNew = components.map { cells in
      if isOnScreen(cells) { return false }
      if appearance.looksNew(cells, in: view.steady) { return true }
      return liesCalm(cells) && !view.isWeather && appearance.looksNew(cells, in: view.image)
    }
    guard view.isWeather else {
      noveltyInWeather.reset()
      return zip(components, looksNew).map { cells, looksNew in
        looksNew && novelty.noteCandidates(cells, seconds: seconds, interval: interval)
      }
    }
    let new = components.indices.filter { looksNew[$0] && !appearance.isLearning }
    let isProven = noveltyInWeather.advance(new.map { components[$0] }, seconds: seconds, interval: interval)
    var areNew = [Bool](repeating: false, count: components.count)
    for (index, isProven) in zip(new, isProven) { areNew[index] = isProven }
    return areNew
  }

  /// Returns Boolean values that tell which components have come far where much else moves.
  private mutating func passing(
    _ components: [[MotionObservation.MovingCell]], in view: View, seconds: Double
  ) -> [Bool] {
    var havePassed = [Bool](repeating: false, count: components.count)
    guard !appearance.isLearning else {
      passages.reset()
      return havePassed
    }
    let minimumCount = Self.clearSizeFactor * chanceSize(isCluttered: true, isWeather: false)
    let large = components.indices.filter { index in
      let isLarge = Double(components[index].count) >= minimumCount && components[index].contains(where: getsOn)
      return (isLarge || view.isWeather) && !isOnScreen(components[index].map(\.cell))
    }
    let passed = passages.advance(
      large.map { components[$0].map(\.cell) }, allCells: components.reduce(0) { $0 + $1.count },
      isWeather: view.isWeather, seconds: seconds)
    for (index, hasPassed) in zip(large, passed) { havePassed[index] = hasPassed }
    return havePassed
  }

  /// Returns whether a component may be an object: not only on a screen, and larger than what comes together by chance.
  ///
  /// It must look new or have come far, follow close to what did, or be clear where much moves, in the image or near
  /// it: get further than waves and flags do, or be large. What is seen in long averages alone is not clear by its
  /// size: waves leave large slow patterns there.
  private mutating func isPlausible(
    _ component: [MotionObservation.MovingCell], isNew: Bool, hasPassed: Bool, slowChance: Double, in view: View,
    seconds: Double
  ) -> Bool {
    let cells = component.map(\.cell)
    // Before it is known how the scene looks behind rain and snow, all may be drops.
    guard !(appearance.isLearning && view.isWeather), !isOnScreen(cells) else { return false }
    let isCluttered =
      !appearance.isLearning && (view.isWeather || maximumClutterShare >= Self.clutterLimit && isNearClutter(cells))
    let chance = chanceSize(isCluttered: isCluttered, isWeather: view.isWeather)
    // In rain and snow both have been followed for longer than chance lasts.
    let isProven = isNew || hasPassed
    let limit = !view.isWeather ? chance : isNew ? 0 : hasPassed ? chance / 2 : chance
    guard Double(cells.count) > limit else { return false }
    if isProven, !appearance.isLearning { novelty.noteNovelty(cells, seconds: seconds) }
    let slowCount = component.count { $0.lag * view.frameCount >= TemporalAverageAnalyzer.slowFrames }
    let isSlow = 2 * slowCount > component.count
    guard isProven || !isSlow || Double(cells.count) > slowChance else { return false }
    let isLarge = !isSlow && Double(cells.count) >= Self.clearSizeFactor * chance
    let isClear = !view.isWeather && (isLarge || component.contains(where: getsOn))
    return isProven || (!isCluttered || isClear) && liesCalm(cells) || novelty.isFollowing(cells, seconds: seconds)
  }

  /// Returns whether most of some cells lie where motion is not frequent.
  private func liesCalm(_ cells: [Int]) -> Bool {
    2 * cells.count(where: dynamicBackground.hasFrequentMotion) < cells.count
  }

  /// Returns whether some cells lie near motion that is frequent, or whether what moves now and then does so anywhere.
  private func isNearClutter(_ cells: [Int]) -> Bool {
    guard maximumStrayShare < Self.clutterLimit else { return true }
    var isNear = false
    for cell in cells where !isNear {
      grid.forEachNeighbor(of: cell, distance: Self.clutterReach) {
        isNear = isNear || dynamicBackground.hasFrequentMotion(near: $0)
      }
    }
    return isNear
  }

  /// Returns the number of cells that long averages alone see moving or changing, away from all that travels: waves and
  /// flags go on slowly between their swings.
  private func slowClutterCount(_ observation: MotionObservation, _ frame: MotionObservation) -> Int {
    let travelling = observation.movingCells
    guard travelling.contains(where: { $0.lag > 0 }) else { return 0 }
    var isNear = [Bool](repeating: false, count: grid.count)
    for moving in travelling {
      grid.forEachNeighbor(of: moving.cell, distance: Self.reachInCells) { isNear[$0] = true }
    }
    return isNear.indices.count { cell in
      let isSeen = observation.changedMask[cell] || observation.motionMask[cell]
      return isSeen && !isNear[cell] && !frame.changedMask[cell] && !frame.motionMask[cell]
    }
  }

  /// Returns the number of cells that come together by chance where so much moves without travelling.
  private func chanceSize(isCluttered: Bool, isWeather: Bool) -> Double {
    let factor =
      isWeather ? Self.weatherChanceFactor : isCluttered ? Self.clutterChanceFactor : Self.chanceFactor
    return max(
      factor * (clutterShare * Double(grid.count)).squareRoot(),
      Self.frequentMotionFactor * Double(dynamicBackground.frequentMotionCount).squareRoot())
  }

  private func isOnScreen(_ cells: [Int]) -> Bool {
    Double(cells.count { screens.isScreen[$0] }) >= Self.screenShare * Double(cells.count)
  }

  /// Boolean values that tell for each cell whether it belongs to the dynamic background, lies where motion is
  /// frequent, or is part of a screen.
  var dynamicCells: [Bool] {
    dynamicBackground.isDynamic.indices.map {
      dynamicBackground.isDynamic[$0] || dynamicBackground.hasFrequentMotion(near: $0) || screens.isScreen[$0]
    }
  }

  /// Takes back what has seemed to travel since the scene began: it was the weather.
  mutating func disproveVisits() {
    for cell in visited.keys { visited[cell] = true }
  }

  /// A Boolean value that tells whether what travelled of late lies here and there, as drops do, and not along a few
  /// ways.
  private var travelIsScattered: Bool { travelComponentShare < Self.scatteredShare }

  /// The motion of late, with and without travel. While a scene is settling, nothing is scattered: a few drops that
  /// seem to travel tell nothing yet.
  var clutter: WeatherAnalyzer.Clutter {
    let spread = Double(blockShares.count { $0 > Self.blockLimit }) / Double(blockShares.count)
    return WeatherAnalyzer.Clutter(
      share: clutterShare, spread: spread, travelShare: travelShare,
      travelIsScattered: travelIsScattered && !isSettling)
  }

  /// Notes where something worth telling travels.
  private mutating func noteTravel(_ kept: [MotionObservation.MovingCell], seconds: Double) {
    for moving in kept { travelTimes[moving.cell] = seconds }
    let recent = travelTimes.indices.filter { seconds - travelTimes[$0] <= Self.settlingTime }
    travelComponentShare = recent.isEmpty ? 1 : grid.meanComponentShare(of: recent)
  }

  private mutating func noteTravelling(_ kept: [MotionObservation.MovingCell]) {
    for cell in 0..<grid.count { isTravelling[cell] = false }
    for moving in kept {
      grid.forEachNeighbor(of: moving.cell, distance: Self.reachInCells) { isTravelling[$0] = true }
    }
  }

  private mutating func note(clutter: [Bool], travelling: Int, seconds: Double) {
    let elapsed = max(seconds - (lastTime ?? seconds), 0)
    lastTime = seconds
    let weight = min(elapsed / Self.clutterWindow, 1)
    var (count, strayCount, blocks) = (0, 0, [Bool](repeating: false, count: blockShares.count))
    for cell in 0..<grid.count where clutter[cell] && !isTravelling[cell] {
      count += 1
      if !dynamicBackground.hasFrequentMotion(near: cell) { strayCount += 1 }
      let (row, column) = (cell / grid.columns, cell % grid.columns)
      blocks[row * Self.blocks / grid.rows * Self.blocks + column * Self.blocks / grid.columns] = true
    }
    for block in blocks.indices { blockShares[block] += weight * ((blocks[block] ? 1 : 0) - blockShares[block]) }
    travelShare += weight * (Double(travelling) / Double(max(grid.count, 1)) - travelShare)
    clutterShare += weight * (Double(count) / Double(max(grid.count, 1)) - clutterShare)
    strayShare += weight * (Double(strayCount) / Double(max(grid.count, 1)) - strayShare)
    let kept = max(0, 1 - elapsed / Self.clutterMemoryInSeconds)
    maximumClutterShare = max(clutterShare, maximumClutterShare * kept)
    // Before it is known where motion is frequent, all strays.
    maximumStrayShare = isSettling ? strayShare : max(strayShare, maximumStrayShare * kept)
  }
}
