import Imaging
import MotionDetection

/// The scores of a video of any length, for a plot: the highest of each of up to 1024 spans of equally many frames.
package struct ScoreCurve: Sendable, Hashable {
  /// A span of frames.
  package struct Point: Sendable, Hashable {
    /// The time of its first frame.
    package var seconds: Double
    package var score: Double
  }

  package private(set) var points: [Point] = []
  /// The time of the last frame.
  package private(set) var end = 0.0
  private var framesPerPoint = 1
  private var framesInLast = 0

  private static let limit = 1024

  package init() {}

  package mutating func append(_ frame: FrameStatistics) {
    let score = frame.zones.map(\.score).max() ?? 0
    end = frame.time.seconds
    if !points.isEmpty, framesInLast < framesPerPoint {
      points[points.count - 1].score = max(points[points.count - 1].score, score)
      framesInLast += 1
      return
    }
    if points.count == Self.limit { halve() }
    points.append(Point(seconds: end, score: score))
    framesInLast = 1
  }

  private mutating func halve() {
    points = stride(from: 0, to: points.count, by: 2).map { index in
      Point(seconds: points[index].seconds, score: max(points[index].score, points[index + 1].score))
    }
    framesPerPoint *= 2
  }

  package var maximum: Double { points.map(\.score).max() ?? 0 }
  package var start: Double { points.first?.seconds ?? 0 }
}
