// The second picture, warped to the first, and its derivatives, for a stripe of rows.

import FlowKernels
import Imaging

/// The mean of the two pictures and its derivatives, and their difference, with the rows around that the data terms
/// look at.
struct WarpedStripe: ~Copyable {
  /// Derivatives of derivatives reach two and two rows far.
  static let reach = 4

  private let kernels = KernelTable.current.variational
  private let width: Int
  private let firstRow: Int
  private let mean: ScratchRows
  private let difference: ScratchRows
  private let dx: ScratchRows
  private let dy: ScratchRows
  private let inside: ScratchRows

  init(
    rows: Range<Int>, size: PixelSize, previous: GridView, current: GridView, u: GridView, v: GridView
  ) {
    width = size.width
    firstRow = rows.lowerBound - Self.reach
    let count = rows.count + 2 * Self.reach
    mean = ScratchRows(count: count, width: width, margin: 16)
    difference = ScratchRows(count: count, width: width, margin: 16)
    dx = ScratchRows(count: count, width: width, margin: 16)
    dy = ScratchRows(count: count, width: width, margin: 16)
    inside = ScratchRows(count: count, width: width, margin: 16)
    let warped = ScratchRows(count: 1, width: width, margin: 16)
    let (first, last) = (max(firstRow, 0), min(firstRow + count, size.height) - 1)
    for y in first...last {
      let slot = y - firstRow
      kernels.warpRow(
        current.base, current.stride, u.row(y), v.row(y), y, size.width, size.height, warped.row(0), inside.row(slot))
      kernels.meanAndDifferenceRow(previous.row(y), warped.row(0), mean.row(slot), difference.row(slot), width)
      mean.replicateBorders(ofRow: slot)
      difference.replicateBorders(ofRow: slot)
    }
    for slot in 0..<count {
      let nearest = min(max(slot + firstRow, first), last) - firstRow
      guard nearest != slot else { continue }
      copy(mean, nearest, to: slot)
      copy(difference, nearest, to: slot)
    }
    for slot in 2..<count - 2 {
      kernels.differentiateRow(mean.row(slot), mean.stride, dx.row(slot), dy.row(slot), width)
      dx.replicateBorders(ofRow: slot)
      dy.replicateBorders(ofRow: slot)
    }
  }

  private func copy(_ rows: borrowing ScratchRows, _ source: Int, to target: Int) {
    (rows.row(target) - rows.margin).update(from: rows.row(source) - rows.margin, count: width + 2 * rows.margin)
  }

  func formData(
    _ y: Int, _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, noise: Float,
    into output: UnsafeMutablePointer<Float>, partStride: Int
  ) {
    let slot = y - firstRow
    kernels.formDataRow(
      dx.row(slot), dy.row(slot), difference.row(slot), mean.stride, inside.row(slot), u, v, noise, width, output,
      partStride)
  }
}
