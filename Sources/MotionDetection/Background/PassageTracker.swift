// The tracker of what crosses the image where much else moves.

import Imaging

/// Follows what travels in a moving background until it has come so far, on a straight way, as nothing does that only
/// sways: waves, flags and leaves end where they began, and drops are gone soon.
///
/// Somebody in dark clothes on a dark street shows nothing new, and somebody who walks in rain has left the median of
/// the last frames; the way tells them. Radar calls this track before detect (Barniv 1985,
/// doi:10.1109/TAES.1985.310548). Used by one thread. The constants were chosen on two walkers of the held-out scenes
/// (Tests/DetectionScenes), and tried on both halves of the others.
struct PassageTracker: Sendable {
  private struct Trail: Sendable {
    /// Where and when it was first seen.
    var origin: SIMD2<Float>
    var firstSeconds: Double
    var center: SIMD2<Float>
    var lastSeconds: Double
    /// The sum of the distances between sightings, in pixels.
    var length: Float = 0
  }

  private let grid: CellGrid
  private var trails: [Trail] = []

  /// The maximum speed, in longest sides of the image a second, and the distance that a centre may jump besides, as a
  /// share of the longest side: limbs come and go.
  private static let (maximumSpeed, maximumJump): (Float, Float) = (1, 0.03)
  /// The maximum time between two sightings, in seconds.
  private static let memoryInSeconds = 0.3
  /// The time for which something must have been seen, in seconds.
  private static let minimumTime = 0.8
  /// The minimum way as the crow flies, as a share of the longest side: 48 pixels of 320.
  private static let minimumWay: Float = 0.15
  /// The minimum ratio of that way to the length of the trail.
  private static let straightness: Float = 0.6

  init(grid: CellGrid) { self.grid = grid }

  /// Forgets all, for another scene or another view.
  mutating func reset() { trails = [] }

  /// Takes what travels in the next frame.
  /// - Parameter components: The cells of each component.
  /// - Returns: A Boolean value for each component that tells whether it has come far.
  mutating func advance(_ components: [[Int]], seconds: Double) -> [Bool] {
    trails.removeAll { seconds - $0.lastSeconds > Self.memoryInSeconds }
    let longest = Float(max(grid.size.width, grid.size.height))
    let centers = components.map { cells in
      cells.reduce(SIMD2<Float>.zero) { $0 + grid.center($1) } / Float(max(cells.count, 1))
    }
    var open = Array(components.indices)
    var hasPassed = [Bool](repeating: false, count: components.count)
    for index in trails.indices {
      let trail = trails[index]
      let reach = longest * (Self.maximumJump + Self.maximumSpeed * Float(seconds - trail.lastSeconds))
      let distances = open.map { (centers[$0] - trail.center).length }
      guard let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }), distances[nearest] <= reach
      else { continue }
      let component = open.remove(at: nearest)
      (trails[index].center, trails[index].lastSeconds) = (centers[component], seconds)
      trails[index].length += distances[nearest]
      let way = (centers[component] - trail.origin).length
      hasPassed[component] =
        seconds - trail.firstSeconds >= Self.minimumTime && way >= Self.minimumWay * longest
        && way >= Self.straightness * trails[index].length
    }
    trails += open.map {
      Trail(origin: centers[$0], firstSeconds: seconds, center: centers[$0], lastSeconds: seconds)
    }
    return hasPassed
  }
}

extension SIMD2<Float> {
  fileprivate var length: Float { (self * self).sum().squareRoot() }
}
