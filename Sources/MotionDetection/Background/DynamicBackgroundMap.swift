import Imaging

/// A map of the dynamic background: the cells in which something moves most of the time without getting anywhere, such
/// as a flag, water, a screen or a tree in the wind. Used by one thread.
///
/// A cell is dynamic when something moved in or beside it for most of the last seconds. What passes a cell is there for
/// less: a walker for about a second. It stays dynamic as long as motion comes back to it now and then. The term is
/// that of the CDnet benchmark (Wang et al., CVPRW 2014, doi:10.1109/CVPRW.2014.126). The constants were tuned on the
/// tuning half of the drawn scenes (Tests/DetectionScenes).
struct DynamicBackgroundMap: Sendable {
  private let grid: CellGrid
  /// The share of the last seconds in which something moved in or beside each cell, 0…1.
  private var share: [Float]
  /// The share of a longer time in which something moved in or beside each cell, 0…1.
  private var longShare: [Float]
  /// The share of some seconds in which something moved near each cell, 0…1.
  private var wideShare: [Float]
  private var wideNearby: [Bool]
  /// Some of the last states of ``wideShare``, the oldest first.
  private var earlierShares: [(seconds: Double, share: [Float])] = []
  /// A Boolean value for each cell that tells whether it is dynamic.
  private(set) var isDynamic: [Bool]
  private var nearby: [Bool]
  /// The usual direction of travel at each cell, of a length up to 1; none where motion goes all ways.
  private var direction: [SIMD2<Float>]
  /// The time since the map was reset, in seconds.
  private(set) var age = 0.0
  private var lastTime: Double?
  /// The ages at which motion in or beside each cell began first, and was seen last, in seconds.
  private var (firstMotion, lastMotion): ([Float], [Float])
  /// The age at which the motion of all cells was forgotten last, in seconds.
  private var cellStart = 0.0

  /// The time over which a share is taken, in seconds.
  private static let shortWindow = 2.5
  /// The time over which the long share is taken, in seconds.
  private static let longWindow = 20.0
  /// The time from which on cells may be dynamic, in seconds.
  static let minimumAge = 1.5
  /// The share from which on a cell is dynamic.
  private static let limit: Float = 0.6
  /// The long share below which a cell is dynamic no more.
  private static let longLimit: Float = 0.12

  /// Creates a map in which no cell is dynamic.
  init(grid: CellGrid) {
    self.grid = grid
    share = Array(repeating: 0, count: grid.count)
    longShare = share
    wideShare = share
    wideNearby = Array(repeating: false, count: grid.count)
    isDynamic = Array(repeating: false, count: grid.count)
    nearby = isDynamic
    direction = Array(repeating: .zero, count: grid.count)
    firstMotion = Array(repeating: .infinity, count: grid.count)
    lastMotion = Array(repeating: -.infinity, count: grid.count)
  }

  /// Forgets all, for another scene.
  mutating func reset() {
    (age, lastTime) = (0, nil)
    resetCells()
  }

  /// Forgets the motion of all cells.
  mutating func resetCells() {
    earlierShares = []
    cellStart = age
    for cell in 0..<grid.count {
      (share[cell], longShare[cell], wideShare[cell]) = (0, 0, 0)
      (isDynamic[cell], direction[cell]) = (false, .zero)
      (firstMotion[cell], lastMotion[cell]) = (.infinity, -.infinity)
    }
  }

  /// The minimum way of what travels through a dynamic cell, as a share of the longest side: 20 pixels of 320,
  /// further than branches swing.
  private static let minimumWay: Float = 0.0625
  /// The cosine to the usual direction, times its length, from which on something goes the usual way.
  private static let usualCosine: Float = 0.4
  /// The time in which a direction is learned, in seconds.
  private static let directionWindow = 3.0

  /// Returns whether something gets further than branches swing.
  func goesFar(_ moving: MotionObservation.MovingCell) -> Bool {
    moving.wayLength >= Self.minimumWay * Float(max(grid.size.width, grid.size.height))
  }

  /// Returns whether what travels is not part of the dynamic background: it is elsewhere, or gets further than branches
  /// swing and does not go the usual way of its cell.
  func isUnusual(_ moving: MotionObservation.MovingCell) -> Bool {
    guard isDynamic[moving.cell] else { return true }
    guard goesFar(moving) else { return false }
    return (moving.way * direction[moving.cell]).sum() < Self.usualCosine * moving.wayLength
  }

