// The tracker of what crosses the image in strides that no flow follows.

import Imaging

/// Follows what looks new from frame to frame where the frames are far apart: somebody who gets on by more than their
/// own width between two frames has no flow. Used by one thread. The constants were tuned on the tuning half of the
/// drawn scenes (Tests/DetectionScenes).
struct NewcomerTracker: Sendable {
  private struct Newcomer: Sendable {
    var cells: [Int]
    var center: SIMD2<Float>
    /// The number of frames in which it has been seen on its way.
    var age = 0
    /// Its last way from one frame to the next, in pixels, and the number of ways up to it that were alike.
    var way = SIMD2<Float>.zero
    var steadiness = 0
  }

  private let grid: CellGrid
  private var newcomers: [Newcomer] = []
  /// The frames of late, each with whether something new strayed: got on before a moving background without keeping its
  /// way, or turned before a calm one; nil: nothing is known of the frame.
  private var history: [(seconds: Double, hasStray: Bool?)] = []

  /// The minimum time between two frames for newcomers to be looked for, in seconds: flow follows what is seen more
  /// often.
  static let minimumInterval = 0.09
  /// The minimum number of cells of a newcomer.
  private static let minimumNewcomerCells = 6
  /// The maximum share of the image that newcomers cover; more is a change of light.
  private static let maximumNewShare = 0.5
  /// The maximum ratio of the cells of a newcomer in two frames.
  private static let maximumGrowth = 2.5
  /// The minimum way between two frames, as a multiple of the side of a square of as many cells.
  private static let minimumStride: Float = 0.3
  /// The maximum way between two frames, as a share of the longest side.
  private static let maximumStride: Float = 0.4
  /// The minimum cosine of the angle between two ways that are alike, and the maximum ratio of their lengths.
  private static let (minimumCosine, maximumRatio): (Float, Float) = (0.8, 2)
  /// The number of ways that must be alike where strays are frequent: drops and waves go any way.
  private static let minimumSteadiness = 3
  /// The share of the frames with strays from which on they are frequent. Water, rain, snow and televisions have 0.4 to
  /// 1 at five frames a second, flags and foliage up to 0.06; at ten, light rain and medium snow have 0.6 to 0.9, water
  /// and a busy square up to 0.45.
  private static let strayLimit = 0.25
  /// The time over which that share is taken, in seconds, and the last part of it that does not count: what passes now
  /// may seem to stray.
  private static let (strayWindow, strayDelay) = (6.0, 1.5)
  /// The share of the image from which on a newcomer is too large for a drop or a wave: water at five frames a second
  /// has up to 0.021 in one place, a hand before a tree 0.03 and more.
  private static let clearShare = 0.03

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (newcomers, history) = ([], []) }

  /// Takes the cells of a frame that look new.
  ///
  /// Drops and waves seem to get on, too. In weather a newcomer must be larger than chance, and where strays are
  /// frequent, keep its way as well.
  /// - Parameters:
  ///   - isNew: Boolean values that tell for each cell whether it looks new.
  ///   - isRestless: Boolean values that tell for each cell whether the background moves there.
  ///   - chanceSize: The number of cells that come together by chance there.
  ///   - isWeather: A Boolean value that tells whether it rains or snows.
  ///   - seconds: The time of the frame.
  /// - Returns: Those of newcomers that got on since the frame before.
  mutating func advance(
    _ isNew: [Bool], where isRestless: [Bool], chanceSize: Double, isWeather: Bool, seconds: Double
  ) -> [MotionObservation.MovingCell] {
    let previous = newcomers
    newcomers = []
    // Before anything is known, a moving background is doubted, and a calm one is not.
    let restlessIsDoubted = strayShare(at: seconds, countingUnknown: true) >= Self.strayLimit
    let calmIsDoubted = strayShare(at: seconds, countingUnknown: false) >= Self.strayLimit
    let count = isNew.count { $0 }
    let isLight = Double(count) > Self.maximumNewShare * Double(grid.count)
    var hasStray = isLight
    // Nothing is known of the first frame.
    let isFirst = history.isEmpty
    defer { note(hasStray: isFirst ? nil : hasStray, seconds: seconds) }
    guard count >= Self.minimumNewcomerCells, !isLight else { return [] }
    var (open, moving) = (isNew, [MotionObservation.MovingCell]())
    for cell in 0..<grid.count where open[cell] {
      let cells = open.takeComponent(of: cell) { grid.forEachNeighbor(of: $0, distance: 2, $1) }
      guard cells.count >= Self.minimumNewcomerCells else { continue }
      var newcomer = Newcomer(cells: cells, center: .zero)
      for cell in cells { newcomer.center += grid.center(cell) / Float(cells.count) }
      if let other = nearest(to: newcomer, among: previous) {
        let way = newcomer.center - other.center
        (newcomer.age, newcomer.way) = (other.age + 1, way)
        newcomer.steadiness = Self.areAlike(way, other.way) ? other.steadiness + 1 : 1
        let isClear = Double(cells.count) >= Self.clearShare * Double(grid.count)
        let isCalm = !isWeather && 2 * cells.count(where: { isRestless[$0] }) <= cells.count
        let isLarge = Double(cells.count) > chanceSize
        let keepsItsWay = isLarge && newcomer.steadiness >= Self.minimumSteadiness
        let turned = newcomer.age > 1 && newcomer.steadiness == 1
        hasStray = hasStray || !isClear && !keepsItsWay && (!isCalm || turned)
        let isDoubted = isCalm ? calmIsDoubted : restlessIsDoubted
        if isClear || (isDoubted ? keepsItsWay : isLarge || !isWeather) {
          moving += cells.map {
            MotionObservation.MovingCell(cell: $0, u: way.x, v: way.y, age: newcomer.age)
          }
        }
      }
      newcomers.append(newcomer)
    }
    return moving
  }

  /// Returns the share of the frames of late that had strays, 0…1.
  /// - Parameter countsUnknown: A Boolean value that tells whether frames of which nothing is known count as such.
  private func strayShare(at seconds: Double, countingUnknown countsUnknown: Bool) -> Double {
    let frames = history.filter { $0.seconds <= seconds - Self.strayDelay }
    guard !frames.isEmpty else { return countsUnknown ? 1 : 0 }
    return Double(frames.count { $0.hasStray ?? countsUnknown }) / Double(frames.count)
  }

  private mutating func note(hasStray: Bool?, seconds: Double) {
    // What is not before this frame goes, too: whoever calls may turn back the time.
    history.removeAll { $0.seconds < seconds - Self.strayWindow || $0.seconds >= seconds }
    history.append((seconds, hasStray))
  }

  /// Returns whether two ways have about the same direction and length.
  private static func areAlike(_ way: SIMD2<Float>, _ other: SIMD2<Float>) -> Bool {
    let (a, b) = (way.length, other.length)
    return (way * other).sum() >= minimumCosine * a * b && max(a, b) <= maximumRatio * min(a, b)
  }

  /// Returns what a newcomer was in the frame before; nil: it did not get on, or was not there.
  private func nearest(to newcomer: Newcomer, among previous: [Newcomer]) -> Newcomer? {
    let size = Float(newcomer.cells.count).squareRoot() * Float(MotionParameters.cellSide)
    let longest = Float(max(grid.size.width, grid.size.height))
    var nearest: (newcomer: Newcomer, distance: Float)?
    for other in previous {
      let ratio = Double(newcomer.cells.count) / Double(other.cells.count)
      guard max(ratio, 1 / ratio) <= Self.maximumGrowth else { continue }
      let way = newcomer.center - other.center
      let distance = way.length
      if distance < nearest?.distance ?? Self.maximumStride * longest { nearest = (other, distance) }
    }
    return nearest.flatMap { $0.distance >= Self.minimumStride * size ? $0.newcomer : nil }
  }
}
