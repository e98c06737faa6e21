// Sums of several bands over a window that moves down the image row by row.

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
/// depend on nothing but the image, and rounding errors do not pile up over more than a stripe.
struct WindowAverage: ~Copyable {
  private var equations: EquationRows
  private let window: AveragingWindow
  private let filter = KernelTable.current.filter
  /// The column sums of each band, kept from row to row.
  private let columns: ScratchRows
  private let scratch: ScratchRows
  /// The result: one row per band.
  let sums: ScratchRows
  private var isFirst = true

  init(of equations: consuming EquationRows, window: AveragingWindow) {
    let width = equations.size.width
    self.equations = equations
    self.window = window
    columns = ScratchRows(count: EquationRows.bandCount, width: width, margin: window.radius)
    scratch = ScratchRows(count: 1, width: width, margin: window.radius)
    sums = ScratchRows(count: EquationRows.bandCount, width: width)
  }

  /// Computes the sums around row `y`: any row at first, then the one below the last call's.
  mutating func move(to y: Int) {
    equations.form(from: y - window.radius, through: y + window.radius)
    for band in 0..<EquationRows.bandCount {
      if let weights = window.weights {
        weigh(band, around: y, weights)
      } else {
        addBox(band, around: y)
      }
    }
    isFirst = false
  }

  private func addBox(_ band: Int, around y: Int) {
    let radius = window.radius
    let width = equations.size.width
    let column = columns.row(band)
    if isFirst {
      for offset in -radius...radius { filter.addRow(equations.row(band, y + offset), column, width) }
    } else {
      filter.slideRows(equations.row(band, y + radius), equations.row(band, y - radius - 1), column, width)
    }
    columns.replicateBorders(ofRow: band)
    filter.windowSum(column - radius, scratch.row(0) - radius, sums.row(band), width, 2 * radius + 1)
  }

  private func weigh(_ band: Int, around y: Int, _ weights: [Float]) {
    let radius = window.radius
    let width = equations.size.width
    let column = columns.row(band)
    let rows = (-radius...radius).map { equations.row(band, y + $0) }
    filter.weightedSum(rows, weights, weights.count, column, width)
    columns.replicateBorders(ofRow: band)
    let taps = (-radius...radius).map { UnsafePointer(column + $0) }
    filter.weightedSum(taps, weights, weights.count, sums.row(band), width)
  }
}
