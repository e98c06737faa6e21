import Imaging

extension MotionTracker {
  /// Takes what stands out between two frames as the regions that move, as ``associate(regions:at:)`` does.
  ///
  /// The boxes lie in the first of the two frames, where the tracks must be: first comes this call, then
  /// ``advance(by:to:image:chrominance:)`` along the same pair.
  /// - Parameters:
  ///   - saliency: What stands out between the frame that the tracks are at and the next one.
  ///   - timestamp: The frame that the tracks are at.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch`; then the tracks are as they were.
  public mutating func associate(
    _ saliency: MotionSaliencyObservation, at timestamp: FrameTimestamp
  ) throws(AnalysisError) {
    guard saliency.size == size else {
      throw AnalysisError(
        code: .sizeMismatch, message: "the observation is \(saliency.size), the tracker's frames are \(size)")
    }
    try associate(regions: saliency.boundingBoxes, at: timestamp)
  }
}
