import Imaging

/// Decides frame by frame which part of a video is delivered.
struct RangeSelection {
  enum Decision { case skip, deliver, stop }

  private let range: MediaRange
  /// The number of frames that were decided about.
  private(set) var seen = 0
  private var inRange = 0
  private var delivered = 0
  private var origin: MediaTime?
  private var first: MediaTime?
  /// The number of the first frame of the range; 0 before it.
  private(set) var firstFrameNumber = 0

  init(_ range: MediaRange) { self.range = range }

  /// The number of the frame that was decided about last: its index in the whole stream, from 0.
  var frameNumber: Int { seen - 1 }
  /// The time of the first delivered frame, when the range begins later than the video.
  var shift: MediaTime? { range.start == nil ? nil : first }

  mutating func decide(_ time: MediaTime) -> Decision {
    defer { seen += 1 }
    if origin == nil { origin = time }
    if isBeforeStart(time, number: seen, origin: origin ?? time) { return .skip }
    let elapsed = time.seconds - (origin?.seconds ?? 0)
    let slack = Self.slack(of: time)
    switch range.end {
    case .seconds(let end) where elapsed >= end - slack: return .stop
    case .frame(let end) where seen >= end: return .stop
    default: break
    }
    if first == nil { (first, firstFrameNumber) = (time, seen) }
    if let duration = range.duration, time.seconds - (first?.seconds ?? 0) >= duration - slack { return .stop }
    if let limit = range.frameCount, delivered >= limit { return .stop }
    defer { inRange += 1 }
    guard inRange % range.every == 0 else { return .skip }
    delivered += 1
    return .deliver
  }

  /// Returns whether a frame lies before the range.
  /// - Parameter origin: The time of the first frame of the video.
  func isBeforeStart(_ time: MediaTime, number: Int, origin: MediaTime) -> Bool {
    switch range.start {
    case .seconds(let start): time.seconds - origin.seconds < start - Self.slack(of: time)
    case .frame(let start): number < start
    case nil: false
    }
  }

  /// Half a tick of slack: "12.5" as a decimal fraction must find the frame at exactly 12.5 s.
  private static func slack(of time: MediaTime) -> Double { time.timeBase.doubleValue / 2 }

  /// Goes on as if the frames before `number` had been decided about.
  /// - Parameter origin: The time of the first frame of the video.
  mutating func resume(at number: Int, origin: MediaTime) {
    seen = number
    self.origin = origin
  }

  /// Returns the rough number of frames that the range will deliver out of `frames` frames in `seconds`.
  func share(of seconds: Double, frames: Double) -> Double? {
    let rate = seconds > 0 ? frames / seconds : 0
    func position(_ position: MediaRange.Position) -> Double {
      switch position {
      case .seconds(let value): rate > 0 ? value * rate : frames
      case .frame(let value): Double(value)
      }
    }
    let start = range.start.map(position) ?? 0
    var count = min(frames, range.end.map(position) ?? frames) - start
    if let duration = range.duration, rate > 0 { count = min(count, duration * rate) }
    count /= Double(range.every)
    if let limit = range.frameCount { count = min(count, Double(limit)) }
    return max(count, 1)
  }
}
