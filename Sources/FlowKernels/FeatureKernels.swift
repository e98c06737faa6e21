import FlowKernelTypes
import FlowKernelsBaseline
import FlowKernelsV3
import FlowKernelsV4

/// Kernels of keypoints: detection, description, matching. Contracts stand at the functions, in `FlowKernelsBaseline`.
public struct FeatureKernels: Sendable {
  public static let patchSide = FlowKernelsBaseline.featurePatchSide
  public static let patchCapacity = FlowKernelsBaseline.featurePatchCapacity
  public static let scratchCapacity = FlowKernelsBaseline.featureScratchCapacity
  public static let descriptorLength = FlowKernelsBaseline.descriptorLength
  public static let comparedDescriptorCount = FlowKernelsBaseline.comparedDescriptorCount

  public internal(set) var symmetricSum = FlowKernelsBaseline.symmetricSum
  public internal(set) var subtractRow = FlowKernelsBaseline.subtractRow
  public internal(set) var findExtrema = FlowKernelsBaseline.findExtrema
  public internal(set) var samplePatch = FlowKernelsBaseline.samplePatch
  public internal(set) var directionHistogram = FlowKernelsBaseline.directionHistogram
  public internal(set) var describePatch = FlowKernelsBaseline.describePatch
  public internal(set) var compareDescriptors = FlowKernelsBaseline.compareDescriptors
  public internal(set) var raiseBest = FlowKernelsBaseline.raiseBest
  public internal(set) var indexOfBest = FlowKernelsBaseline.indexOfBest
  public internal(set) var bestElsewhere = FlowKernelsBaseline.bestElsewhere
  public internal(set) var explainedMatches = FlowKernelsBaseline.explainedMatches

  static func table(for level: ProcessorLevel) -> FeatureKernels {
    switch level {
    case .baseline: FeatureKernels()
    case .v3:
      FeatureKernels(
        symmetricSum: FlowKernelsV3.symmetricSum, subtractRow: FlowKernelsV3.subtractRow,
        findExtrema: FlowKernelsV3.findExtrema, samplePatch: FlowKernelsV3.samplePatch,
        directionHistogram: FlowKernelsV3.directionHistogram, describePatch: FlowKernelsV3.describePatch,
        compareDescriptors: FlowKernelsV3.compareDescriptors, raiseBest: FlowKernelsV3.raiseBest,
        indexOfBest: FlowKernelsV3.indexOfBest, bestElsewhere: FlowKernelsV3.bestElsewhere,
        explainedMatches: FlowKernelsV3.explainedMatches)
    case .v4:
      FeatureKernels(
        symmetricSum: FlowKernelsV4.symmetricSum, subtractRow: FlowKernelsV4.subtractRow,
        findExtrema: FlowKernelsV4.findExtrema, samplePatch: FlowKernelsV4.samplePatch,
        directionHistogram: FlowKernelsV4.directionHistogram, describePatch: FlowKernelsV4.describePatch,
        compareDescriptors: FlowKernelsV4.compareDescriptors, raiseBest: FlowKernelsV4.raiseBest,
        indexOfBest: FlowKernelsV4.indexOfBest, bestElsewhere: FlowKernelsV4.bestElsewhere,
        explainedMatches: FlowKernelsV4.explainedMatches)
    }
  }
}
