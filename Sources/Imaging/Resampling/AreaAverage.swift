// Images made smaller without aliasing: each pixel the mean of what it covers.

import FlowKernels

/// Averages images of one size down to another one. Keeps its working memory; used by one thread.
///
/// Rows are combined first, straight from the stored samples. Sixteen rows of the result at a time then become columns:
/// a column is made of few that lie side by side, and no sample is fetched by an index of its own.
package final class AreaAverage {
  /// The size of what comes out.
  package let target: PixelSize
  /// The size of what goes in.
  package let source: PixelSize
  private let rows: Means
  private let columns: Means
  /// Sixteen rows, all columns of them, and those of the result.
  private let combined: ScratchRows
  private let input: ScratchRows
  private let output: ScratchRows
  private let tiles: ScratchRows

  /// The number of columns that one step of a kernel makes.
  private static let lanes = 16

  /// Means of stretches along one axis.
  private struct Means {
    /// The most samples that a stretch touches.
    let taps: Int
    /// The first sample of each stretch.
    let firsts: [Int32]
    /// The weights: `taps` for each stretch.
    let weights: [Float]

    init(source: Int, target: Int) {
      // In units of 1/target of a sample, so that whole numbers tell the borders.
      let stretches = (0..<target).map { index in index * source / target...((index + 1) * source - 1) / target }
      let taps = stretches.map(\.count).max() ?? 1
      self.taps = taps
      firsts = stretches.map { Int32($0.lowerBound) }
      weights = stretches.enumerated().flatMap { index, stretch in
        (0..<taps).map { tap in
          let position = stretch.lowerBound + tap
          let covered = min((index + 1) * source, (position + 1) * target) - max(index * source, position * target)
          return Float(max(covered, 0)) / Float(source)
        }
      }
    }
  }

  /// - Parameters:
  ///   - source: The size of what goes in; at least one pixel.
  ///   - target: The size of what comes out; neither side longer than `source`'s.
  package init(source: PixelSize, target: PixelSize) {
    precondition(
      0 < target.width && target.width <= source.width && 0 < target.height && target.height <= source.height,
      "averaging \(source) to \(target)")
    self.source = source
    self.target = target
    rows = Means(source: source.height, target: target.height)
    columns = Means(source: source.width, target: target.width)
    // Weights of 0 reach beyond the last column.
    let width = source.width + columns.taps
    combined = ScratchRows(count: Self.lanes, width: width)
    input = ScratchRows(count: 1, width: (width + Self.lanes) * Self.lanes)
    output = ScratchRows(count: 1, width: (target.width + Self.lanes) * Self.lanes)
    tiles = ScratchRows(count: 1, width: 2 * Self.lanes * Self.lanes)
  }

  /// The means of an image of samples of 8 bits.
  package func means(of image: PlaneView<UInt8>) -> Plane<Float> {
    let combine = KernelTable.current.resize.combineRows8
    return means(of: image) { combine($0, $1, $2, $3, $4) }
  }

  /// The means of an image.
  package func means(of image: PlaneView<Float>) -> Plane<Float> {
    let combine = KernelTable.current.resize.combineRows
    return means(of: image) { combine($0, $1, $2, $3, $4) }
  }

  private func means<Sample>(
    of image: PlaneView<Sample>,
    _ combine: (
      UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<Float>, Int, UnsafeMutablePointer<Float>, Int
    ) -> Void
  ) -> Plane<Float> {
    precondition(image.size == source, "an image of \(image.size) instead of \(source)")
    return Plane(size: target) { target in
      withUnsafeTemporaryAllocation(of: UnsafePointer<Sample>.self, capacity: rows.taps) { lines in
        guard let lines = lines.baseAddress else { return }
        for start in stride(from: 0, to: target.height, by: Self.lanes) {
          let block = start..<min(start + Self.lanes, target.height)
          rows.weights.withUnsafeBufferPointer { weights in
            guard let weights = weights.baseAddress else { return }
            for y in block {
              for tap in 0..<rows.taps {
                let line = min(Int(rows.firsts[y]) + tap, source.height - 1)
                (lines + tap).initialize(to: image.row(line))
              }
              let row = combined.row(y - start)
              combine(lines, weights + y * rows.taps, rows.taps, row, source.width)
              // Some kernels write on; what weights of 0 reach must be finite.
              (row + source.width).update(repeating: 0, count: columns.taps)
            }
          }
          combineColumns(into: target, rows: block)
        }
      }
    }
  }

  private func combineColumns(into target: MutablePlaneView<Float>, rows block: Range<Int>) {
    let kernels = KernelTable.current.resize
    kernels.transposeRows(combined.row(0), combined.stride, input.row(0), combined.width, tiles.row(0))
    kernels.combineColumns(
      input.row(0), columns.firsts, columns.weights, columns.taps, output.row(0), target.width)
    if block.count == Self.lanes {
      kernels.transposeColumns(
        output.row(0), target.row(block.lowerBound), target.stride / MemoryLayout<Float>.stride, target.width,
        tiles.row(0))
    } else {
      kernels.transposeColumns(output.row(0), combined.row(0), combined.stride, target.width, tiles.row(0))
      for y in block { target.row(y).update(from: combined.row(y - block.lowerBound), count: target.width) }
    }
  }
}
