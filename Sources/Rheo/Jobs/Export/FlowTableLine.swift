// A line of the table of a video's motion.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

/// The motion of a pair of frames, or of several one after the other.
struct FlowTableLine: Sendable {
  /// The number of the first frame.
  let frame: Int
  /// The presentation time of the first frame, in seconds.
  let seconds: Double
  private var pairs = 1
  private var statistics: FlowStatistics
  /// The sums over the pairs: the camera's motion at the image's centre (right and down, degrees clockwise, factor),
  /// and the mean confidence.
  private var camera: SIMD4<Double>
  private var confidence: Double?

  /// - Parameter camera: The map from pixels of the second frame to pixels of the first one.
  init(_ previous: VideoFrame, _ observation: OpticalFlowObservation, camera: Homography) {
    frame = previous.number
    seconds = previous.presentationTime.seconds
    statistics = observation.flow.statistics
    self.camera = Self.motion(camera.inverse ?? .identity, at: observation.size)
    confidence = observation.confidence.map(Self.mean)
  }

  /// Adds the pairs of the next line.
  mutating func add(_ next: FlowTableLine) {
    pairs += next.pairs
    statistics.add(next.statistics)
    camera += next.camera
    if let more = next.confidence { confidence = (confidence ?? 0) + more }
  }

  /// Returns how a map moves, turns and enlarges the image at its centre.
  private static func motion(_ map: Homography, at size: PixelSize) -> SIMD4<Double> {
    let centre = SIMD2(Double(size.width - 1), Double(size.height - 1)) / 2
    let moved = map.apply(centre)
    let right = map.apply(centre + SIMD2(0.5, 0)) - map.apply(centre - SIMD2(0.5, 0))
    let down = map.apply(centre + SIMD2(0, 0.5)) - map.apply(centre - SIMD2(0, 0.5))
    let area = right.x * down.y - right.y * down.x
    let turn = atan2(right.y - down.x, right.x + down.y) * 180 / .pi
    return SIMD4(moved.x - centre.x, moved.y - centre.y, turn, area > 0 ? area.squareRoot() : 1)
  }

  private static func mean(_ plane: Plane<Float>) -> Double {
    var sum = 0.0
    plane.withView { view in
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width { sum += Double(row[x]) }
      }
    }
    return sum / Double(max(plane.size.area, 1))
  }

  /// The names of the columns.
  static let header =
    "frame,seconds,pairs,known,meanU,meanV,meanLength,length50,length90,length99,longest,moving,right,downRight,down,"
    + "downLeft,left,upLeft,up,upRight,cameraX,cameraY,cameraTurn,cameraZoom,confidence\n"

  /// The line with its end. What is not known is empty.
  var text: String {
    let known = Double(statistics.knownCount)
    func share(_ count: Int) -> String { known > 0 ? number(Double(count) / known, 4) : "" }
    func length(_ value: Double?) -> String { value.map { number($0, 3) } ?? "" }
    let mean = statistics.meanVector
    let camera = camera / Double(pairs)
    var columns: [String] = ["\(frame)", number(seconds, 6), "\(pairs)", number(1 - statistics.unknownShare, 4)]
    columns += [length(mean?.u), length(mean?.v), length(statistics.meanLength)]
    columns += [0.5, 0.9, 0.99].map { length(statistics.lengthPercentile($0)) }
    columns += [length(known > 0 ? statistics.longest : nil), share(statistics.movingCount)]
    columns += statistics.directionCounts.map(share)
    columns += [number(camera.x, 3), number(camera.y, 3), number(camera.z, 4), number(camera.w, 5)]
    columns.append(confidence.map { number($0 / Double(pairs), 4) } ?? "")
    return columns.joined(separator: ",") + "\n"
  }
}

/// Returns a number with at most this many decimals, without zeros at its end.
private func number(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite else { return "" }
  var text = String(format: "%.\(decimals)f", value)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text == "-0" ? "0" : text
}
