// Sums of several bands over a window that moves down the picture row by row.

import FlowKernels
import Imaging

/// The averaging window of Farnebäck's method.
struct AveragingWindow: Sendable {
  let radius: Int
  /// The weights along one axis; nil for a box, whose sums `scale` turns into averages.
  let weights: [Float]?
  let scale: Float

  /// σ of the Gaussian window in units of its radius (OpenCV's value).
  static let gaussianSigma = 0.3

  init(size: Int, kind: FarnebackParameters.WindowKind) {
    radius = size / 2
    let side = 2 * radius + 1
    switch kind {
    case .box:
      weights = nil
      scale = 1 / Float(side * side)
    case .gaussian:
      weights = SmoothingKernel(sigma: max(Self.gaussianSigma * Double(radius), 0.1), radius: radius).weights
      scale = 1
    }
  }
}

/// The sums around one row after the other, from the first row of a stripe downwards; borders are replicated.
///
/// A box moves by adding one row to the column sums and removing one. Each stripe starts its sums anew, so that they
/// depend on nothing but the picture, and rounding errors do not pile up over more than a stripe.
struct WindowAverage: ~Copyable {
  private let equations: PlaneView<Float>
  private let size: PixelSize
  private let bandCount: Int
  private let window: AveragingWindow
  private let filter: FilterKernels
  /// The column sums of each band, kept from row to row.
  private let columnSums: ScratchRows
  /// A copy of one band's column sums with borders.
  private let padded: ScratchRows
  /// The result: one row per band.
  let sums: ScratchRows
  private var row: Int?

  init(equations: PlaneView<Float>, size: PixelSize, bandCount: Int, window: AveragingWindow, filter: FilterKernels) {
    self.equations = equations
    self.size = size
    self.bandCount = bandCount
    self.window = window
    self.filter = filter
    columnSums = ScratchRows(count: bandCount, width: size.width)
    padded = ScratchRows(count: 1, width: size.width, margin: window.radius)
    sums = ScratchRows(count: bandCount, width: size.width)
  }

  private func source(_ band: Int, _ y: Int) -> UnsafePointer<Float> {
    equations.row(band * size.height + min(max(y, 0), size.height - 1))
  }

  /// Computes the sums around row `y`: the first call's row, or the one below the last call's.
  mutating func move(to y: Int) {
    if let weights = window.weights { weigh(around: y, weights) } else { addBox(around: y) }
    row = y
  }

  private func addBox(around y: Int) {
    let radius = window.radius
    for band in 0..<bandCount {
      let columns = columnSums.row(band)
      if row != nil {
        filter.slideRows(source(band, y + radius), source(band, y - radius - 1), columns, size.width)
      } else {
        for offset in -radius...radius { filter.addRow(source(band, y + offset), columns, size.width) }
      }
      padded.row(0).update(from: columns, count: size.width)
      padded.replicateBorders(ofRow: 0)
      filter.windowSum(padded.row(0) - radius, sums.row(band), size.width, 2 * radius + 1)
    }
  }

  private func weigh(around y: Int, _ weights: [Float]) {
    let radius = window.radius
    let taps = (0..<weights.count).map { UnsafePointer(padded.row(0) - radius + $0) }
    for band in 0..<bandCount {
      let rows = (-radius...radius).map { source(band, y + $0) }
      filter.weightedSum(rows, weights, weights.count, padded.row(0), size.width)
      padded.replicateBorders(ofRow: 0)
      filter.weightedSum(taps, weights, weights.count, sums.row(band), size.width)
    }
  }
}
