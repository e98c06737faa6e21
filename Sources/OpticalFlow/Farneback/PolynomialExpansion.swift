// Step 1 of Farnebäck's method: a quadratic polynomial for the surroundings of every pixel.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The coefficients of the polynomials of one image: bx, by, axx, ayy, ½·axy, each a band of `size.height` rows.
struct PolynomialExpansion: Sendable {
  /// The number of coefficients, as named above.
  static let bandCount = 5
  private(set) var size: PixelSize
  /// The five bands one below the other, between two rows of zeros: sampling reads a few samples before the first one,
  /// without using them, and at the last row it reads the row below, with weight 0.
  private(set) var bands: Plane<Float>

  init() {
    size = PixelSize(width: 0, height: 0)
    bands = Plane(width: 0, height: 0)
  }

  /// Floats from one row to the next.
  var rowStride: Int { bands.stride / MemoryLayout<Float>.stride }
  /// Floats from one band to the next.
  var bandStride: Int { rowStride * size.height }

  /// The row of `bands` that holds the row `y` of the first band.
  fileprivate static func firstBandRow(_ y: Int) -> Int { y + 1 }

  func withView(_ body: (ExpansionView) -> Void) {
    bands.withView { body(ExpansionView(bands: $0, rowStride: rowStride, bandStride: bandStride)) }
  }

  /// Expands `image` with Gaussian weights, borders replicated.
  mutating func expand(_ image: Plane<Float>, with fit: PolynomialFit, parallelism: Parallelism) {
    if size != image.size {
      size = image.size
      bands = Plane(width: size.width, height: size.height * Self.bandCount + 2)
    }
    let kernels = KernelTable.current.farneback
    let bandStride = bandStride
    let radius = fit.radius
    image.withView { source in
      bands.withMutableView { output in
        parallelism.forEachStripe(rows: source.height) { stripe in
          let moments = ScratchRows(count: 3, width: source.width, margin: radius)
          for y in stripe {
            let rows = (-radius...radius).map { source.clampedRow(y + $0) }
            let inner = MomentRows(mean: moments.row(0), slope: moments.row(1), curvature: moments.row(2))
            kernels.expandColumns(rows, fit.weights, radius, inner, source.width)
            for moment in 0..<3 { moments.replicateBorders(ofRow: moment) }
            let padded = MomentRows(
              mean: inner.mean - radius, slope: inner.slope - radius, curvature: inner.curvature - radius)
            kernels.expandRow(
              padded, fit.weights, radius,
              MutableStridedRow(base: output.row(Self.firstBandRow(y)), stride: bandStride), source.width)
          }
        }
      }
    }
  }
}

/// An expansion to read from. Valid only inside the closure that received it.
struct ExpansionView: Sendable {
  private let bands: PlaneView<Float>
  /// Floats from one row to the next.
  let rowStride: Int
  /// Floats from one band to the next.
  let bandStride: Int

  fileprivate init(bands: PlaneView<Float>, rowStride: Int, bandStride: Int) {
    self.bands = bands
    self.rowStride = rowStride
    self.bandStride = bandStride
  }

  /// The row `y` of the first band.
  func row(_ y: Int) -> UnsafePointer<Float> { bands.row(PolynomialExpansion.firstBandRow(y)) }
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
