import Imaging
import MotionDetection
import VideoIO

/// Sums up for each cell for how long something travelled in events. Used by one thread.
///
/// It is certain only later which frames belong to an event: until then their cells wait, no longer than an event may
/// reach back.
struct HeatMapRecorder {
  private struct Waiting {
    var frame: Int
    var cells: [Int32]
    /// The time since the frame before, in seconds.
    var seconds: Double
  }

  private let grid: CellGrid
  private let privacy: PrivacyMask?
  private var seconds: [Double]
  private var first: VideoFrame?
  private var last: MediaTime?
  private var waiting: [Waiting] = []

  /// - Parameter size: The size of the frames, in pixels.
  init(size: PixelSize, privacy: PrivacyMask?) {
    grid = CellGrid(size: MotionDetector.analyzedSize(of: size, longestSide: MotionParameters.analysisSide))
    seconds = Array(repeating: 0, count: grid.count)
    self.privacy = privacy
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - ended: The events that are over with it.
  ///   - detector: The detector that has taken it.
  mutating func append(
    _ frame: VideoFrame, _ measured: ZoneAnalyzer.Measurement, ended: [MotionEvent], _ detector: EventDetector
  ) {
    first = first ?? frame
    let time = measured.statistics.time
    if let last, let mask = measured.counted?.resampled(to: grid), mask.contains.contains(true) {
      let cells = mask.contains.indices.filter { mask.contains[$0] }.map(Int32.init)
      waiting.append(
        Waiting(frame: measured.statistics.frame, cells: cells, seconds: max(0, time.seconds - last.seconds)))
    }
    last = time
    finish(ended)
    if let ongoing = detector.ongoing, ongoing.isCertain { add(ongoing.start.frame...ongoing.end.frame) }
    if let earliest = detector.earliestStart?.frame { waiting.removeAll { $0.frame < earliest } }
  }

  /// Takes events that are over.
  mutating func finish(_ ended: [MotionEvent]) {
    for event in ended { add(event.start.frame...event.end.frame) }
  }

  /// The map of the frames so far; nil before the first.
  var map: MotionHeatMap? {
    first.map { frame in
      let plane = Plane<Float>(width: grid.columns, height: grid.rows) { x, y in Float(seconds[y * grid.columns + x]) }
      let side = Double(MotionParameters.cellSide)
      let cellSize = SIMD2(
        side * Double(frame.size.width) / Double(grid.size.width),
        side * Double(frame.size.height) / Double(grid.size.height))
      return MotionHeatMap(seconds: plane, cellSize: cellSize, frame: frame, privacy: privacy)
    }
  }

  private mutating func add(_ frames: ClosedRange<Int>) {
    for item in waiting where frames.contains(item.frame) {
      for cell in item.cells { seconds[Int(cell)] += item.seconds }
    }
    waiting.removeAll { frames.contains($0.frame) }
  }
}
