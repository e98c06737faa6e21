/// A positive or negative fraction, in units of its own: frame rates, time bases, aspect ratios.
public struct Rational: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Above the line; carries the sign when the denominator is positive.
  public var numerator: Int32
  /// Below the line; 0 stands for “unknown” in FFmpeg's headers.
  public var denominator: Int32

  /// A fraction as given: it is not reduced.
  public init(_ numerator: Int32, _ denominator: Int32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The nearest floating-point number; infinite or NaN when the denominator is 0.
  public var doubleValue: Double { Double(numerator) / Double(denominator) }
  /// A Boolean value that tells whether both parts are above 0, as those of frame rates and time bases are.
  public var isPositive: Bool { numerator > 0 && denominator > 0 }
  public var description: String { "\(numerator)/\(denominator)" }
}

/// A point or span of time as a whole number of ticks: exact, as containers store it.
///
/// Times with different time bases compare exactly. `seconds` is for display.
public struct MediaTime: Sendable, Codable, CustomStringConvertible {
  /// Ticks of `timeBase`.
  public var value: Int64
  /// Seconds per tick.
  public var timeBase: Rational

  /// A time of `value` ticks.
  ///
  /// - Parameters:
  ///   - value: Ticks; negative before the origin.
  ///   - timeBase: Seconds per tick, positive.
  public init(value: Int64, timeBase: Rational) {
    precondition(timeBase.isPositive, "a time base is positive, not \(timeBase)")
    self.value = value
    self.timeBase = timeBase
  }

  /// The time as a floating-point number, for display and for coarse comparison.
  public var seconds: Double { Double(value) * Double(timeBase.numerator) / Double(timeBase.denominator) }

  /// `hh:mm:ss.mmm`, rounded to the millisecond.
  public var timecode: String { Self.timecode(seconds: seconds) }

  /// Returns a time as `hh:mm:ss.mmm`, rounded to the millisecond; with a sign for negative times. A time that no clock
  /// shows, above 30 million years or NaN, is `--:--:--.---`.
  public static func timecode(seconds: Double) -> String {
    guard abs(seconds) < 1e15 else { return "--:--:--.---" }
    let milliseconds = Int((abs(seconds) * 1000).rounded())
    func digits(_ value: Int, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return (seconds < 0 && milliseconds > 0 ? "-" : "") + digits(milliseconds / 3_600_000, 2) + ":"
      + digits(milliseconds / 60_000 % 60, 2) + ":" + digits(milliseconds / 1000 % 60, 2) + "."
      + digits(milliseconds % 1000, 3)
  }

  public var description: String { "\(value)·\(timeBase)s" }

  /// The time in ticks of another time base, rounded to the nearest.
  public func rescaled(to base: Rational) -> MediaTime {
    guard base != timeBase else { return self }
    let numerator = Int128(value) * Int128(timeBase.numerator) * Int128(base.denominator)
    let denominator = Int128(timeBase.denominator) * Int128(base.numerator)
    let half = numerator < 0 ? -denominator / 2 : denominator / 2
    return MediaTime(value: Int64(clamping: (numerator + half) / denominator), timeBase: base)
  }

  private static func products(_ a: MediaTime, _ b: MediaTime) -> (Int128, Int128) {
    (
      Int128(a.value) * Int128(a.timeBase.numerator) * Int128(b.timeBase.denominator),
      Int128(b.value) * Int128(b.timeBase.numerator) * Int128(a.timeBase.denominator)
    )
  }
}

extension MediaTime: Comparable, Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    let (left, right) = products(a, b)
    return left == right
  }

  public static func < (a: Self, b: Self) -> Bool {
    let (left, right) = products(a, b)
    return left < right
  }

  public func hash(into hasher: inout Hasher) {
    var a = abs(Int128(value) * Int128(timeBase.numerator))
    var b = Int128(timeBase.denominator)
    let whole = a
    let denominator = b
    while b != 0 { (a, b) = (b, a % b) }
    hasher.combine(value < 0 ? -(whole / a) : whole / a)
    hasher.combine(denominator / a)
  }
}
