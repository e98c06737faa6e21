// From two frames to their flow: on several threads where pairs stand for themselves, else one after the other.

import FlowAnalysis
import Imaging
import Registration
import VideoIO

/// The results of the analysis of a pair of frames.
struct AnalysedPair: Sendable {
  /// The flow of the pair, with the camera's motion in it.
  var observation: OpticalFlowObservation
  /// The map from pixels of `current` to pixels of `previous`; nil unless the camera's motion is to be taken out.
  var cameraMotion: Homography?
}

/// The results that were computed of a frame alone, for both of its pairs.
struct AnalysedFrame: Sendable {
  var prepared: PreparedFrame
  var camera: CameraCompensation.Frame?
}

/// Computes the flow of pairs. Used by one thread.
protocol PairAnalyzer {
  /// Analyses a task; returns nil when there is no flow between its frames.
  func analyse(_ task: PairTask) throws -> AnalysedPair?
}

/// The way in which the flow of a video's pairs is computed. The result does not depend on the number of threads.
struct PairAnalysis: Sendable {
  let request: OpticalFlowRequest
  let compensation: TransformModel
  let size: PixelSize
  let parallelism: Parallelism
  /// The flow that jobs compute together; nil when this one computes its own.
  var sharedFlow: SharedFlow?

  /// The maximum number of pairs that are analysed at the same moment.
  private static let pairLimit = 8
  /// The number of bytes that pairs in analysis may take together: one pair at 3840×2160, four at 1920×1080. The other
  /// threads then share the rows of these pairs, which for images of that size costs little.
  private static let memoryLimit = 128 << 20
  /// The number of bytes that a pair takes for each of its pixels: 8 are the flow, the rest is working memory, mostly
  /// at reduced sizes, and the two frames and what is drawn on (measured with dense inverse search of low and medium
  /// accuracy).
  private static let bytesPerPixel = 16

  /// The number of threads that take tasks.
  var threadCount: Int {
    guard FlowPairHandler.serves(request) else { return 1 }
    let fitting = Self.memoryLimit / max(1, size.area * Self.bytesPerPixel)
    return max(1, min(parallelism.threadCount, Self.pairLimit, fitting))
  }

  /// The threads that each thread which takes tasks has for itself.
  var threadParallelism: Parallelism { Parallelism(threadCount: max(1, parallelism.threadCount / threadCount)) }

  /// Makes the analyzer of one of the threads that take tasks.
  func makeAnalyzer() throws -> any PairAnalyzer {
    if let sharedFlow { return try SharedPairAnalyzer(self, sharedFlow) }
    let parallelism = threadParallelism
    return FlowPairHandler.serves(request)
      ? try IndependentPairAnalyzer(self, parallelism: parallelism)
      : SuccessivePairAnalyzer(self, parallelism: parallelism)
  }
}
