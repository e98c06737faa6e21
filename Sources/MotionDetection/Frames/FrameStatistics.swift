import Imaging

/// A rectangle of the full-size image, in pixels.
public struct MotionBox: Sendable, Hashable, Codable {
  /// The column of its left edge.
  public var x: Int
  /// The row of its upper edge.
  public var y: Int
  /// Columns that it covers.
  public var width: Int
  /// Rows that it covers.
  public var height: Int

  /// A rectangle by its upper left corner and its size.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// What moves in one zone in one frame.
public struct ZoneMotion: Sendable, Hashable, Codable {
  /// The travelling area in percent of the image.
  public var score: Double
  /// The area in which anything moves, in percent of the image.
  public var moving: Double
  /// For how many frames what travels has been moving: the median over the area.
  public var age: Int
  /// By how many frames that comes late, since it shows only in means of several.
  public var lag: Int
  /// The mean motion of what travels to the right, in pixels of the full size per frame.
  public var u: Double
  /// Its part down, in pixels of the full size per frame.
  public var v: Double
  /// What travels, thing by thing.
  public var boxes: [MotionBox]

  /// Nothing moves.
  public static let none = ZoneMotion(score: 0, moving: 0, age: 0, u: 0, v: 0, boxes: [])

  /// Takes the measured values.
  public init(
    score: Double, moving: Double, age: Int, lag: Int = 0, u: Double, v: Double, boxes: [MotionBox]
  ) {
    self.score = score
    self.moving = moving
    self.age = age
    self.lag = lag
    self.u = u
    self.v = v
    self.boxes = boxes
  }
}

/// What kind of frame it is.
public enum FrameState: String, Sendable, Hashable, CaseIterable, Codable {
  /// One that follows the frame before.
  case normal
  /// The first one.
  case first
  /// Of another scene than the one before.
  case cut
  /// After missing frames.
  case gap
  /// Taken by a camera that moved; its motion is taken out.
  case cameraMoving = "camera"
}

/// All that events are made from: a frame's time, state and motion. Thresholds apply to these, not to images, so that they
/// may be changed without looking at the video again.
public struct FrameStatistics: Sendable, Hashable, Codable {
  /// The number of the frame among those read.
  public var frame: Int
  /// When it shows.
  public var time: MediaTime
  /// What kind of frame it is.
  public var state: FrameState
  /// The share of the image whose brightness changed with nothing moving there, 0…1.
  public var lightShare: Double
  /// One for each measured zone.
  public var zones: [ZoneMotion]
  /// What began to cross a trip line with this frame.
  public var crossings: [LineCrossing]

  /// Takes the measured values; a ``ZoneMotion`` for each of ``ZoneSet/measuredNames``.
  public init(
    frame: Int, time: MediaTime, state: FrameState, lightShare: Double, zones: [ZoneMotion],
    crossings: [LineCrossing] = []
  ) {
    self.frame = frame
    self.time = time
    self.state = state
    self.lightShare = lightShare
    self.zones = zones
    self.crossings = crossings
  }
}
