import Imaging
import Registration

/// Doubts the motion of the camera that registrations of single frames tell of: they may follow snow, rain or water.
/// Used by one thread.
///
/// Claimed motions are summed up until the image must look moved. After a short way that tells waves, which come back;
/// flakes that fall side by side look like a camera for as long as they are in the image, but medians of a few frames a
/// long way apart have none in common. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes).
struct CameraClaims: Sendable {
  /// The motion of the camera since an image, by account of the registrations.
  private struct Claim: Sendable {
    var image: Plane<Float>
    var motion: Homography
  }

  private var (short, long): (Claim?, Claim?) = (nil, nil)
  /// The times of the last short and of the last long way after which the image did not look moved, in seconds; −∞: it
  /// did after the last one, or there was none yet.
  private var (lastShortStand, lastLongStand) = (-Double.infinity, -Double.infinity)
  /// A Boolean value that tells whether the image looks moved after some way by account of the registrations, with the
  /// frame that was asked about last.
  private(set) var cameraHasMoved = false

  /// The motion of a corner of the image that is a short way, in pixels.
  private static let shortWay = 6.0
  /// The motion of a corner of the image that is a long way, in pixels.
  private static let longWay = 32.0
  /// The spread of clutter, 0…1, from which on registrations are doubted.
  private static let doubtSpread = 0.25
  /// The minimum number of parts of the image that moved a long way for each one that did not: pans have 2.2 and more,
  /// snow 2.6 and less.
  private static let minimumMajority = 2
  /// The minimum number of parts that moved a long way for each one that did not, where it rains or snows, or the
  /// camera stood after the last long way.
  private static let minimumMajorityInWeather = 3
  /// The time for which a way without motion is remembered, in seconds: flakes soon fall as far again, and a camera
  /// that trembles never gets so far.
  private static let memoryInSeconds = 3.0

  /// Begins anew: after a gap or a cut.
  mutating func reset() { self = CameraClaims() }

  /// Returns whether the camera stood still all the same.
  /// - Parameters:
  ///   - map: The map from pixels of the frame before to those of `image`, as it was found.
  ///   - median: The median of the last frames before; nil: there are too few.
  ///   - clutterSpread: The share of the image in all parts of which something moves without travelling now and then.
  ///   - isWeather: A Boolean value that tells whether it rains or snows.
  ///   - seconds: The time of `image`, in seconds.
  mutating func contradict(
    _ map: Homography, _ image: Plane<Float>, median: @autoclosure () -> Plane<Float>?, clutterSpread: Double,
    isWeather: Bool, seconds: Double
  ) -> Bool {
    cameraHasMoved = false
    let isDoubted = clutterSpread > Self.doubtSpread
    if let claim = Self.completed(&long, by: map, in: image.size, wayOf: Self.longWay, median), let median = median() {
      let majority =
        remembers(lastLongStand, at: seconds) || isWeather ? Self.minimumMajorityInWeather : Self.minimumMajority
      let hasMoved = [median, image].contains { later in
        CameraMotionValidator.votes(on: claim.motion, previous: claim.image, current: later).isMajority(majority)
      }
      lastLongStand = isDoubted && !hasMoved ? seconds : -.infinity
    }
    let stands = remembers(lastLongStand, at: seconds)
    if let claim = Self.completed(&short, by: map, in: image.size, wayOf: Self.shortWay, median) {
      let isContradicted = CameraMotionValidator.isContradicted(claim.motion, previous: claim.image, current: image)
      cameraHasMoved = !isContradicted && !stands
      lastShortStand = isContradicted && isDoubted ? seconds : -.infinity
    }
    return stands || remembers(lastShortStand, at: seconds)
  }

  private func remembers(_ time: Double, at seconds: Double) -> Bool { seconds - time < Self.memoryInSeconds }

  /// Adds a motion to a claim, or begins one.
  /// - Returns: The claim, if it has come a way; another begins with the next motion.
  private static func completed(
    _ claim: inout Claim?, by map: Homography, in size: PixelSize, wayOf distance: Double, _ median: () -> Plane<Float>?
  ) -> Claim? {
    guard var whole = claim else {
      claim = median().map { Claim(image: $0, motion: map) }
      return nil
    }
    whole.motion = map * whole.motion
    let isComplete = whole.motion.largestMotion(of: size) >= distance
    claim = isComplete ? nil : whole
    return isComplete ? whole : nil
  }
}
