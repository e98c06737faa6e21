/// The rules for what counts as motion. Lengths are in pixels of the analysed image, about ``analysisSide`` long; times
/// in seconds.
///
/// The defaults were tuned on six clips of fixed cameras (roads, a table, a garden, a waving tree) and on synthetic
/// scenes; one set serves them all.
public struct MotionParameters: Sendable, Hashable {
  /// The longest side at which images are analysed.
  public static let analysisSide = 320
  /// The side of a cell, the unit of area, in pixels.
  public static let cellSide = 4

  /// The maximum share of the last second in which a cell may have moved for slow motion to be looked for there: at
  /// the distance in time of temporal averages, what moves from frame to frame looks like anything.
  public var maximumRecentMotion: Float = 0.25
  /// The minimum distance that something must travel, as a share of the longest side: 4 pixels of 320.
  public var travelShare: Float = 0.0125
  /// The time over which travelling counts, in seconds.
  public var window = 1.0
  /// The minimum number of pairs of frames that the window holds, for slow frame rates.
  public var minimumWindowSteps = 6
  /// The factor by which the squared difference must exceed a cell's noise floor.
  public var noiseFactor: Float = 4
  /// The amount by which the squared difference must exceed the noise floor times ``noiseFactor``, in squared grey
  /// levels: that which rounding and compression do to a still image.
  public var noiseOffset: Float = 2
  /// The maximum share of the squared difference that the flow may leave.
  public var explainedShare: Float = 0.7
  /// The minimum speed of the flow, in pixels per pair; slower flow is none.
  public var minimumSpeed: Float = 0.15
  /// The maximum speed of the flow, in pixels per pair; faster flow is none, since others see it.
  public var maximumSpeed = Float.infinity
  /// The minimum length of the straight way, as a share of the way that was gone: a waving branch comes back.
  public var straightness: Float = 0.6
  /// The time for which something that moved still counts as moving, in seconds.
  public var holdTime = 0.2
  /// The time after which something that has not moved is forgotten, in seconds.
  public var forgetTime = 0.4
  /// The multiple of a cell's oscillation amplitude by which the way must exceed ``travelShare`` there.
  public var oscillationWeight: Float = 1.25
  /// The time below which motion counts as new, in seconds: it may be half a swing of a branch, and must get further by
  /// ``youthFactor``.
  public var trustTime = 0.6
  /// The additional distance that something new must travel, in multiples of ``travelShare``; less the longer it is
  /// seen.
  public var youthFactor: Float = 3
  /// The time at the beginning of a scene in which everything counts as new, in seconds; less and less so towards its
  /// end.
  public var learningTime = 2.0
  /// The time in which a cell's oscillation amplitude is learned, in seconds.
  public var oscillationRise = 1.0
  /// The time in which a cell's oscillation amplitude is forgotten, in seconds.
  public var oscillationFall = 20.0

  /// Creates the default parameters.
  public init() {}

  /// Returns the rules for means of so many frames, one after the other.
  ///
  /// Times grow with the images' distance, but branches need no longer for half a swing than they do. A mean is
  /// never as noisy as a frame may be. What moves faster than ``maximumSpeed`` is seen from frame to frame.
  public func slowed(by frames: Int) -> MotionParameters {
    var slow = self
    for time in [\MotionParameters.window, \.holdTime, \.forgetTime, \.oscillationRise, \.oscillationFall] {
      slow[keyPath: time] *= Double(frames)
    }
    slow.trustTime = min(trustTime * Double(frames), 2.4)
    slow.learningTime = min(learningTime * Double(frames), 5)
    slow.noiseFactor = 2.5
    slow.maximumSpeed = 4
    return slow
  }
}
