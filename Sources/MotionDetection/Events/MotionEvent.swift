import Imaging

/// The parameters that decide which motion is an event.
public struct EventParameters: Sendable, Hashable, Codable {
  /// The range of thresholds, in percent; above the lower bound.
  public static let thresholdRange = 0.0...100.0
  /// The range of each of the times, in seconds.
  public static let secondsRange = 0.0...86400.0
  /// The range of each of the shares; above the lower bound, at which every frame would go on or be a change of light.
  public static let shareRange = 0.0...1.0

  /// Percent of the image that must travel for an event to begin: two cells of 320×180.
  public var threshold = 0.05
  /// The share of the threshold that keeps an event going, more than 0 and up to 1.
  public var hysteresis = 0.5
  /// Shorter motion is no event, in seconds; nor is motion in a single frame.
  public var minimumDuration = 0.2
  /// Motion that begins within this many seconds belongs to the event before.
  public var mergeGap = 1.2
  /// Seconds that an event includes before its motion.
  public var before = 0.0
  /// Seconds that an event includes after its motion.
  public var after = 1.2
  /// A longer event is cut into several, in seconds; nil: never.
  public var maximumDuration: Double?
  /// The time after the last travel for which somebody who stays belongs to the event, in seconds; without a sign of
  /// life it is shorter.
  public var presenceLimit = 300.0
  /// The share of the image whose brightness must change for a change of light, more than 0 and up to 1.
  public var lightShare = 0.2

  /// The defaults.
  public init() {}

  /// Checks all values against their ranges.
  ///
  /// - Throws: ``MotionDetectionError`` `invalidOption`.
  public func validate() throws {
    guard Self.thresholdRange.contains(threshold), threshold > 0 else {
      throw MotionDetectionError(.invalidOption, "the threshold is more than 0 and up to 100 percent, not \(threshold)")
    }
    for (name, value) in [("hysteresis", hysteresis), ("light share", lightShare)]
    where !(Self.shareRange.contains(value) && value > 0) {
      throw MotionDetectionError(.invalidOption, "the \(name) is more than 0 and up to 1, not \(value)")
    }
    for (name, value) in [
      ("minimum duration", minimumDuration), ("merge gap", mergeGap), ("time before", before), ("time after", after),
      ("presence limit", presenceLimit),
    ] where !Self.secondsRange.contains(value) {
      throw MotionDetectionError(.invalidOption, "the \(name) is 0…86400 seconds, not \(value)")
    }
    if let maximumDuration, !(maximumDuration > minimumDuration) {
      throw MotionDetectionError(
        .invalidOption,
        "the maximum duration is longer than the minimum of \(minimumDuration) s, not \(maximumDuration)")
    }
  }
}

/// Motion from its beginning to its end.
public struct MotionEvent: Sendable, Hashable, Codable {
  /// The number of the event, from 1.
  public var number: Int
  /// The first frame, with the time before that was asked for.
  public var start: FrameTimestamp
  /// The last frame, with the time after.
  public var end: FrameTimestamp
  /// The frame in which most travels.
  public var peak: FrameTimestamp
  /// The score at ``peak``, in percent of the image: how much travels there.
  public var peakScore: Double
  /// The zones that reached their thresholds.
  public var zones: [String]
  /// The boxes of what travels, frame by frame; in long events of every 2nd, 4th … frame only, at most 8192.
  public var boxes: [FrameBox]
  /// The mean motion to the right, weighted by area, in pixels of the full size per frame.
  public var u: Double
  /// The mean motion down, weighted by area, in pixels of the full size per frame.
  public var v: Double

  /// A component in a frame.
  public struct FrameBox: Sendable, Hashable, Codable {
    /// The number of the frame among those read.
    public var frame: Int
    /// The box of the component.
    public var box: MotionBox
  }

  /// An event; for sources of your own.
  public init(
    number: Int, start: FrameTimestamp, end: FrameTimestamp, peak: FrameTimestamp, peakScore: Double, zones: [String],
    boxes: [FrameBox], u: Double, v: Double
  ) {
    self.number = number
    self.start = start
    self.end = end
    self.peak = peak
    self.peakScore = peakScore
    self.zones = zones
    self.boxes = boxes
    self.u = u
    self.v = v
  }

  /// Seconds from the first to the last frame.
  public var duration: Double { end.seconds - start.seconds }
}

/// Motion that has begun and not ended yet.
public struct OngoingEvent: Sendable, Hashable, Codable {
  /// The number of the event that it will be.
  public var number: Int
  /// The first frame, with the time before that was asked for.
  public var start: FrameTimestamp
  /// The last frame that belongs to it so far.
  public var end: FrameTimestamp
  /// The frame in which most travels, so far.
  public var peak: FrameTimestamp
  /// The score at ``peak``, in percent of the image: how much travels there.
  public var peakScore: Double
  /// A Boolean value that tells whether the motion has lasted long enough; what has not may still come to nothing, and
  /// another one get the number.
  public var isCertain: Bool

  /// Motion that is going on, as the detector found it.
  public init(
    number: Int, start: FrameTimestamp, end: FrameTimestamp, peak: FrameTimestamp, peakScore: Double, isCertain: Bool
  ) {
    self.number = number
    self.start = start
    self.end = end
    self.peak = peak
    self.peakScore = peakScore
    self.isCertain = isCertain
  }
}

/// A time in which something other than motion changed the image.
public struct SuppressedPeriod: Sendable, Hashable, Codable {
  /// The causes other than motion that may change an image.
  public enum Reason: String, Sendable, Hashable, CaseIterable, Codable {
    /// Brightness changed with nothing moving there.
    case lighting
    /// The camera moved.
    case camera
    /// Another scene began.
    case cut
    /// An insect or a spider moved close to the lens.
    case insect
  }

  /// The first frame of it.
  public var start: FrameTimestamp
  /// The last frame of it.
  public var end: FrameTimestamp
  /// The cause that changed the image.
  public var reason: Reason

  /// A time between two frames, both among it.
  public init(start: FrameTimestamp, end: FrameTimestamp, reason: Reason) {
    self.start = start
    self.end = end
    self.reason = reason
  }
}
