// Memory of the variational system: rows of several bands, split by the parity of the column.

import Imaging

/// The positions of the samples of a split row: see FlowKernels' Variational.swift.
struct SplitLayout: Sendable {
  /// Samples in a part: ⌈width / 2⌉.
  let count: Int
  /// Floats from the even columns to the odd ones.
  let partStride: Int
  private var paddedCount: Int { partStride - 16 }

  init(width: Int) {
    count = (width + 1) / 2
    partStride = (count + 15) / 16 * 16 + 16
  }

  fileprivate func clearPadding(_ row: UnsafeMutablePointer<Float>, bands: Int) {
    for part in 0..<2 * bands { (row + part * partStride + paddedCount).update(repeating: 0, count: 16) }
  }
}

/// Rows of bands, with a row of zeros above and below.
final class SplitGrid {
  let bands: Int
  /// A Boolean value that tells whether kernels look at the samples next to their own, and so into the padding.
  private let isNeighborhoodRead: Bool
  private let memory = GridMemory()
  var view: GridView { memory.view }

  init(bands: Int, isNeighborhoodRead: Bool = true) {
    self.bands = bands
    self.isNeighborhoodRead = isNeighborhoodRead
  }

  /// Makes room for `height` rows; what lies around them is zero, the rest is left to be filled.
  func reshape(layout: SplitLayout, height: Int) {
    let width = 2 * bands * layout.partStride
    memory.reshape(rows: height, width: width, margin: 16, marginRows: 1)
    guard isNeighborhoodRead else { return }
    for y in [-1, height] { view.row(y).update(repeating: 0, count: width) }
    for y in 0..<height { layout.clearPadding(view.row(y), bands: bands) }
  }
}
