import Imaging

/// A rectangle of the full-size image, in pixels.
public struct MotionBox: Sendable, Hashable, Codable {
  /// The column of the left edge.
  public var x: Int
  /// The row of the upper edge.
  public var y: Int
  /// The number of columns that the rectangle covers.
  public var width: Int
  /// The number of rows that the rectangle covers.
  public var height: Int

  /// Creates a rectangle from its upper left corner and its size.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// The motion in one zone in one frame.
public struct ZoneMotion: Sendable, Hashable, Codable {
  /// The travelling area in percent of the image.
  public var score: Double
  /// The area in which anything moves, in percent of the image.
  public var moving: Double
  /// The area in which something is that came, with signs of life now and then, in percent of the image.
  public var present = 0.0
  /// The area of ``present`` in which it shows one now, in percent of the image.
  public var alive = 0.0
  /// The area of ``present`` in which what came stopped, and from which nothing went away since, in percent of the
  /// image.
  public var stopped = 0.0
  /// The share of the cells that something travelled through which have proven to be dynamic background, 0…1; 0 unless
  /// ``FrameStatistics/isSettling``.
  public var dynamicBackgroundShare = 0.0
  /// The part of ``score`` that is too soft to be told from an insect close to the lens yet, in percent of the image.
  public var undecided = 0.0
  /// The area through which an insect close to the lens travels, in percent of the image.
  public var insects = 0.0
  /// The number of frames for which the travelling area has been moving: the median over the area.
  public var age: Int
  /// The number of frames by which the motion is noticed late, since it shows only in means of several frames.
  public var lag: Int
  /// The mean motion of the travelling area to the right, in pixels of the full size per frame.
  public var u: Double
  /// The mean motion of the travelling area down, in pixels of the full size per frame.
  public var v: Double
  /// The boxes of everything that travels, one for each component.
  public var boxes: [MotionBox]

  private enum CodingKeys: String, CodingKey {
    case score, moving, present, alive, stopped
    case dynamicBackgroundShare = "habitualShare"
    case undecided, insects, age, lag, u, v, boxes
  }

  /// The motion of a zone in which nothing moves.
  public static let none = ZoneMotion(score: 0, moving: 0, age: 0, u: 0, v: 0, boxes: [])

  /// Creates the motion of a zone from the measured values.
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

/// The kind of a frame.
public enum FrameState: String, Sendable, Hashable, CaseIterable, Codable {
  /// A frame that follows the one before.
  case normal
  /// The first frame.
  case first
  /// A frame of another scene than the one before.
  case cut
  /// A frame that comes after missing ones.
  case gap
  /// A frame that was taken by a camera that moved; the camera's motion is taken out.
  case cameraMoving = "camera"
}

/// All that events are made from: a frame's time, state and motion. Thresholds apply to these, not to images, so that
/// they may be changed without looking at the video again.
public struct FrameStatistics: Sendable, Hashable, Codable {
  /// The number of the frame among those read.
  public var frame: Int
  /// The time at which the frame shows.
  public var time: MediaTime
  /// The kind of the frame.
  public var state: FrameState
  /// The share of the image whose brightness changed with nothing moving there, 0…1.
  public var lightShare: Double
  /// A Boolean value that tells whether the scene is so young that what seems to travel may prove to sway.
  public var isSettling: Bool
  /// The motion in each measured zone.
  public var zones: [ZoneMotion]
  /// The crossings of trip lines that began with this frame.
  public var crossings: [LineCrossing]

  /// Creates the statistics of a frame from the measured values; a ``ZoneMotion`` for each of
  /// ``ZoneSet/measuredNames``.
  public init(
    frame: Int, time: MediaTime, state: FrameState, lightShare: Double, isSettling: Bool = false, zones: [ZoneMotion],
    crossings: [LineCrossing] = []
  ) {
    self.frame = frame
    self.time = time
    self.state = state
    self.lightShare = lightShare
    self.isSettling = isSettling
    self.zones = zones
    self.crossings = crossings
  }
}
