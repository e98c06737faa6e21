/// Tells whether frames are missing between two of a video, by the time between them.
///
/// There are two ways to know which time is usual. Where a file declares how long a frame shows, two frames are enough,
/// in any order and on any thread: ``interval(from:lasting:to:step:)``. Otherwise, and where the pace may vary, it is
/// learned from the frames, one after the other: ``interval(at:)``.
package struct FrameGapDetector: Sendable {
  /// The time between two frames beside the longest one without a gap, both in the same unit.
  package struct Interval: Sendable {
    /// The time from the first frame to the second one.
    package let elapsed: Double
    /// The time above which frames are missing.
    package let limit: Double

    /// A Boolean value that tells whether frames are missing.
    package var isGap: Bool { elapsed > limit }
  }

  private var last: Double?
  private var usual: Double?

  // The numbers were chosen by hand.

  /// The minimum length of a gap by declared durations, in durations of a frame.
  private static let gapInDurations = 2.5
  /// The minimum length of a gap by the learned pace, in seconds.
  private static let minimumGap = 1.5
  /// The minimum length of a gap by the learned pace, in multiples of the usual time from frame to frame.
  private static let gapInFrames = 4.0
  /// The weight of one frame in the usual time from frame to frame.
  private static let weight = 0.1

  package init() {}

  /// Returns the time between two frames, in ticks of the first one's time base, by declared durations.
  /// - Parameters:
  ///   - duration: The time for which the first frame shows, in ticks of its time base; not above 0: unknown.
  ///   - step: The distance of the two frames while none is missing, in frames, 1 or more.
  /// - Returns: Nil when the duration is unknown.
  package static func interval(
    from previous: MediaTime, lasting duration: Int64, to current: MediaTime, step: Int = 1
  ) -> Interval? {
    guard duration > 0 else { return nil }
    let elapsed = current.value.subtractingSaturated(previous.value)
    return Interval(elapsed: Double(elapsed), limit: (Double(step - 1) + gapInDurations) * Double(duration))
  }

  /// Returns the time from the frame before to the one at `seconds`, in seconds, by the pace of the frames so far; nil
  /// for the first frame.
  package mutating func interval(at seconds: Double) -> Interval? {
    defer { last = seconds }
    guard let last else { return nil }
    let elapsed = seconds - last
    let expected = usual ?? elapsed
    usual = expected + Self.weight * (elapsed - expected)
    return Interval(elapsed: elapsed, limit: max(Self.minimumGap, Self.gapInFrames * expected))
  }
}
