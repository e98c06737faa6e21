// Resizing with any separable filter.

import FlowKernels

/// How the samples along one axis are made from others: a matrix with few entries per row.
public struct ResamplingAxis: Sendable, Hashable {
  public let source: Int
  public let target: Int
  /// For each target sample, the first source sample that counts and the weights from there on.
  let rows: [Row]

  struct Row: Sendable, Hashable {
    var first: Int
    var weights: [Float]
  }

  /// Smooths with a filter (mirrored at the borders), then interpolates linearly; all weights times `factor`.
  public init(source: Int, target: Int, smoothing: SmoothingKernel? = nil, factor: Double = 1) {
    self.source = source
    self.target = target
    let axis = ResizedAxis(source: source, target: target)
    let filter = smoothing?.weights.map(Double.init) ?? [1]
    let radius = filter.count / 2
    rows = (0..<target).map { index in
      let position = Int(axis.positions[index])
      let fraction = Double(axis.fractions[index])
      var weights: [Int: Double] = [:]
      for (offset, share) in [(0, 1 - fraction), (1, fraction)] where share > 0 {
        for (tap, weight) in filter.enumerated() {
          weights[reflectedIndex(position + offset + tap - radius, count: source), default: 0] += weight * share
        }
      }
      let first = weights.keys.min() ?? 0
      let last = weights.keys.max() ?? 0
      return Row(first: first, weights: (first...last).map { Float((weights[$0] ?? 0) * factor) })
    }
  }
}

/// Resizes pictures of one size to another one. Holds the weights, so that they are computed once per size.
public struct Resampler: Sendable {
  public let target: PixelSize
  public let source: PixelSize
  private let vertical: ResamplingAxis
  /// Of blocks of 16 columns: the first source column, and 16 weights for each of `taps` columns.
  private let origins: [Int32]
  private let weights: [Float]
  private let taps: Int

  public init(horizontal: ResamplingAxis, vertical: ResamplingAxis) {
    target = PixelSize(width: horizontal.target, height: vertical.target)
    source = PixelSize(width: horizontal.source, height: vertical.source)
    self.vertical = vertical
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
  }

  /// Resizes `input`, of the source size, into `output`, of the target size.
  public func resize(_ input: GridView, into output: GridView, parallelism: Parallelism) {
    let weightedSum = KernelTable.current.filter.weightedSum
    let resizeRow = KernelTable.current.resize.resizeRow
    parallelism.forEachStripe(rows: target.height) { stripe in
      let scratch = ScratchRows(count: 1, width: source.width + taps)
      var rows: [UnsafePointer<Float>] = []
      for y in stripe {
        let row = vertical.rows[y]
        rows.removeAll(keepingCapacity: true)
        for tap in row.weights.indices { rows.append(UnsafePointer(input.row(row.first + tap))) }
        weightedSum(rows, row.weights, rows.count, scratch.row(0), source.width)
        resizeRow(scratch.row(0), origins, weights, taps, output.row(y), target.width)
      }
    }
  }
}
