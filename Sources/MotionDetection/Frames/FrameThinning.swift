/// The choice of the frames that are left out: where much of the image has moved for some time and frames follow each
/// other closely, every other one tells enough, and what is tiny would not be seen among the rest. Used by one thread.
///
/// Frames with odd numbers are left out, so that a stream that is analysed in parts has the same ones. The constants
/// were chosen by hand.
struct FrameThinning: Sendable {
  /// The share of the image that flow was computed of, 0…1: a mean over about ``window``.
  private var flowShare = 0.0
  private var lastTime: Double?
  /// The time of the first pair, in seconds.
  private var start: Double?
  /// A Boolean value that tells whether frames are left out where they follow each other closely.
  private var isOn = false

  /// The time over which the share is taken, in seconds.
  private static let window = 1.0
  /// The time after which frames are left out, in seconds: before, it is learned how the scene sways.
  static let minimumAge = TravelFilter.settlingTime
  /// The shares at which frames begin to be left out, and below which all are looked at again.
  private static let (upperShare, lowerShare) = (0.6, 0.3)
  /// The maximum time between two frames of which one may be left out, in seconds: at 20 frames a second, ten are
  /// looked at.
  private static let maximumInterval = 0.051

  /// Returns whether a frame is left out.
  /// - Parameter interval: The time since the frame before, which was looked at, in seconds.
  func leavesOut(_ number: Int, interval: Double) -> Bool {
    number % 2 != 0 && leavesOutSome(interval: interval)
  }

  /// Returns whether of frames that follow each other by so many seconds some are left out.
  func leavesOutSome(interval: Double) -> Bool { isOn && interval <= Self.maximumInterval }

  /// Takes what flow was computed of for a pair, and whether the camera moved of late by more than a pixel.
  mutating func note(flowShare share: Double, cameraMoves: Bool, seconds: Double) {
    let elapsed = lastTime.map { seconds - $0 } ?? 0
    lastTime = seconds
    let age = seconds - (start ?? seconds)
    start = start ?? seconds
    flowShare += min(elapsed / Self.window, 1) * (share - flowShare)
    isOn = !cameraMoves && age >= Self.minimumAge && flowShare >= (isOn ? Self.lowerShare : Self.upperShare)
  }

  /// Forgets all, after a gap or a cut.
  mutating func reset() { self = FrameThinning() }
}
