// Sums of several bands over a window that moves down the image row by row.

import FlowKernels
import Imaging

/// The window of Lucas and Kanade's method.
struct SummationWindow: Sendable {
  let radius: Int
  /// The weights along one axis; nil for a box, whose sums `scale` turns into averages.
  let weights: [Float]?
  let scale: Float

  /// The σ of the Gaussian window, in units of its radius; chosen by hand.
  static let gaussianSigma = 0.4

  init(_ parameters: LucasKanadeParameters) {
    let radius = parameters.windowSize / 2
    self =
      switch parameters.windowKind {
      case .box: SummationWindow(boxRadius: radius)
      case .gaussian: SummationWindow(gaussianRadius: radius)
      }
  }

  init(boxRadius radius: Int) {
    self.radius = radius
    weights = nil
    let side = 2 * radius + 1
    scale = 1 / Float(side * side)
  }

  init(gaussianRadius radius: Int) {
    self.radius = radius
    weights = SmoothingKernel(sigma: Self.gaussianSigma * Double(radius), radius: radius).weights
    scale = 1
  }
}

/// The sums around one row after the other, from the first row of a stripe downwards; borders are replicated.
///
/// Only the rows of the window are kept, in a ring that stays in the processor's cache. A box moves by adding one row
/// to the column sums and removing one. Each stripe starts its sums anew, so that they depend on nothing but the
/// image, and rounding errors do not pile up over more than a stripe.
struct WindowSums: ~Copyable {
  /// Computes the row `y` of all bands into rows `stride` floats apart.
  typealias FormRow = (_ y: Int, _ output: UnsafeMutablePointer<Float>, _ stride: Int) -> Void

  private let size: PixelSize
  private let bandCount: Int
  private let window: SummationWindow
  private let form: FormRow
  private let filter = KernelTable.current.filter
  private let capacity: Int
  private let ring: ScratchRows
  /// The column sums of each band, kept from row to row.
  private let columns: ScratchRows
  private let scratch: ScratchRows
  /// The row below the last one formed; nil before the first.
  private var next: Int?

  init(size: PixelSize, bandCount: Int, window: SummationWindow, form: @escaping FormRow) {
    self.size = size
    self.bandCount = bandCount
    self.window = window
    self.form = form
    capacity = 2 * window.radius + 2
    ring = ScratchRows(count: capacity * bandCount, width: size.width)
    columns = ScratchRows(count: bandCount, width: size.width, margin: window.radius)
    scratch = ScratchRows(count: 1, width: size.width, margin: window.radius)
  }

  /// Computes the sums around row `y`: any row at first, then the one below the last call's.
  ///
  /// - Parameter output: A row per band, `stride` floats apart.
  mutating func move(to y: Int, into output: UnsafeMutablePointer<Float>, stride: Int) {
    let isFirst = next == nil
    formRows(from: y - window.radius, through: y + window.radius)
    for band in 0..<bandCount {
      if let weights = window.weights {
        weigh(band, around: y, weights, into: output + band * stride)
      } else {
        addBox(band, around: y, isFirst: isFirst, into: output + band * stride)
      }
    }
  }

  private mutating func formRows(from first: Int, through last: Int) {
    var y = next ?? max(first, 0)
    while y <= min(last, size.height - 1) {
      form(y, ring.row(slot(y)), ring.stride)
      y += 1
    }
    next = y
  }

  private func slot(_ y: Int) -> Int { y % capacity * bandCount }

  /// Returns one band of the row `y`, or of the row nearest to it.
  private func row(_ band: Int, _ y: Int) -> UnsafePointer<Float> {
    UnsafePointer(ring.row(slot(min(max(y, 0), size.height - 1)) + band))
  }

  private func addBox(_ band: Int, around y: Int, isFirst: Bool, into output: UnsafeMutablePointer<Float>) {
    let radius = window.radius
    let column = columns.row(band)
    if isFirst {
      for offset in -radius...radius { filter.addRow(row(band, y + offset), column, size.width) }
    } else {
      filter.slideRows(row(band, y + radius), row(band, y - radius - 1), column, size.width)
    }
    columns.replicateBorders(ofRow: band)
    filter.windowSum(column - radius, scratch.row(0) - radius, output, size.width, 2 * radius + 1)
  }

  private func weigh(
    _ band: Int, around y: Int, _ weights: [Float], into output: UnsafeMutablePointer<Float>
  ) {
    let radius = window.radius
    let column = columns.row(band)
    let rows = (-radius...radius).map { row(band, y + $0) }
    filter.weightedSum(rows, weights, weights.count, column, size.width)
    columns.replicateBorders(ofRow: band)
    let taps = (-radius...radius).map { UnsafePointer(column + $0) }
    filter.weightedSum(taps, weights, weights.count, output, size.width)
  }
}
