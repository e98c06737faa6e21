// Resizing with any separable filter.

import FlowKernels

/// The rule by which the samples along one axis are made from others: a matrix with few entries per row.
package struct ResamplingAxis: Sendable, Hashable {
  /// Samples before.
  package let source: Int
  /// Samples after.
  package let target: Int
  /// The rows of the matrix: for each target sample, the first source sample that counts and the weights from there on.
  let rows: [Row]

  struct Row: Sendable, Hashable {
    var first: Int
    var weights: [Float]
  }

  /// Smooths with a filter (mirrored at the borders), then interpolates linearly; all weights times `factor`.
  package init(source: Int, target: Int, smoothing: SmoothingKernel? = nil, factor: Double = 1) {
    self.source = source
    self.target = target
    let axis = ResizedAxis(source: source, target: target)
    let filter = smoothing?.weights.map(Double.init) ?? [1]
    let radius = filter.count / 2
    rows = (0..<target).map { index in
      let position = Int(axis.positions[index])
      let fraction = Double(axis.fractions[index])
      let span = fraction > 0 ? filter.count + 1 : filter.count
      let positions = (0..<span).map { reflectedIndex(position - radius + $0, count: source) }
      let first = positions.min() ?? 0
      var weights = [Double](repeating: 0, count: (positions.max() ?? 0) - first + 1)
      for (tap, weight) in filter.enumerated() {
        weights[positions[tap] - first] += weight * (1 - fraction)
        if fraction > 0 { weights[positions[tap + 1] - first] += weight * fraction }
      }
      return Row(first: first, weights: weights.map { Float($0 * factor) })
    }
  }
}

extension ResamplingAxis {
  /// The weights of any column, when the source is twice as long, the filter has seven taps, and only the borders
  /// differ.
  fileprivate var halvingWeights: [Float]? {
    guard source == 2 * target, target > 4 else { return nil }
    let weights = rows[2].weights
    return weights.count == 8 && rows[2].first == 1 ? weights : nil
  }
}

/// Resizes images of one size to another one. Holds the weights, so that they are computed once per size.
package struct Resampler: Sendable {
  /// The size of what comes out.
  package let target: PixelSize
  /// The size of what goes in.
  package let source: PixelSize
  /// The taps of each target row: the first source row, where its weights begin, and how many there are.
  private let rows: [(first: Int, weight: Int, taps: Int)]
  private let rowWeights: [Float]
  /// The first source column of each block of 16 columns; `weights` holds 16 weights for each of its `taps` columns.
  private let origins: [Int32]
  private let weights: [Float]
  private let taps: Int
  /// Eight weights, when each column is made with these from the columns 2x − 3 … 2x + 4, mirrored at the borders.
  private let halving: [Float]?

  /// Lays out the weights of both axes for the kernels: O(sum of the sides · taps).
  package init(horizontal: ResamplingAxis, vertical: ResamplingAxis) {
    target = PixelSize(width: horizontal.target, height: vertical.target)
    source = PixelSize(width: horizontal.source, height: vertical.source)
    var count = 0
    rows = vertical.rows.map { row in
      defer { count += row.weights.count }
      return (first: row.first, weight: count, taps: row.weights.count)
    }
    rowWeights = vertical.rows.flatMap(\.weights)
    let lanes = 16
    let blocks = stride(from: 0, to: target.width, by: lanes).map { start in
      horizontal.rows[start..<min(start + lanes, horizontal.target)]
    }
    origins = blocks.map { block in Int32(block.map(\.first).min() ?? 0) }
    let spans = zip(blocks, origins).map { block, origin in
      (block.map { $0.first + $0.weights.count }.max() ?? 0) - Int(origin)
    }
    let taps = spans.max() ?? 0
    var weights = [Float](repeating: 0, count: blocks.count * taps * lanes)
    for (index, block) in blocks.enumerated() {
      for (lane, row) in block.enumerated() {
        for (tap, weight) in row.weights.enumerated() {
          weights[(index * taps + row.first - Int(origins[index]) + tap) * lanes + lane] = weight
        }
      }
    }
    self.weights = weights
    self.taps = taps
    halving = horizontal.halvingWeights
  }

  /// Resizes `input`, of the source size, into `output`, of the target size.
  package func resize(_ input: GridView, into output: GridView, parallelism: Parallelism) {
    parallelism.forEachStripe(rows: target.height) { resize(input, into: output, rows: $0) }
  }

  /// Makes some rows of `output`: for those who do more with them while they are in the cache.
  package func resize(_ input: GridView, into output: GridView, rows stripe: Range<Int>) {
    let kernels = KernelTable.current.resize
    let scratch = ScratchRows(count: 1, width: source.width, margin: max(taps, 48))
    withUnsafeTemporaryAllocation(of: UnsafePointer<Float>.self, capacity: stripe.map { rows[$0].taps }.max() ?? 0) {
      lines in
      guard let lines = lines.baseAddress else { return }
      rowWeights.withUnsafeBufferPointer { rowWeights in
        for y in stripe {
          let row = rows[y]
          for tap in 0..<row.taps { (lines + tap).initialize(to: UnsafePointer(input.row(row.first + tap))) }
          guard let weights = rowWeights.baseAddress else { return }
          kernels.combineRows(lines, weights + row.weight, row.taps, scratch.row(0), source.width)
          resizeRow(scratch.row(0), into: output.row(y), with: kernels)
        }
      }
    }
  }

  private func resizeRow(
    _ row: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>, with kernels: ResizeKernels
  ) {
    if let halving {
      reflect(row)
      kernels.halveRow(row - 3, halving, output, target.width)
    } else {
      kernels.resizeRow(row, origins, weights, taps, output, target.width)
    }
  }

  /// Mirrors the three samples at either end that a filter of seven taps looks at beyond it.
  private func reflect(_ row: UnsafeMutablePointer<Float>) {
    for distance in 1...3 {
      row[-distance] = row[distance]
      row[source.width - 1 + distance] = row[source.width - 1 - distance]
    }
  }
}
