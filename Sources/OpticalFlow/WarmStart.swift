// A flow to start from, brought to the size of a pyramid's coarsest level.

import Imaging

extension FlowField {
  /// The field averaged down to `target`, its vectors in pixels of that size. All vectors must be known.
  func reduced(to target: PixelSize, parallelism: Parallelism) -> FlowField {
    guard target != size else { return self }
    let scale = (x: Float(target.width) / Float(width), y: Float(target.height) / Float(height))
    return FlowField(
      u: u.averaged(to: target, factor: scale.x, parallelism: parallelism),
      v: v.averaged(to: target, factor: scale.y, parallelism: parallelism))
  }
}

extension Plane where Scalar == Float {
  fileprivate func averaged(to target: PixelSize, factor: Float, parallelism: Parallelism) -> Plane<Float> {
    // A Gaussian about as wide as a target pixel.
    let sigma = 0.5 * max(Double(width) / Double(target.width), Double(height) / Double(target.height))
    var small = Plane<Float>(size: target)
    smoothAndResize(
      with: SmoothingKernel(sigma: sigma, radius: max(1, Int((2 * sigma).rounded(.up)))), into: &small,
      parallelism: parallelism)
    small.withMutableView { view in
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width { row[x] *= factor }
      }
    }
    return small
  }
}
