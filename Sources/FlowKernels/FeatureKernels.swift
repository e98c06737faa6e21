import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of keypoints: detection, description, matching. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct FeatureKernels: Sendable {
  public static let patchSide = FlowKernelsBaseline.featurePatchSide
  public static let patchCapacity = FlowKernelsBaseline.featurePatchCapacity
  public static let scratchCapacity = FlowKernelsBaseline.featureScratchCapacity
  public static let descriptorLength = FlowKernelsBaseline.descriptorLength

  public let symmetricSum:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, _ radius: Int,
      _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) -> Void
  public let subtractRow:
    @Sendable (
      _ minuend: UnsafePointer<Float>, _ subtrahend: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>,
      _ count: Int
    ) -> Void
  public let findExtrema:
    @Sendable (
      _ rows: UnsafePointer<UnsafePointer<Float>>, _ threshold: Float, _ columns: UnsafeMutablePointer<Int32>,
      _ first: Int, _ count: Int
    ) -> Int
  public let samplePatch:
    @Sendable (
      _ image: UnsafePointer<Float>, _ stride: Int, _ width: Int, _ height: Int, _ frame: UnsafePointer<Float>,
      _ grid: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>
    ) -> Void
  public let directionHistogram:
    @Sendable (
      _ patch: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ scratch: UnsafeMutablePointer<Float>,
      _ histogram: UnsafeMutablePointer<Float>, _ bins: Int
    ) -> Void
  public let describePatch:
    @Sendable (
      _ patch: UnsafePointer<Float>, _ weights: UnsafePointer<Float>, _ shares: UnsafePointer<Float>,
      _ scratch: UnsafeMutablePointer<Float>, _ output: UnsafeMutablePointer<Float>
    ) -> Void
  public let compareDescriptors:
    @Sendable (
      _ queries: UnsafePointer<Float>, _ list: UnsafePointer<Float>, _ blockCount: Int,
      _ scores: UnsafeMutablePointer<Float>
    ) -> Void
  public let raiseBest:
    @Sendable (
      _ scores: UnsafePointer<Float>, _ query: Int32, _ best: UnsafeMutablePointer<Float>,
      _ bestQuery: UnsafeMutablePointer<Int32>, _ count: Int
    ) -> Void
  public let placeOfBest: @Sendable (_ scores: UnsafePointer<Float>, _ count: Int) -> Int
  public let bestElsewhere:
    @Sendable (
      _ scores: UnsafePointer<Float>, _ xs: UnsafePointer<Float>, _ ys: UnsafePointer<Float>, _ x: Float, _ y: Float,
      _ radius: Float, _ count: Int
    ) -> Float
  public let explainedMatches:
    @Sendable (
      _ maps: UnsafePointer<Float>, _ matches: UnsafePointer<Float>, _ count: Int, _ inverseSquareLimit: Float
    ) -> Float

  static func table(for level: ProcessorLevel) -> FeatureKernels {
    switch level {
    case .baseline:
      FeatureKernels(
        symmetricSum: FlowKernelsBaseline.symmetricSum,
        subtractRow: FlowKernelsBaseline.subtractRow,
        findExtrema: FlowKernelsBaseline.findExtrema,
        samplePatch: FlowKernelsBaseline.samplePatch,
        directionHistogram: FlowKernelsBaseline.directionHistogram,
        describePatch: FlowKernelsBaseline.describePatch,
        compareDescriptors: FlowKernelsBaseline.compareDescriptors,
        raiseBest: FlowKernelsBaseline.raiseBest,
        placeOfBest: FlowKernelsBaseline.placeOfBest,
        bestElsewhere: FlowKernelsBaseline.bestElsewhere,
        explainedMatches: FlowKernelsBaseline.explainedMatches)
    case .v3:
      FeatureKernels(
        symmetricSum: FlowKernelsV3.symmetricSum,
        subtractRow: FlowKernelsV3.subtractRow,
        findExtrema: FlowKernelsV3.findExtrema,
        samplePatch: FlowKernelsV3.samplePatch,
        directionHistogram: FlowKernelsV3.directionHistogram,
        describePatch: FlowKernelsV3.describePatch,
        compareDescriptors: FlowKernelsV3.compareDescriptors,
        raiseBest: FlowKernelsV3.raiseBest,
        placeOfBest: FlowKernelsV3.placeOfBest,
        bestElsewhere: FlowKernelsV3.bestElsewhere,
        explainedMatches: FlowKernelsV3.explainedMatches)
    case .v4:
      FeatureKernels(
        symmetricSum: FlowKernelsV4.symmetricSum,
        subtractRow: FlowKernelsV4.subtractRow,
        findExtrema: FlowKernelsV4.findExtrema,
        samplePatch: FlowKernelsV4.samplePatch,
        directionHistogram: FlowKernelsV4.directionHistogram,
        describePatch: FlowKernelsV4.describePatch,
        compareDescriptors: FlowKernelsV4.compareDescriptors,
        raiseBest: FlowKernelsV4.raiseBest,
        placeOfBest: FlowKernelsV4.placeOfBest,
        bestElsewhere: FlowKernelsV4.bestElsewhere,
        explainedMatches: FlowKernelsV4.explainedMatches)
    }
  }
}
