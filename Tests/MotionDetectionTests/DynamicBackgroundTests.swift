import Imaging
import Testing

@testable import MotionDetection

/// Tests of the dynamic background, chance, medians and presence, each by itself.
@Suite struct DynamicBackgroundTests {
  private static let grid = CellGrid(size: PixelSize(width: 320, height: 180))

  private func mask(_ cells: [Int]) -> [Bool] {
    var mask = [Bool](repeating: false, count: Self.grid.count)
    for cell in cells { mask[cell] = true }
    return mask
  }

  private func cell(_ column: Int, _ row: Int) -> Int { row * Self.grid.columns + column }

  private func moving(_ cell: Int, u: Float, age: Int) -> MotionObservation.MovingCell {
    MotionObservation.MovingCell(cell: cell, u: u, v: 0, age: age)
  }

  @Test func aCellWhereSomethingMovesMostOfTheTimeIsDynamic() {
    var map = DynamicBackgroundMap(grid: Self.grid)
    let (flag, walked) = (cell(10, 10), cell(40, 20))
    let nobody = mask([])
    for frame in 0..<100 {
      // Somebody is at a cell for a second.
      map.note(
        mask([flag] + ((30..<55).contains(frame) ? [walked] : [])), clutter: nobody, excluding: nobody,
        seconds: Double(frame) / 25)
      if frame == 20 { #expect(!map.isDynamic[flag], "nothing is known in the first second") }
    }
    #expect(map.isDynamic[flag] && map.isDynamic[cell(11, 9)] && !map.isDynamic[walked])
    // It is forgotten when nothing moves there any more.
    for frame in 100..<2000 { map.note(nobody, clutter: nobody, excluding: nobody, seconds: Double(frame) / 25) }
    #expect(!map.isDynamic[flag])
  }

  /// Where the camera shows another view, that is what something moves throughout.
  @Test(arguments: [false, true]) func whatMovesThroughoutDoesSoSinceTheViewBegan(isReset: Bool) {
    var map = DynamicBackgroundMap(grid: Self.grid)
    let (flag, late, gone) = (cell(10, 10), cell(40, 20), cell(60, 30))
    let nobody = mask([])
    for frame in 0..<75 {
      if isReset, frame == 25 { map.resetCells() }
      let moving = (frame >= 25 ? [flag] : []) + (frame >= 40 ? [late] : []) + (frame < 60 ? [gone] : [])
      map.note(mask(moving), clutter: nobody, excluding: nobody, seconds: Double(frame) / 25)
    }
    #expect(map.hasMovedThroughout(flag) == isReset)
    #expect(!map.hasMovedThroughout(late) && !map.hasMovedThroughout(gone))
  }

  @Test func gesturesOfWhoIsPresentAreNoBackground() {
    var map = DynamicBackgroundMap(grid: Self.grid)
    let (still, nobody) = (cell(10, 10), mask([]))
    for frame in 0..<100 {
      map.note(mask([still]), clutter: nobody, excluding: mask([still]), seconds: Double(frame) / 25)
    }
    #expect(!map.isDynamic[still])
  }

  @Test func inDynamicBackgroundOnlyWhatGoesFarAndElsewhereCounts() {
    var map = DynamicBackgroundMap(grid: Self.grid)
    let still = cell(10, 10)
    let nobody = mask([])
    for frame in 0..<100 {
      let seconds = Double(frame) / 25
      map.note(travelling: [moving(still, u: 2, age: 20)], seconds: seconds)
      map.note(mask([still]), clutter: nobody, excluding: nobody, seconds: seconds)
    }
    #expect(!map.isUnusual(moving(still, u: 2, age: 20)), "the usual way")
    #expect(!map.isUnusual(moving(still, u: -2, age: 5)), "no further than a swing")
    #expect(map.isUnusual(moving(still, u: -2, age: 20)))
    #expect(map.isUnusual(moving(cell(40, 20), u: 2, age: 2)), "elsewhere all counts")
  }

  @Test func theMinimumSizeGrowsWithTheClutter() {
    let small = [cell(40, 20), cell(41, 20), cell(40, 21)].map { moving($0, u: 1, age: 10) }
    func kept(clutter: Int) -> Int {
      var filter = TravelFilter(grid: Self.grid)
      let image = Plane<Float>(size: Self.grid.size, repeating: 100)
      var count = 0
      for frame in 0..<100 {
        var observation = MotionObservation(grid: Self.grid)
        // Other cells each time, so that none becomes dynamic background.
        for index in 0..<clutter { observation.motionMask[(index * 7 + frame * 501) % Self.grid.count] = true }
        observation.changedMask = mask([])
        observation.movingCells = small
        count =
          filter.filtered(
            observation, frame: observation, in: TravelFilter.View(image: image, steady: image),
            excluding: mask([]), seconds: Double(frame) / 25
          ).movingCells.count
      }
      return count
    }
    #expect(kept(clutter: 0) == 3)
    #expect(kept(clutter: 500) == 0)
  }

  @Test func inClutterOnlyWhatLooksNewIsTold() {
    let cells = (0..<4).flatMap { row in (0..<3).map { cell(40 + $0, 20 + row) } }
    // Grey levels that the cells show in turn while nobody is there, and then.
    func kept(values: [Float], then value: Float, clutter: Int) -> Int {
      var filter = TravelFilter(grid: Self.grid)
      var count = 0
      for frame in 0..<100 {
        var observation = MotionObservation(grid: Self.grid)
        for index in 0..<clutter { observation.motionMask[(index * 7 + frame * 501) % Self.grid.count] = true }
        observation.changedMask = mask([])
        if frame >= 90 { observation.movingCells = cells.map { moving($0, u: 2, age: 10) } }
        let shown = frame >= 90 ? value : values[frame / 5 % values.count]
        // Only these cells change: an image that changes as a whole has no edges, as light has none.
        let image = Plane<Float>(width: Self.grid.size.width, height: Self.grid.size.height) { x, y in
          (160..<172).contains(x) && (80..<96).contains(y) ? shown : 100
        }
        count =
          filter.filtered(
            observation, frame: observation, in: TravelFilter.View(image: image, steady: image),
            excluding: mask([]), seconds: Double(frame) / 25
          ).movingCells.count
      }
      return count
    }
    #expect(kept(values: [100, 140], then: 120, clutter: 100) == 0, "the cells use to look so")
    #expect(kept(values: [100, 140], then: 220, clutter: 100) == 12)
    #expect(kept(values: [100, 140], then: 120, clutter: 0) == 12, "in a calm image all counts")
  }

  /// Returns how many of the cells of a thing are kept that appears last of all, beside a flag or far from it.
  /// - Parameters:
  ///   - column: The leftmost of its three columns; the flag has 4 to 15.
  ///   - clutter: Returns the cells that move in a frame without getting on.
  ///   - level: The grey level of the thing in the frames; the median and all else show 100.
  private func kept(at column: Int, level: Float, clutter: (Int) -> [Int]) -> Int {
    var filter = TravelFilter(grid: Self.grid)
    let steady = Plane<Float>(size: Self.grid.size, repeating: 100)
    var count = 0
    for number in 0..<150 {
      var frame = MotionObservation(grid: Self.grid)
      for cell in clutter(number) { frame.motionMask[cell] = true }
      var (observation, image) = (frame, steady)
      if number > 140 {
        observation.movingCells = rectangle(column, 6, 3, 4).map { moving($0, u: 0.5, age: 5) }
        image = Plane(width: steady.width, height: steady.height) { x, y in
          (column * 4..<column * 4 + 12).contains(x) && (24..<40).contains(y) ? level : 100
        }
      }
      count =
        filter.filtered(
          observation, frame: frame, in: TravelFilter.View(image: image, steady: steady), excluding: mask([]),
          seconds: Double(number) / 25
        ).movingCells.count
    }
    return count
  }

  /// Who walks fast is not in the median of the frames. Where motion is not frequent, the frame alone tells.
  @Test(arguments: [(60, true), (8, false)]) func whatTheFrameAloneShowsIsNewInACalmPlace(column: Int, isKept: Bool) {
    // Things move here and there, too.
    let count = kept(at: column, level: 30) { number in
      rectangle(4, 4, 12, 6) + (0..<60).map { ($0 * 7 + number * 501) % Self.grid.count }
    }
    #expect(count == (isKept ? 12 : 0))
  }

  /// Waves leave large patterns in averages of eight frames.
  @Test(arguments: [0, 2, 8]) func inClutterSizeCountsUnlessItIsSeenInLongAveragesAlone(lag: Int) {
    var filter = TravelFilter(grid: Self.grid)
    let image = Plane<Float>(size: Self.grid.size, repeating: 100)
    var count = 0
    for frame in 0..<100 {
      var observation = MotionObservation(grid: Self.grid)
      // Beside what travels.
      for index in 0..<100 {
        let step = index * 7 + frame * 501
        observation.motionMask[cell(step % 20, step / 20 % Self.grid.rows)] = true
      }
      observation.changedMask = mask([])
      if frame >= 90 {
        observation.movingCells = rectangle(24, 20, 8, 6).map {
          MotionObservation.MovingCell(cell: $0, u: 2, v: 0, age: 10, lag: lag)
        }
      }
      count =
        filter.filtered(
          observation, frame: observation, in: TravelFilter.View(image: image, steady: image), excluding: mask([]),
          seconds: Double(frame) / 25
        ).movingCells.count
    }
    #expect(count == (lag < 8 ? 48 : 0))
  }

  /// Rain moves everywhere and gets nowhere; people who fill the image get on.
  @Test(arguments: [(0.01, true), (0.028, true), (0.032, false), (0.2, false)])
  func aCrowdIsNoWeather(travelShare: Double, isWeather: Bool) throws {
    let weather = WeatherAnalyzer(size: Self.grid.size)
    for number in 0..<3 {
      let frame = AnalyzedFrame(
        number: number, time: MediaTime(value: Int64(number), timeBase: Rational(1, 25)),
        image: Plane(size: Self.grid.size, repeating: 100))
      _ = weather.complete(
        MotionObservation(grid: Self.grid), AnalyzedPair(frame: frame, state: .normal),
        clutter: WeatherAnalyzer.Clutter(share: 0.1, spread: 0.9, travelShare: travelShare, travelIsScattered: false))
    }
    #expect(weather.isOn == isWeather)
  }

  /// Rain and snow that show before a dark part of the image alone are known by what travels here and there; where
  /// nothing does, nobody asks for medians.
  @Test(arguments: [(0.5, 0.006, false), (0.6, 0.006, true), (0.6, 0.001, false)])
  func scatteredTravelIsWeather(spread: Double, travelShare: Double, isWeather: Bool) {
    let scattered = WeatherAnalyzer.Clutter(
      share: 0.1, spread: spread, travelShare: travelShare, travelIsScattered: true)
    #expect(scattered.isWeather == isWeather)
    #expect(scattered.mayBeWeather == (spread > 0.55))
    var along = scattered
    along.travelIsScattered = false
    #expect(!along.isWeather && !along.mayBeWeather)
  }

  /// Six things that travel far from each other are scattered, one that crosses the image is not; either is told after
  /// the first seconds alone.
  @Test(arguments: [6, 1])
  func travelIsScatteredWhereItHasManyPlaces(places: Int) {
    var filter = TravelFilter(grid: Self.grid)
    let image = Plane<Float>(size: Self.grid.size, repeating: 100)
    for frame in 0..<125 {
      var observation = MotionObservation(grid: Self.grid)
      for place in 0..<places {
        let (column, row) = (5 + 12 * place + frame / 13, 8 + 5 * place)
        observation.movingCells += rectangle(column, row, 3, 3).map { moving($0, u: 0.3, age: 25) }
      }
      for moving in observation.movingCells { observation.motionMask[moving.cell] = true }
      _ = filter.filtered(
        observation, frame: observation, in: TravelFilter.View(image: image, steady: image), excluding: mask([]),
        seconds: Double(frame) / 25)
      if filter.isSettling { #expect(!filter.clutter.travelIsScattered) }
    }
    #expect(filter.clutter.travelIsScattered == (places > 5))
  }

  /// Returns the share of the cells through which something travelled that have proven to be dynamic background when
  /// the scene has settled.
  /// - Parameters:
  ///   - travelling: Returns the cells that travel in a frame.
  ///   - clutter: Returns those that move in it without getting on.
  private func provenShare(travelling: (Int) -> [Int], clutter: (Int) -> [Int] = { _ in [] }) -> Double {
    var filter = TravelFilter(grid: Self.grid)
    let image = Plane<Float>(size: Self.grid.size, repeating: 100)
    var frame = 0
    repeat {
      var observation = MotionObservation(grid: Self.grid)
      observation.movingCells = travelling(frame).map { moving($0, u: 1, age: 25) }
      for cell in travelling(frame) + clutter(frame) {
        (observation.motionMask[cell], observation.changedMask[cell]) = (true, true)
      }
      _ = filter.filtered(
        observation, frame: observation, in: TravelFilter.View(image: image, steady: image), excluding: mask([]),
        seconds: Double(frame) / 25)
      frame += 1
    } while filter.isSettling
    return Double(filter.visited.values.count { $0 }) / Double(max(filter.visited.count, 1))
  }

  /// Who walks so slowly that each place sees somebody for two seconds has not swayed, whenever that is; what moves
  /// from the first frame on has, however far it seems to go.
  @Test func whoWalksSlowlyAtFirstDoesNotSway() {
    for first in [0, 10, 20] {
      let share = provenShare { frame in
        frame < first ? [] : rectangle(10 + (frame - first) / 4, 15, 12, 12)
      }
      #expect(share < 0.4, "from frame \(first) on: \(share)")
    }
    #expect(provenShare { _ in rectangle(10, 15, 12, 12) } > 0.9)
    // With a rest of a third of a second now and then.
    #expect(provenShare { $0 % 25 < 8 ? [] : rectangle(10, 15, 12, 12) } > 0.9)
  }

  /// Flakes that travel here and there for a moment, though little else moves, are thin snow; the same along one way,
  /// or where nothing else moves, are not.
  @Test func whatTravelsHereAndThereAtFirstIsThinSnow() {
    func flake(_ frame: Int) -> [Int] { rectangle(frame / 6 * 23 % 75, frame / 6 * 17 % 40, 2, 2) }
    let others = { frame in (0..<30).map { ($0 * 119 + frame * 501) % Self.grid.count } }
    #expect(provenShare(travelling: flake, clutter: others) == 1)
    #expect(provenShare(travelling: flake) < 0.5)
    #expect(provenShare(travelling: { rectangle(10 + $0 / 2, 20, 2, 2) }, clutter: others) < 0.5)
  }

  /// Flags and waves go on so slowly between their swings that long averages alone see it, here and there. Of what
  /// these alone see travelling, a few cells count in a calm image, and many there. What frames see counts as before.
  @Test(arguments: [(0, 8, true), (30, 8, false), (30, 0, true)])
  func amongSlowMotionOnlyLargeThingsCreep(clutter: Int, lag: Int, isKept: Bool) {
    func kept(_ creeping: [Int]) -> Int {
      var filter = TravelFilter(grid: Self.grid)
      let image = Plane<Float>(size: Self.grid.size, repeating: 100)
      var count = 0
      for frame in 0..<100 {
        let still = MotionObservation(grid: Self.grid)
        var observation = still
        for index in 0..<clutter { observation.motionMask[cell(index % 15, index / 15 * 4)] = true }
        observation.movingCells = creeping.map {
          MotionObservation.MovingCell(cell: $0, u: 0.1, v: 0, age: 80, lag: lag)
        }
        count =
          filter.filtered(
            observation, frame: still, in: TravelFilter.View(image: image, steady: image), excluding: mask([]),
            seconds: Double(frame) / 25
          ).movingCells.count
      }
      return count
    }
    #expect(kept(rectangle(60, 20, 2, 2)) == (isKept ? 4 : 0))
    #expect(kept(rectangle(60, 20, 3, 3)) == 9)
  }

  /// Where a flag flaps all the time in one place, what travels near it must look new, and what travels far from it
  /// need not; where things move here and there, all must.
  @Test(arguments: [(60, false, true), (22, false, false), (60, true, false)])
  func farFromFrequentMotionNothingMustLookNew(column: Int, strays: Bool, isKept: Bool) {
    let flag = rectangle(4, 4, 12, 6)
    let count = kept(at: column, level: 100) { number in
      strays ? flag.map { ($0 + number * 211) % Self.grid.count } : flag
    }
    #expect(count == (isKept ? 12 : 0))
  }

  /// The cells of a rectangle.
  private func rectangle(_ left: Int, _ top: Int, _ columns: Int, _ rows: Int) -> [Int] {
    (top..<top + rows).flatMap { row in (left..<left + columns).map { cell($0, row) } }
  }

  /// Returns how many cells are screens after frames in which some cells show one scene after the other.
  /// - Parameter scenes: The level of a pixel in each scene: they take turns.
  private func screens(
    _ cells: [Int], cuts: Set<Int>, interval: Double = 0.04, until last: Int = 200,
    scenes: [(Int, Int) -> Float] = [{ Float(($0 * 7 + $1 * 13) % 17) * 9 }, { Float(($0 * 5 + $1 * 3) % 13) * 12 }]
  ) -> Int {
    var map = ScreenMap(grid: Self.grid)
    let shows = mask(cells)
    let side = MotionParameters.cellSide
    let images = scenes.map { scene in
      Plane<Float>(width: Self.grid.size.width, height: Self.grid.size.height) { x, y in
        let (column, row) = (min(x / side, Self.grid.columns - 1), min(y / side, Self.grid.rows - 1))
        return shows[row * Self.grid.columns + column] ? scene(x, y) : 100
      }
    }
    var scene = 0
    for frame in 0..<last {
      if cuts.contains(frame) { scene = (scene + 1) % images.count }
      map.note(
        changed: mask(cuts.contains(frame) ? cells : []), image: images[scene], seconds: Double(frame) * interval)
    }
    return map.isScreen.count { $0 }
  }

  @Test func anAreaThatShowsAnotherSceneFromOneFrameToTheNextIsAScreen() {
    let (screen, small) = (rectangle(20, 10, 12, 9), rectangle(20, 10, 6, 9))
    #expect(screens(screen, cuts: [50]) == 14 * 11, "one large cut is enough; its border belongs to it")
    #expect(screens(small, cuts: [50]) == 0 && screens(small, cuts: [50, 120]) == 8 * 11, "of small ones it takes two")
    #expect(screens(screen, cuts: [50, 51, 52, 53]) == 0, "what changes for long is something that passes")
    #expect(screens(screen, cuts: [50], interval: 0.5) == 0, "people change an image as much in half a second")
    #expect(screens(screen, cuts: [50], until: 500) == 0, "one cut is forgotten after 15 seconds")
    for (last, count) in [(1600, 14 * 11), (1700, 0)] {
      #expect(screens(screen, cuts: [50, 120], until: last) == count, "two are forgotten after a minute")
    }
    let diagonal = (0..<30).flatMap { step in (0..<3).map { cell(20 + step + $0, 5 + step) } }
    #expect(screens(diagonal, cuts: [50, 120]) == 0, "screens are rectangles")
    let both = rectangle(5, 10, 12, 9) + rectangle(40, 10, 12, 9)
    #expect(screens(both, cuts: [50, 120]) == 0, "two areas that change at once are no screen each")
  }

  /// What a screen shows is dim in parts: the limit counts that finds the whole rectangle.
  @Test func aDimScreenIsFoundWhole() {
    let screen = rectangle(20, 10, 12, 9)
    func scene(_ strength: Float) -> [(Int, Int) -> Float] {
      // The outer cells are dimmer than the inner ones.
      let level = { (x: Int, y: Int) in
        (x < 96 || x >= 116 || y < 52 || y >= 68 ? 0.4 : 1) * strength * Float((x * 7 + y * 13) % 17)
      }
      return [{ 80 + level($0, $1) }, { 80 - level($0, $1) }]
    }
    for strength in [8, 4, 1.6] as [Float] { #expect(screens(screen, cuts: [50], scenes: scene(strength)) == 14 * 11) }
    #expect(screens(screen, cuts: [50], scenes: scene(0.2)) == 0)
  }

  @Test func lightAndSmallChangesAreNoCut() {
    let screen = rectangle(20, 10, 12, 9)
    let wall = { (x: Int, y: Int) in Float((x * 7 + y * 13) % 17) * 9 }
    #expect(screens(screen, cuts: [50, 120], scenes: [wall, { 1.3 * wall($0, $1) + 20 }]) == 0, "a lamp")
    #expect(screens(screen, cuts: [50, 120], scenes: [{ 80 + wall($0, $1) / 40 }, { 84 - wall($0, $1) / 40 }]) == 0)
    #expect(screens(screen, cuts: [50, 120], scenes: [{ _, _ in 80 }, { _, _ in 160 }]) == 0, "a blank wall in light")
  }

  @Test(arguments: [25.0, 10.0]) func theMedianLeavesOutWhatIsThereForAFrame(rate: Double) throws {
    let size = PixelSize(width: 37, height: 5)
    var median = TemporalMedian(size: size)
    for frame in 0..<5 {
      let early = median.median() != nil
      #expect(!early)
      // A drop falls through the image; somebody stands in the left half from the third frame on.
      median.append(
        Plane(width: size.width, height: size.height) { x, y in
          y == frame ? 200 : x < 18 && frame >= 2 ? 90 : Float(10 + x)
        }, seconds: Double(frame) / rate)
    }
    let found = median.median()
    let (image, lag) = try #require(found)
    #expect(lag == (rate == 25 ? 2 : 1))
    image.withView { view in
      for y in 0..<size.height {
        for x in 0..<size.width where rate == 10 || y > 1 || x >= 18 {
          #expect(view.row(y)[x] == (x < 18 ? 90 : Float(10 + x)), "\(x) \(y)")
        }
      }
    }
  }

  /// The scene of the tests of presence: texture, and a block in it that may lean to one side.
  private func average(block: Float?) -> Plane<Float> {
    Plane(width: 320, height: 180) { x, y in
      let ground = Float((x * 7 + y * 13) % 17) * 4 + 60
      guard let lean = block, abs(Float(x) - 160 - lean) < 12, abs(y - 90) < 30 else { return ground }
      return Float((x * 5 + y * 3) % 11) * 12 + 100
    }
  }

  /// What a map of presence knows after something came to where a block is, for so many seconds.
  /// - Parameters:
  ///   - goesOn: Whether what came goes on to the right, while the block stays.
  ///   - isRestless: Whether the block is seen now and then before, as an image on a screen is.
  private func present(
    leans: Bool, visits: Bool = true, goesOn: Bool = false, isRestless: Bool = false, seconds count: Double = 6
  ) -> (present: Int, alive: Int, stopped: Int) {
    var map = PresenceMap(grid: Self.grid)
    let first = 10
    for step in 0..<first + Int(count / 0.32) {
      let seconds = Double(step) * 0.32
      let body = (80...100).flatMap { y in (150...170).map { x in Self.grid.cell(x: Float(x), y: Float(y)) } }
      if visits, step == first || step == first + 1 {
        map.note(Set(body).sorted().map { moving($0, u: 1, age: 10) }, seconds: seconds)
      }
      if visits, goesOn, (first + 2..<first + 6).contains(step) {
        let x = Float(180 + 20 * (step - first - 2))
        map.note([moving(Self.grid.cell(x: x, y: 90), u: 1, age: 10)], seconds: seconds)
      }
      let isSeen = step >= first || isRestless && step % 3 == 2
      let block: Float? = !isSeen ? nil : leans && step % 2 == 1 ? 2 : 0
      map.advance(average(block: block), isDynamic: mask([]), seconds: seconds)
    }
    return (map.isPresent.count { $0 }, map.isAlive.count { $0 }, map.hasStopped.count { $0 })
  }

  @Test func whoCameAndLivesIsPresentAndWhatWasPutDownIsNot() {
    let person = present(leans: true)
    // The block covers 6 × 15 cells; the cells around it see it too.
    #expect((60...200).contains(person.present) && person.alive > 0 && person.stopped == person.present, "\(person)")
    let thing = present(leans: false, goesOn: true)
    #expect(thing == (0, 0, 0), "it becomes background: \(thing)")
    #expect(present(leans: true, goesOn: true).stopped == 0, "something went away")
    #expect(present(leans: true, visits: false).present == 0, "nothing came")
    let screen = present(leans: true, goesOn: true, isRestless: true)
    #expect(present(leans: true, goesOn: true).present > 0 && screen.present == 0, "the background lives: \(screen)")
  }

  @Test func whoStoppedMayKeepStillForTwelveSeconds() {
    let still = present(leans: false, seconds: 11)
    #expect((60...200).contains(still.present) && still.stopped == still.present && still.alive == 0, "\(still)")
    #expect(present(leans: false, seconds: 14).present == 0)
    #expect(present(leans: true, seconds: 30).stopped > 0, "who lives stays")
  }
}
