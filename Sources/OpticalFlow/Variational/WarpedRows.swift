// The second image, warped to the first, and its derivatives: a few rows at a time, from above to below.

import FlowKernelTypes
import FlowKernels
import Imaging

/// A window of rows that moves down: the mean of the two images, its derivatives, and their difference. Data terms look
/// `supportRows` rows far; what two positions of the window have in common is moved, not computed again.
struct WarpedRows: ~Copyable {
  /// The number of rows above and below that count: derivatives reach two rows far, and those of derivatives two more.
  static let supportRows = 4
  /// The number of rows for which data terms are formed at each position.
  static let step = 16
  private static let slots = step + 2 * supportRows

  private let kernels = KernelTable.current.variational
  private let size: PixelSize
  private let previous: GridView
  private let current: GridView
  private let u: GridView
  private let v: GridView
  private let mean: ScratchRows
  private let difference: ScratchRows
  private let dx: ScratchRows
  private let dy: ScratchRows
  private let inside: ScratchRows
  private let warper: RowWarper
  private let warped: ScratchRows
  /// The row in slot 0.
  private var firstRow: Int?

  init(size: PixelSize, previous: GridView, current: GridView, u: GridView, v: GridView) {
    self.size = size
    self.previous = previous
    self.current = current
    self.u = u
    self.v = v
    mean = ScratchRows(count: Self.slots, width: size.width, margin: 16)
    difference = ScratchRows(count: Self.slots, width: size.width, margin: 16)
    dx = ScratchRows(count: Self.slots, width: size.width, margin: 16)
    dy = ScratchRows(count: Self.slots, width: size.width, margin: 16)
    inside = ScratchRows(count: Self.slots, width: size.width, margin: 16)
    warper = RowWarper(width: size.width)
    warped = ScratchRows(count: 1, width: size.width, margin: 16)
  }

  /// Moves the window so that data terms can be formed from row `y` on, for `step` rows: any row at first, then `step`
  /// below the last call's.
  mutating func move(to y: Int) {
    let isFirst = firstRow == nil
    let first = y - Self.supportRows
    firstRow = first
    if !isFirst {
      for slot in 0..<2 * Self.supportRows {
        copy(mean, slot + Self.step, to: slot)
        copy(difference, slot + Self.step, to: slot)
        copy(inside, slot + Self.step, to: slot)
        guard slot >= 2, slot < 2 * Self.supportRows - 2 else { continue }
        copy(dx, slot + Self.step, to: slot)
        copy(dy, slot + Self.step, to: slot)
      }
    }
    for slot in (isFirst ? 0 : 2 * Self.supportRows)..<Self.slots where first + slot >= 0 && first + slot < size.height
    {
      fill(first + slot, slot: slot)
    }
    replicateOutside(first)
    for slot in (isFirst ? 2 : 2 * Self.supportRows - 2)..<Self.slots - 2 {
      kernels.differentiateRow(mean.row(slot), mean.stride, dx.row(slot), dy.row(slot), size.width)
      dx.replicateBorders(ofRow: slot)
      dy.replicateBorders(ofRow: slot)
    }
  }

  private func fill(_ y: Int, slot: Int) {
    warper.warp(current, y, u.row(y), v.row(y), size: size, into: warped.row(0), inside: inside.row(slot))
    kernels.meanAndDifferenceRow(previous.row(y), warped.row(0), mean.row(slot), difference.row(slot), size.width)
    mean.replicateBorders(ofRow: slot)
    difference.replicateBorders(ofRow: slot)
  }

  /// Rows beyond the borders count as the nearest inside.
  private func replicateOutside(_ first: Int) {
    for slot in 0..<Self.slots {
      let nearest = min(max(first + slot, 0), size.height - 1) - first
      guard nearest != slot, nearest >= 0, nearest < Self.slots else { continue }
      copy(mean, nearest, to: slot)
      copy(difference, nearest, to: slot)
    }
  }

  private func copy(_ rows: borrowing ScratchRows, _ source: Int, to target: Int) {
    (rows.row(target) - 2).update(from: rows.row(source) - 2, count: size.width + 4)
  }

  /// The data terms of a row inside the window.
  func formData(_ y: Int, noise: Float, into output: UnsafeMutablePointer<Float>, partStride: Int) {
    let slot = y - (firstRow ?? 0)
    let derivatives = DerivativeRow(
      dx: dx.row(slot), dy: dy.row(slot), difference: difference.row(slot), stride: mean.stride)
    kernels.formDataRow(
      derivatives, inside.row(slot), FlowRow(u, v, y), noise, size.width,
      SplitRow(base: output, partStride: partStride))
  }
}

/// Brings rows of the second image to the first, as a flow field says.
struct RowWarper: ~Copyable {
  private let kernels = KernelTable.current
  private let positions: ScratchRows

  init(width: Int) { positions = ScratchRows(count: 3, width: width, margin: 16) }

  /// Warps the row `y` of an image of `size`.
  ///
  /// - Parameters:
  ///   - isBilinear: A fifth of the work of bicubic interpolation; enough to tell one match from another.
  ///   - warped: Becomes the second image's pixels.
  ///   - inside: Becomes 1 where they lie inside it, else 0.
  func warp(
    _ image: GridView, _ y: Int, _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, size: PixelSize,
    isBilinear: Bool = false, into warped: UnsafeMutablePointer<Float>, inside: UnsafeMutablePointer<Float>
  ) {
    let (kernels, fx, fy) = (kernels, positions.row(0), positions.row(1))
    positions.row(2).withMemoryRebound(to: Int32.self, capacity: positions.width) { origins in
      let displaced = PositionRow(origins: origins, fx: fx, fy: fy, inside: inside)
      kernels.variational.locateRow(FlowRow(u: u, v: v), y, ImageRows(image, size), displaced)
      (isBilinear ? kernels.warp.sampleRowBilinear : kernels.variational.sampleRow)(
        StridedRow(image, 0), displaced, warped, size.width)
    }
  }
}

extension SmoothingKernel {
  /// Filters the row `y` of a grid of `size` down the columns; rows beyond the border count as the nearest inside.
  func smoothColumns(_ grid: GridView, _ y: Int, size: PixelSize, into output: UnsafeMutablePointer<Float>) {
    let taps = (-radius...radius).map { UnsafePointer(grid.row(min(max(y + $0, 0), size.height - 1))) }
    KernelTable.current.filter.weightedSum(taps, weights, taps.count, output, size.width)
  }
}
