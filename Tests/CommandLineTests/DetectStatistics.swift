import Foundation
import Rheo

/// Statistics without a video, for tests of what follows from events.
enum DetectStatistics {
  /// 10 frames a second.
  /// - Parameter scores: In percent, frame by frame.
  static func write(_ scores: [Double], to file: URL, input: String = "yard.mp4", zones: ZoneSet = .everywhere) throws {
    let frames = scores.enumerated().map { index, score in
      let boxes = score > 0 ? [MotionBox(x: 8 * index, y: 20, width: 40, height: 30)] : []
      let motion = ZoneMotion(score: score, moving: score, age: 0, u: 2, v: 0, boxes: boxes)
      return FrameStatistics(
        frame: index, time: MediaTime(value: Int64(index), timeBase: Rational(1, 10)), state: .normal, lightShare: 0,
        zones: zones.measuredNames.map { _ in motion })
    }
    let source = Detection.Source(file: input, width: 640, height: 360, frameRate: 10)
    try Data(try DetectionStatistics(source: source, zones: zones, frames: frames).text().utf8).write(to: file)
  }

  /// Two events of half a second and more, and a glimpse between them that is none.
  static let twoEvents: [Double] = runs.flatMap { Array(repeating: $0.value, count: $0.length) }
  private static let runs: [(length: Int, value: Double)] = [
    (5, 0), (6, 2), (20, 0), (1, 9), (20, 0), (8, 3), (20, 0),
  ]
}
