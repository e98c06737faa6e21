import Imaging
import TestSupport

@testable import Registration

/// Pairs of images with a known map from the floating one to the reference.
struct SyntheticPair {
  var reference: Plane<Float>
  var floating: Plane<Float>
  var truth: Homography

  init(reference: Plane<Float>, floating: Plane<Float>, truth: Homography) {
    (self.reference, self.floating, self.truth) = (reference, floating, truth)
  }

  /// Both show one texture: the reference at (x, y), the floating image at truth(x, y).
  init(
    _ truth: Homography, size: PixelSize = PixelSize(width: 200, height: 150), floatingSize: PixelSize? = nil,
    gain: Float = 1, offset: Float = 0, noise: Float = 0, seed: UInt64 = 3
  ) {
    let texture = Blobs(seed: seed)
    var random = FixedRandom(seed: seed + 100)
    func degrade(_ value: Float) -> Float {
      // The sum of twelve even numbers is nearly normal.
      let normal =
        noise > 0 ? (0..<12).reduce(Float(-6)) { sum, _ in sum + Float.random(in: 0..<1, using: &random) } : 0
      return value + normal * noise
    }
    self.truth = truth
    let floatingSize = floatingSize ?? size
    reference = Plane(width: size.width, height: size.height) { x, y in
      degrade(Float(texture.value(Double(x), Double(y))))
    }
    floating = Plane(width: floatingSize.width, height: floatingSize.height) { x, y in
      let position = truth.apply(x: Double(x), y: Double(y))
      return degrade(Float(texture.value(position.x, position.y)) * gain + offset)
    }
  }

  /// A map about the middle of an image of `size`: a linear part and a shift.
  static func centered(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, x: Double, y: Double,
    size: PixelSize = PixelSize(width: 200, height: 150)
  ) -> Homography {
    let (cx, cy) = (Double(size.width - 1) / 2, Double(size.height - 1) / 2)
    return Homography([a, b, cx - a * cx - b * cy + x, c, d, cy - c * cx - d * cy + y, 0, 0, 1])
  }

  /// The maximum distance of the corners of the floating image from where they belong.
  func cornerError(_ result: RegistrationResult) -> Double {
    result.warpTransform.farthestCornerDistance(to: truth, size: floating.size)
  }

  func estimate(_ model: TransformModel, near guess: Homography) -> RegistrationResult {
    RegistrationEngine(model: model).estimate(reference: reference, floating: floating, near: guess)
  }

  func estimate(_ model: TransformModel, threads: Int = 1) -> RegistrationResult {
    RegistrationEngine(model: model, parallelism: Parallelism(threadCount: threads))
      .estimate(reference: reference, floating: floating)
  }
}
