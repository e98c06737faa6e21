// The detector of changes of light: brightness that changes while nothing moves.

/// Watches the mean brightness of the cells over half a second. Used by one thread. The constants were chosen by hand.
struct IlluminationChangeDetector {
  private struct Sample {
    var time: Double
    var means: [Float]
  }

  private var samples: [Sample] = []
  /// The time at which each cell last had something moving in or beside it, in seconds.
  private var lastMoved: [Double]
  private var cameraMoved = -Double.infinity
  private let grid: CellGrid

  /// The time by which the comparison goes back, in seconds.
  private static let comparisonInterval = 0.5
  /// The minimum change that counts, in grey levels: sensors and codecs stay below.
  private static let minimumChange: Float = 4
  /// The time for which a cell that something moved through says nothing about the light, in seconds.
  private static let recoveryTime = 1.0
  /// The maximum number of images that are kept.
  private static let maximumSampleCount = 32

  init(grid: CellGrid) {
    self.grid = grid
    lastMoved = Array(repeating: -.infinity, count: grid.count)
  }

  mutating func reset() {
    samples = []
    cameraMoved = -.infinity
  }

  /// Takes note that the camera moved up to `time`: what it sees elsewhere is no change of light.
  mutating func noteCameraMotion(until time: Double) {
    samples = []
    cameraMoved = time
  }

  /// Takes the next image's means, with the squared difference that noise makes in each cell.
  /// - Returns: The share of the image, 0…1, that became brighter or darker with nothing moving there.
  mutating func changedShare(means: [Float], noiseFloor: [Float], motionMask: [Bool], time: Double) -> Double {
    for cell in 0..<grid.count where motionMask[cell] { grid.forEachNeighbor(of: cell) { lastMoved[$0] = time } }
    guard time - cameraMoved > Self.comparisonInterval else { return 0 }
    samples.append(Sample(time: time, means: means))
    while samples.count > 2,
      samples.count > Self.maximumSampleCount || samples[1].time <= time - Self.comparisonInterval
    {
      samples.removeFirst()
    }
    var changed = 0
    for cell in 0..<grid.count where time - lastMoved[cell] > Self.recoveryTime {
      // A mean of 16 pixels differs by a quarter of what a pixel does: four times that is no chance.
      let minimum = max(Self.minimumChange, noiseFloor[cell].squareRoot())
      if abs(means[cell] - samples[0].means[cell]) > minimum { changed += 1 }
    }
    return grid.count > 0 ? Double(changed) / Double(grid.count) : 0
  }
}
