// The size at which images are analysed, when that has to be done in time.

import MotionDetection
import Synchronization

/// The longest side of analysed images, lowered where frames take longer than they may.
///
/// The thread that measures lowers it, the one that decodes reads it. It never rises again: a machine that is too slow
/// once is so whenever as much moves, and each change costs the analysis what it knew of the scene.
final class AnalysisScale: Sendable {
  /// The minimum length of the longest side, in pixels: nothing of use is seen in smaller images.
  static let minimumSide = 120
  /// The number of frames whose mean time is compared.
  private static let frameCount = 12
  /// The factor on the longest side with each reduction.
  private static let factor = 0.75

  /// The maximum time for the analysis of a frame, in seconds; nil: no limit.
  private let deadline: Double?
  private let side = Atomic<Int>(MotionParameters.analysisSide)
  private let spent = Mutex((seconds: 0.0, frames: 0))

  init(deadline: Double?) { self.deadline = deadline }

  var longestSide: Int { side.load(ordering: .relaxed) }

  /// Takes the time of the analysis of a frame, in seconds.
  /// - Returns: The mean of the last frames in seconds, when the size was lowered because of it.
  func note(seconds: Double) -> Double? {
    guard let deadline else { return nil }
    let mean = spent.withLock { spent -> Double? in
      spent.seconds += seconds
      spent.frames += 1
      guard spent.frames == Self.frameCount else { return nil }
      defer { spent = (0, 0) }
      return spent.seconds / Double(Self.frameCount)
    }
    guard let mean, mean > deadline, longestSide > Self.minimumSide else { return nil }
    side.store(max(Self.minimumSide, Int(Double(longestSide) * Self.factor)), ordering: .relaxed)
    return mean
  }
}
