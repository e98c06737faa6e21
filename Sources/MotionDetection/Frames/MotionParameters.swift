/// What counts as motion. Lengths are in pixels of the analysed image, about ``analysisSide`` long; times in seconds.
///
/// The defaults were tuned on six clips of fixed cameras (roads, a table, a garden, a waving tree) and on synthetic scenes;
/// one set serves them all.
public struct MotionParameters: Sendable, Hashable {
  /// The longest side at which images are analysed.
  public static let analysisSide = 320
  /// The side of a cell, the unit of area, in pixels.
  public static let cellSide = 4

  /// Where things moved in more than this share of the last second nothing slow is looked for; see
  /// ``MotionAnalyzer/advance(previous:current:flow:camera:recentMotion:seconds:)``.
  public var maximumRecentMotion: Float = 0.25
  /// How far something must travel, as a share of the longest side: 4 pixels of 320.
  public var travelShare: Float = 0.0125
  /// Over how long the travelling counts.
  public var window = 1.0
  /// The window holds at least this many pairs of frames: for slow frame rates.
  public var minimumWindowSteps = 6
  /// By which factor the squared difference must exceed a cell's noise floor.
  public var noiseFactor: Float = 4
  /// And by how much more, in squared grey levels: what rounding and compression do to a still image.
  public var noiseOffset: Float = 2
  /// The flow must lower the squared difference to this share.
  public var explainedShare: Float = 0.7
  /// Slower flow is none, in pixels per pair.
  public var minimumSpeed: Float = 0.15
  /// Faster flow is none: others see it.
  public var largestSpeed = Float.infinity
  /// The least length of the straight way as a share of the way that was gone: a waving branch comes back.
  public var straightness: Float = 0.6
  /// What moved within this time still moves.
  public var holdTime = 0.2
  /// What has not moved for this long is forgotten.
  public var forgetTime = 0.4
  /// By how many times the usual swing of a place the way must exceed ``travelShare`` there.
  public var oscillationWeight: Float = 1.25
  /// What has been seen for less than this may be half a swing of a branch, and must get further: ``youthFactor``.
  public var trustTime = 0.6
  /// How much further than ``travelShare`` something new must get, in multiples of it; less the longer it is seen.
  public var youthFactor: Float = 3
  /// In the first seconds of a scene everything counts as new.
  public var learningTime = 2.0
  /// The seconds in which a place's usual swing is learned.
  public var oscillationRise = 1.0
  /// The seconds in which a usual swing is forgotten.
  public var oscillationFall = 20.0

  /// The defaults.
  public init() {}

  /// The rules for means of so many frames, one after the other.
  ///
  /// Times grow with the images' distance, but branches need no longer for half a swing than they do. A mean has no noisy
  /// moments as frames have. What moves faster than ``largestSpeed`` is seen from frame to frame.
  public func slowed(by frames: Int) -> MotionParameters {
    var slow = self
    for time in [\MotionParameters.window, \.holdTime, \.forgetTime, \.oscillationRise, \.oscillationFall] {
      slow[keyPath: time] *= Double(frames)
    }
    slow.trustTime = min(trustTime * Double(frames), 2.4)
    slow.learningTime = min(learningTime * Double(frames), 5)
    slow.noiseFactor = 2.5
    slow.largestSpeed = 4
    return slow
  }
}
