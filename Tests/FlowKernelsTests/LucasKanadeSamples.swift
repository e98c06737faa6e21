import FlowKernelTypes
import FlowKernels
import TestSupport

/// Two images of random numbers, laid out as the Lucas-Kanade kernels want them, and what the kernels compute, one
/// pixel at a time.
struct MotionPair {
  static let margin = 16
  static let height = 5
  let width: Int
  let rowStride: Int
  let previous: GuardedRow
  let current: GuardedRow

  init(width: Int, kind: SampleKind, random: inout FixedRandom) {
    self.width = width
    rowStride = width + 2 * Self.margin
    let count = rowStride * (Self.height + 5)
    previous = GuardedRow(kind.values(count, using: &random))
    current = GuardedRow(kind.values(count, using: &random))
  }

  /// The pixel (0, y) of an image, which has two rows above it.
  func row(_ image: GuardedRow, _ y: Int) -> UnsafePointer<Float> {
    UnsafePointer(image.base + (Self.margin + (y + 2) * rowStride))
  }

  /// The second image.
  var second: ImageRows { ImageRows(base: row(current, 0), stride: rowStride, width: width, height: Self.height) }

  /// The image and its gradient at a position between the pixels; nil outside.
  func sample(_ x: Float, _ y: Float, isBicubic: Bool) -> (value: Float, gx: Float, gy: Float)? {
    guard x >= 0, y >= 0, x <= Float(width - 1), y <= Float(Self.height - 1) else { return nil }
    let (x0, y0) = (x.rounded(.down), y.rounded(.down))
    let base = row(current, Int(y0)) + Int(x0)
    let pixels = (-1...2).map { j in (-1...2).map { base[j * rowStride + $0] } }
    return isBicubic ? bicubic(pixels, x - x0, y - y0) : bilinear(pixels, x - x0, y - y0)
  }

  private func bilinear(_ p: [[Float]], _ fx: Float, _ fy: Float) -> (Float, Float, Float) {
    let (ex, ey) = (1 - fx, 1 - fy)
    let values = p.map { $0[1] * ex + $0[2] * fx }
    let slopes = p.map { ($0[2] - $0[0]) * ex + ($0[3] - $0[1]) * fx }
    return (
      values[1] * ey + values[2] * fy, (slopes[1] * ey + slopes[2] * fy) * 0.5,
      ((values[2] - values[0]) * ey + (values[3] - values[1]) * fy) * 0.5
    )
  }

  private func bicubic(_ p: [[Float]], _ fx: Float, _ fy: Float) -> (Float, Float, Float) {
    let (ex, ey) = (1 - fx, 1 - fy)
    let (wx, wy) = (cubicWeights(fx), cubicWeights(fy))
    let values = p.map { ($0[0] * wx[0] + $0[1] * wx[1]) + ($0[2] * wx[2] + $0[3] * wx[3]) }
    let slopes = p.map { ($0[2] - $0[0]) * ex + ($0[3] - $0[1]) * fx }
    let means = p.map { row in
      let middle = row[1] * ex + row[2] * fx
      let beside = (row[0] + row[2]) * ex + (row[1] + row[3]) * fx
      return middle * 0.3125 + beside * 0.09375
    }
    let slope = slopes[1] * ey + slopes[2] * fy
    let slopeBeside = (slopes[0] + slopes[2]) * ey + (slopes[1] + slopes[3]) * fy
    return (
      (values[0] * wy[0] + values[1] * wy[1]) + (values[2] * wy[2] + values[3] * wy[3]),
      slope * 0.3125 + slopeBeside * 0.09375,
      (means[2] - means[0]) * ey + (means[3] - means[1]) * fy
    )
  }

  private func cubicWeights(_ t: Float) -> [Float] {
    [
      (t * (t * (2 - t) - 1)) * 0.5, (t * (t * (3 * t - 5)) + 2) * 0.5, (t * (t * (4 - 3 * t) + 1)) * 0.5,
      (t * (t * (t - 1))) * 0.5,
    ]
  }

  /// The gradient of the first image at a pixel.
  func gradient(x: Int, y: Int, isScharr: Bool) -> (x: Float, y: Float) {
    let p = row(previous, y) + x
    let (above, below) = (p - rowStride, p + rowStride)
    guard isScharr else { return ((p[1] - p[-1]) * 0.5, (below[0] - above[0]) * 0.5) }
    return (
      (p[1] - p[-1]) * 0.3125 + ((above[1] - above[-1]) + (below[1] - below[-1])) * 0.09375,
      (below[0] - above[0]) * 0.3125 + ((below[-1] - above[-1]) + (below[1] - above[1])) * 0.09375
    )
  }

  /// The contract of `formMotionEquations`.
  func equations(x: Int, y: Int, u: Float, v: Float, isBicubic: Bool) -> [Float] {
    var (gx, gy) = gradient(x: x, y: y, isScharr: isBicubic)
    var difference: Float = 0
    if let sample = sample(Float(x) + u, Float(y) + v, isBicubic: isBicubic) {
      gx = (gx + sample.gx) * 0.5
      gy = (gy + sample.gy) * 0.5
      difference = sample.value - row(previous, y)[x]
    }
    let target = (gx * u + gy * v) - difference
    return [gx * gx, gx * gy, gy * gy, gx * target, gy * target]
  }

  /// The contract of `measureMotionResidual`.
  func residual(x: Int, y: Int, u: Float, v: Float, limit: Float) -> Float {
    guard let sample = sample(Float(x) + u, Float(y) + v, isBicubic: false) else { return limit * 0.5 }
    let difference = sample.value - row(previous, y)[x]
    let absolute = difference < 0 ? 0 - difference : difference
    return absolute > limit ? limit : absolute
  }
}
