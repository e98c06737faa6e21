import Imaging
import OpticalFlow
import TestSupport

/// Two images of a texture in motion, with the exact flow.
struct SyntheticMotion {
  let previous: Plane<Float>
  let current: Plane<Float>
  let truth: (Double, Double) -> (Double, Double)

  /// The point at x of `previous` lies at matrix · (x − centre) + centre + shift in `current`.
  init(
    width: Int = 160, height: Int = 120, matrix: (Double, Double, Double, Double) = (1, 0, 0, 1),
    shift: (Double, Double) = (0, 0), texture: Texture = Texture()
  ) {
    let (a, b, c, d) = matrix
    let determinant = a * d - b * c
    let (cx, cy) = (Double(width - 1) / 2, Double(height - 1) / 2)
    previous = texture.image(width: width, height: height)
    current = texture.image(width: width, height: height) { x, y in
      let (px, py) = (x - cx - shift.0, y - cy - shift.1)
      return ((d * px - b * py) / determinant + cx, (a * py - c * px) / determinant + cy)
    }
    truth = { x, y in
      let (px, py) = (x - cx, y - cy)
      return (a * px + b * py + shift.0 - px, c * px + d * py + shift.1 - py)
    }
  }

  func flow(_ parameters: FarnebackParameters = .default, threads: Int = 1) throws -> FlowField {
    try FarnebackEngine(parameters: parameters, parallelism: Parallelism(threadCount: threads))
      .flow(previous: previous, current: current)
  }
}

extension FlowField {
  /// Every component of every vector is exactly zero (of either sign).
  var isExactlyZero: Bool { u == Plane(size: size) && v == Plane(size: size) }
  var isFinite: Bool { bits.allSatisfy { Float(bitPattern: $0).isFinite } }
}

/// The sizes that break careless code.
let awkwardSizes: [PixelSize] = [
  (1, 1), (1, 40), (40, 1), (2, 2), (3, 70), (70, 3), (5, 5), (11, 9), (31, 33), (64, 32), (65, 67), (127, 33),
].map { PixelSize(width: $0.0, height: $0.1) }

/// Parameters that take every path.
let parameterSets: [FarnebackParameters] = [
  .default, FarnebackParameters(windowKind: .gaussian),
  FarnebackParameters(pyramidScale: 0.8, levels: 20, iterations: 2),
  FarnebackParameters(levels: 0, windowSize: 1, iterations: 1, polynomialNeighborhood: 1, polynomialSigma: 0.3),
  FarnebackParameters(windowSize: 64, polynomialNeighborhood: 15, polynomialSigma: 10),
]
