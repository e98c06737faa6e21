import Imaging

extension FeatureSet {
  /// Finds and describes the keypoints of an image.
  init(of image: Plane<Float>, parameters: FeatureRegistrationParameters, parallelism: Parallelism) {
    let spread = image.standardDeviation
    // An image without any contrast has keypoints of rounding errors only.
    guard spread > 1e-3, spread.isFinite else {
      self.init()
      return
    }
    let space = ScaleSpace(of: image, parallelism: parallelism)
    let detector = KeypointDetector(threshold: Float(parameters.contrast * spread))
    let candidates = space.octaves.enumerated().flatMap { index, octave in
      detector.candidates(in: octave, index: index, parallelism: parallelism)
    }
    let chosen = candidates.strongest(parameters.maximumFeatures, octaves: space.octaves, size: image.size)
    self = KeypointDescriber().features(of: chosen, in: space.octaves, parallelism: parallelism)
  }
}

extension Plane where Scalar == Float {
  /// The standard deviation of all pixels.
  var standardDeviation: Double {
    withView { view in
      var (sum, squares) = (0.0, 0.0)
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width {
          let value = Double(row[x])
          sum += value
          squares += value * value
        }
      }
      let mean = sum / Double(max(size.area, 1))
      return max(squares / Double(max(size.area, 1)) - mean * mean, 0).squareRoot()
    }
  }
}
