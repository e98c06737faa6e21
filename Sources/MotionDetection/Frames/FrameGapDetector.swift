/// Tells gaps from the ordinary pace of a video, which may vary. Used by one thread.
struct FrameGapDetector {
  private var last: Double?
  private var usual: Double?

  /// A gap lasts at least this many seconds,
  private static let minimumGap = 1.5
  /// and this many times the usual time from frame to frame.
  private static let gapInFrames = 4.0
  /// How much one frame counts in what is usual.
  private static let weight = 0.1

  /// Whether frames are missing before the one at `seconds`; nil for the first.
  mutating func gap(at seconds: Double) -> RuleResult? {
    defer { last = seconds }
    guard let last else { return nil }
    let elapsed = seconds - last
    let expected = usual ?? elapsed
    usual = expected + Self.weight * (elapsed - expected)
    return RuleResult(.gap, elapsed, limit: max(Self.minimumGap, Self.gapInFrames * expected))
  }
}