  /// The time over which the share of a neighbourhood is taken, in seconds.
  private static let wideWindow = 4.0
  /// The number of cells to each side that make a neighbourhood.
  private static let wideReach = 3
  /// The share of the time in which something moves in a neighbourhood from which on its motion is frequent.
  private static let frequentMotionLimit: Float = 0.25
  /// The share from which on the motion of a neighbourhood is taken for frequent at once.
  private static let veryFrequentMotionLimit: Float = 0.5
  /// The time between two of ``earlierShares``, in seconds, and their number: what passes a cell is there for a
  /// second.
  private static let (shareInterval, shareCount) = (0.4, 4)

  /// The time without motion after which, and before which, something has not moved throughout, in seconds.
  private static let maximumRest: Float = 0.45

  /// Returns whether something has moved in or beside a cell since the scene or the view began, as what sways does.
  func hasMovedThroughout(_ cell: Int) -> Bool {
    firstMotion[cell] - Float(cellStart) <= Self.maximumRest && Float(age) - lastMotion[cell] <= Self.maximumRest
  }

  /// The time in which a scene is so young that what moves now tells more than what moved before, in seconds.
  private static let youth = 5.0

  /// Returns whether something moved to and fro near a cell for much of the time before what is there now came.
  func hasFrequentMotion(near cell: Int) -> Bool {
    earlierShares.count == Self.shareCount && earlierShares[0].share[cell] >= Self.frequentMotionLimit
      || age < Self.youth && hasVeryFrequentMotion(near: cell)
  }

  /// The number of cells near which something moved for much of the time.
  var frequentMotionCount: Int { earlierShares.first?.share.count { $0 >= Self.frequentMotionLimit } ?? 0 }

  /// Returns whether something moves near a cell for most of the time.
  func hasVeryFrequentMotion(near cell: Int) -> Bool {
    age >= Self.minimumAge && wideShare[cell] >= Self.veryFrequentMotionLimit
  }

  /// Learns the usual directions of travel.
  mutating func note(travelling: [MotionObservation.MovingCell], seconds: Double) {
    let elapsed = min(max(seconds - (lastTime ?? seconds), 0), 0.5)
    let weight = Float(elapsed / min(max(age, elapsed, 1e-3), Self.directionWindow))
    for moving in travelling {
      let way = SIMD2(moving.u, moving.v)
      let length = way.length
      if length > 0 { direction[moving.cell] += weight * (way / length - direction[moving.cell]) }
    }
  }

  /// Takes the motion of the next pair of frames.
  /// - Parameters:
  ///   - changedMask: The cells in which something moves or changes, by whatever cause.
  ///   - excluded: The cells whose motion says nothing about the background.
  ///   - clutter: Those of them that are not near what travels.
  mutating func note(_ changedMask: [Bool], clutter: [Bool], excluding excluded: [Bool], seconds: Double) {
    let elapsed = min(max(seconds - (lastTime ?? seconds), 0), 0.5)
    lastTime = seconds
    age += elapsed
    let weight = Float(elapsed / min(max(age, elapsed, 1e-3), Self.shortWindow))
    let longWeight = Float(elapsed / min(max(age, elapsed, 1e-3), Self.longWindow))
    let wideWeight = Float(elapsed / min(max(age, elapsed, 1e-3), Self.wideWindow))
    for cell in 0..<grid.count { (nearby[cell], wideNearby[cell]) = (false, false) }
    for cell in 0..<grid.count where changedMask[cell] {
      grid.forEachNeighbor(of: cell) { nearby[$0] = true }
    }
    for cell in 0..<grid.count where clutter[cell] {
      grid.forEachNeighbor(of: cell, distance: Self.wideReach) { wideNearby[$0] = true }
    }
    if seconds - (earlierShares.last?.seconds ?? -.infinity) >= Self.shareInterval {
      if earlierShares.count == Self.shareCount { earlierShares.removeFirst() }
      earlierShares.append((seconds, wideShare))
    }
    for cell in 0..<grid.count where !excluded[cell] {
      let moved: Float = nearby[cell] ? 1 : 0
      if nearby[cell] {
        firstMotion[cell] = min(firstMotion[cell], Float(age - elapsed))
        lastMotion[cell] = Float(age)
      }
      share[cell] += weight * (moved - share[cell])
      longShare[cell] += longWeight * (moved - longShare[cell])
      wideShare[cell] += wideWeight * ((wideNearby[cell] ? 1 : 0) - wideShare[cell])
      if age >= Self.minimumAge, share[cell] >= Self.limit {
        isDynamic[cell] = true
        longShare[cell] = max(longShare[cell], share[cell])
      } else if longShare[cell] < Self.longLimit {
        isDynamic[cell] = false
      }
    }
  }
}
