import FlowAnalysis
import Imaging

/// An object that detections show, while a ``DetectionTracker`` follows it.
struct DetectedObject: Sendable {
  /// The number of the track; nil until it is confirmed.
  var id: Int?
  private(set) var filter: BoxKalmanFilter
  private(set) var colors: ColorHistogram?
  private(set) var positions: [TrackPosition]
  /// The frames in a row in which it was not seen.
  private(set) var missed: [FrameTimestamp] = []
  /// The number of frames in which it was seen.
  private(set) var sightingCount = 1

  /// The share of a frame in its colours, 0…1, chosen by hand.
  private static let colorShare: Float = 0.1
  /// The confidence in a box between two sightings: nothing was seen there.
  private static let bridgeConfidence = 0.25
  /// The factor on the uncertainty of a detection that is not sure.
  private static let unsureDoubt = 1.5
  /// The number of positions that are taken out at a time.
  private static let positionBlock = 512

  init(_ detection: DetectedBox, colors: ColorHistogram?, confidence: Double, at timestamp: FrameTimestamp) {
    filter = BoxKalmanFilter(detection.box)
    self.colors = colors
    positions = [
      TrackPosition(frame: timestamp.frame, time: timestamp.time, box: detection.box, confidence: confidence)
    ]
  }

  /// The box in which it is thought to be.
  var box: BoundingBox { filter.box }
  /// A Boolean value that tells whether it was not seen in the last frame.
  var isHidden: Bool { !missed.isEmpty }
  /// The time at which it was last seen.
  var lastSighting: MediaTime { positions[positions.count - 1].time }

  /// Goes on by a frame, and along with the camera.
  mutating func predict(camera: Homography?) {
    filter.predict()
    if let camera { filter.move(by: camera) }
  }

  /// Goes through a frame in which it was not seen.
  mutating func miss(at timestamp: FrameTimestamp) { missed.append(timestamp) }

  /// Takes in the frame in which it was seen.
  /// - Parameters:
  ///   - colors: Those of the detection; nil: they are not to be learned.
  ///   - confidence: That of the position.
  mutating func see(
    _ detection: DetectedBox, colors: ColorHistogram?, isSure: Bool, confidence: Double, at timestamp: FrameTimestamp
  ) {
    filter.correct(with: detection.box, doubt: isSure ? 1 : Self.unsureDoubt)
    if let colors {
      if self.colors == nil { self.colors = colors }
      self.colors?.learn(colors, share: Self.colorShare)
    }
    bridge(to: filter.box)
    sightingCount += 1
    positions.append(
      TrackPosition(frame: timestamp.frame, time: timestamp.time, box: filter.box, confidence: confidence))
  }

  /// Fills in the frames in which it was not seen, on a straight way.
  private mutating func bridge(to box: BoundingBox) {
    guard let last = positions.last?.box else { return }
    for (index, timestamp) in missed.enumerated() {
      let share = Double(index + 1) / Double(missed.count + 1)
      let between = BoundingBox(
        center: last.center + (box.center - last.center) * share, size: last.size + (box.size - last.size) * share)
      positions.append(
        TrackPosition(frame: timestamp.frame, time: timestamp.time, box: between, confidence: Self.bridgeConfidence))
    }
    missed = []
  }

  /// The track; nil until it is confirmed.
  func track(loss: MotionTrack.Loss?) -> MotionTrack? {
    id.map { MotionTrack(id: $0, kind: .box, positions: positions, loss: loss) }
  }

  /// Removes the earlier positions, and returns them; none while there are fewer than a block beyond those that stay.
  mutating func takePositions(keeping count: Int) -> [TrackPosition] {
    guard id != nil, positions.count >= count + Self.positionBlock else { return [] }
    defer { positions.removeFirst(positions.count - count) }
    return Array(positions.dropLast(count))
  }
}
