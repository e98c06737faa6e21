/// The number of a frame and the time at which it shows.
public struct FrameTimestamp: Sendable, Hashable, Codable {
  /// The number of the frame among those read, from 0; for display.
  public var frame: Int
  /// The time at which the frame shows.
  public var time: MediaTime

  /// A frame by its number and its time.
  public init(frame: Int, time: MediaTime) {
    self.frame = frame
    self.time = time
  }

  /// The time in seconds.
  public var seconds: Double { time.seconds }
}
