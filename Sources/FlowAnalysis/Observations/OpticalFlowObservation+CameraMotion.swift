import Imaging

extension OpticalFlowObservation {
  /// Returns the observation without the camera's motion: vectors are zero where only the camera moved.
  ///
  /// Confidence and occlusion stay as they are.
  /// - Parameters:
  ///   - warpTransform: Pixels of `current` to pixels of `previous`, as a registration of `current` (floating) to
  ///     `previous` (reference) finds it. A map without inverse changes nothing.
  ///   - parallelism: The number of threads to use; changes no result.
  public func subtracting(
    cameraMotion warpTransform: Homography, parallelism: Parallelism = Parallelism()
  ) -> OpticalFlowObservation {
    guard warpTransform != .identity, let forward = warpTransform.inverse else { return self }
    var (flow, backwardFlow) = (flow, backwardFlow)
    flow.subtract(motionOf: direction == .backward ? warpTransform : forward, parallelism: parallelism)
    backwardFlow?.subtract(motionOf: warpTransform, parallelism: parallelism)
    return OpticalFlowObservation(
      flow: flow, direction: direction, previousTime: previousTime, currentTime: currentTime,
      backwardFlow: backwardFlow, confidence: confidence, occlusion: occlusion, minimumEigenvalue: minimumEigenvalue)
  }

  /// The observation of a request that does not ask for the confidence.
  package var withoutConfidence: OpticalFlowObservation {
    OpticalFlowObservation(
      flow: flow, direction: direction, previousTime: previousTime, currentTime: currentTime,
      backwardFlow: backwardFlow, occlusion: occlusion, minimumEigenvalue: minimumEigenvalue)
  }
}
