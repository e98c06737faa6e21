import Imaging

@testable import SceneSynthesis

/// The scene `name` in a size that keeps tests fast.
func smallScene(
  _ name: SceneName, width: Int = 240, height: Int = 136, frameCount: Int? = nil, noiseSigma: Double? = nil,
  seed: UInt64 = 1, motion: Double = 1, parallelism: Parallelism = Parallelism()
) throws -> Scene {
  try Scene(
    SceneParameters(
      name: name, size: PixelSize(width: width, height: height), frameCount: frameCount, seed: seed,
      noiseSigma: noiseSigma, motion: motion),
    parallelism: parallelism)
}

extension SceneName {
  /// The scenes that are all layers: weather and light are not carried along by any flow.
  static let withExactFlow = allCases.filter(\.hasExactFlow)
  /// The scenes that try the detection of motion.
  static let forDetection = allCases.filter(\.isForDetection)
  /// The scenes with a disturbance, through which somebody passes.
  static let disturbed = forDetection.filter { ![.equalLuma, .standingVisitor, .slowCamera].contains($0) }
}

extension Plane<Float> {
  /// Bicubic interpolation (Keys, a = -0.5, doi:10.1109/TASSP.1981.1163711); nil within two pixels of the border.
  func bicubic(x: Double, y: Double) -> Double? {
    let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    guard left >= 1, top >= 1, left + 2 < width, top + 2 < height else { return nil }
    func weights(_ t: Double) -> [Double] {
      let (t2, t3) = (t * t, t * t * t)
      return [-0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3, -0.5 * t2 + 0.5 * t3]
    }
    let (wx, wy) = (weights(x - Double(left)), weights(y - Double(top)))
    var sum = 0.0
    for j in 0..<4 {
      for i in 0..<4 { sum += wx[i] * wy[j] * Double(self[left - 1 + i, top - 1 + j]) }
    }
    return sum
  }
}

extension Plane<UInt8> {
  /// Returns whether all pixels within `radius` of (x, y) that lie inside have the value at (x, y).
  func isUniform(x: Int, y: Int, radius: Int) -> Bool {
    for j in max(0, y - radius)...min(height - 1, y + radius) {
      for i in max(0, x - radius)...min(width - 1, x + radius) where self[i, j] != self[x, y] { return false }
    }
    return true
  }
}
