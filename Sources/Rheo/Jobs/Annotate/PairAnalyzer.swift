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
  /// A Boolean value that tells whether a cut lies between the frames, so that the flow means nothing.
  var isCut = false
  /// The outlines of what moves; nil unless the analysis looks for them.
  var contours: ContourHierarchy?
  /// The degree to which each pixel stands out by its motion, 0…1; nil unless the analysis looks for it.
  var saliency: Plane<Float>?
}

/// Findings of a pair besides its flow.
enum PairFindings: Sendable {
  /// The flow alone.
  case flow
  /// Cuts, too.
  case cuts
  /// Cuts, and the outlines of what moves.
  case contours
  /// Cuts, and how far each pixel stands out by its motion.
  case saliency

  /// A Boolean value that tells whether they are found from the flow of two prepared frames alone.
  var servesPairs: Bool { self == .flow || self == .cuts }
}

/// The results that were computed of a frame alone, for both of its pairs.
struct AnalysedFrame: Sendable {
  var prepared: PreparedFrame
  var camera: CameraCompensation.Frame?
  /// The small image that cuts are found by; nil where nobody looks for them.
  var small: Plane<Float>?
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
  var findings = PairFindings.flow
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

  /// A Boolean value that tells whether pairs may be analysed in any order.
  private var areIndependent: Bool { FlowPairHandler.serves(request) && findings.servesPairs }

  /// The number of threads that take tasks.
  var threadCount: Int {
    guard areIndependent else { return 1 }
    let fitting = Self.memoryLimit / max(1, size.area * Self.bytesPerPixel)
    return max(1, min(parallelism.threadCount, Self.pairLimit, fitting))
  }

  /// The threads that each thread which takes tasks has for itself.
  var threadParallelism: Parallelism { Parallelism(threadCount: max(1, parallelism.threadCount / threadCount)) }

  /// Makes the analyzer of one of the threads that take tasks.
  func makeAnalyzer() throws -> any PairAnalyzer {
    if let sharedFlow { return try SharedPairAnalyzer(self, sharedFlow) }
    let parallelism = threadParallelism
    return areIndependent
      ? try IndependentPairAnalyzer(self, parallelism: parallelism)
      : SuccessivePairAnalyzer(self, parallelism: parallelism)
  }
}
