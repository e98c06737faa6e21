// Step 1 of Farnebäck's method: a quadratic polynomial for the surroundings of every pixel.

import FlowKernels
import Imaging

/// The coefficients of the polynomials of one picture: bx, by, axx, ayy, ½·axy, each a band of `size.height` rows.
struct PolynomialExpansion: Sendable {
  static let bandCount = 5
  private(set) var size: PixelSize
  /// The five bands one below the other, and one row more: sampling at the last row reads the row below, with weight 0.
  private(set) var bands: Plane<Float>

  init() {
    size = PixelSize(width: 0, height: 0)
    bands = Plane(width: 0, height: 0)
  }

  /// Expands `image` with Gaussian weights, borders replicated.
  mutating func expand(_ image: Plane<Float>, with fit: PolynomialFit, parallelism: Parallelism) {
    if size != image.size {
      size = image.size
      bands = Plane(width: size.width, height: size.height * Self.bandCount + 1)
    }
    let kernels = KernelTable.current.farneback
    let bandStride = size.height * bands.stride / MemoryLayout<Float>.stride
    let radius = fit.radius
    image.withView { source in
      bands.withMutableView { output in
        parallelism.forEachStripe(rows: source.height) { stripe in
          let moments = ScratchRows(count: 3, width: source.width, margin: radius)
          for y in stripe {
            let rows = (-radius...radius).map { source.clampedRow(y + $0) }
            kernels.expandColumns(
              rows, fit.weights, radius, moments.row(0), moments.row(1), moments.row(2), source.width)
            for moment in 0..<3 { moments.replicateBorders(ofRow: moment) }
            kernels.expandRow(
              moments.row(0) - radius, moments.row(1) - radius, moments.row(2) - radius, fit.weights, radius,
              output.row(y), bandStride, source.width)
          }
        }
      }
    }
  }
}

/// The three one-dimensional filters of the fit (see `expandColumns`).
struct PolynomialFit: Sendable, Hashable {
  let radius: Int
  /// Mean, slope and curvature for x = 0 … radius.
  let weights: [Float]

  init(neighborhood radius: Int, sigma: Double) {
    self.radius = radius
    let offsets = (0...radius).map(Double.init)
    let raw = offsets.map { gaussian($0, sigma: sigma) }
    let total = raw[0] + 2 * raw.dropFirst().reduce(0, +)
    let g = raw.map { $0 / total }
    let second = 2 * zip(g, offsets).reduce(0) { $0 + $1.0 * $1.1 * $1.1 }
    let fourth = 2 * zip(g, offsets).reduce(0) { $0 + $1.0 * $1.1 * $1.1 * $1.1 * $1.1 }
    let slopes = zip(g, offsets).map { $0 * $1 / second }
    let curvatures = zip(g, offsets).map { $0 * ($1 * $1 - second) / (fourth - second * second) }
    weights = (g + slopes + curvatures).map(Float.init)
  }
}
