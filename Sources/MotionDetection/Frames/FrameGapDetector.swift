/// Tells gaps from the ordinary pace of a video, which may vary. Used by one thread.
struct FrameGapDetector {
  private var last: Double?
  private var usual: Double?

  /// The minimum length of a gap, in seconds.
  private static let minimumGap = 1.5
  /// The minimum length of a gap, in multiples of the usual time from frame to frame.
  private static let gapInFrames = 4.0
  /// The weight of one frame in the usual time from frame to frame.
  private static let weight = 0.1

  /// Returns the result of the rule that tells whether frames are missing before the one at `seconds`; nil for the
  /// first.
  mutating func gap(at seconds: Double) -> RuleResult? {
    defer { last = seconds }
    guard let last else { return nil }
    let elapsed = seconds - last
    let expected = usual ?? elapsed
    usual = expected + Self.weight * (elapsed - expected)
    return RuleResult(.gap, elapsed, limit: max(Self.minimumGap, Self.gapInFrames * expected))
  }
}
