import Imaging

/// The camera's motions of late: where it shakes, less is enough to tell that it moved again. Used by one thread. The
/// constants were chosen by hand.
struct CameraHistory: Sendable {
  /// The times at which the camera moved, in seconds, and how far, in pixels.
  private var motions: [(seconds: Double, distance: Double)] = []
  /// The time of the last look for the camera's motion where nothing but noise was seen, in seconds.
  private var lastLook = -Double.infinity

  /// The time of the last registration whose map deforms the image, in seconds.
  private var lastDeformation = -Double.infinity

  /// The time for which the camera may move again after it moved, in seconds.
  private static let memoryInSeconds = 2.0
  /// The number of recent motions of the camera from which on it shakes: what is left of a shake adds up.
  private static let shakeCount = 3
  /// The minimum time between two looks for the camera's motion where nothing but noise is seen and it has not moved of
  /// late, in seconds.
  private static let lookInterval = 0.3
  /// The time after a map that deforms the image, which water leads to again and again, until the next registration
  /// where the camera does not shake, in seconds.
  private static let deformationInterval = 0.3

  /// The knowledge of the camera with which a pair is looked at.
  struct Prior: Sendable {
    /// A Boolean value that tells whether the camera moved several times of late.
    var isShaking = false
    /// The longest motion of the camera of late, in pixels; 0: it stood still.
    var recentDistance = 0.0
    /// A Boolean value that tells whether the camera's motion is looked for although nothing stands out of the noise.
    var movedOfLate: Bool { recentDistance > 0 }
    /// A Boolean value that tells whether strong noise is reason enough to look for the camera's motion.
    var mayLook = true
    /// A Boolean value that tells whether a registration is worth its time.
    var mayRegister = true
  }

  /// Returns what is known of the camera before the pair that ends at `seconds`.
  func prior(at seconds: Double) -> Prior {
    let recent = motions.filter { seconds - $0.seconds < Self.memoryInSeconds }
    let isShaking = recent.count >= Self.shakeCount
    return Prior(
      isShaking: isShaking, recentDistance: recent.map(\.distance).max() ?? 0,
      mayLook: seconds - lastLook >= Self.lookInterval,
      mayRegister: isShaking || seconds - lastDeformation >= Self.deformationInterval)
  }

  /// Takes the next pair's evidence.
  mutating func note(_ evidence: PairEvidence) {
    let seconds = evidence.time.seconds
    if evidence.mapDeforms { lastDeformation = seconds }
    motions.removeAll { seconds - $0.seconds >= Self.memoryInSeconds }
    if evidence.lookedAtNoise { lastLook = seconds }
    if let camera = evidence.camera, camera.isStrong { motions.append((seconds, camera.distance)) }
  }

  /// Forgets the motions, after a gap or a cut.
  mutating func reset() { (motions, lastDeformation) = ([], -.infinity) }
}
