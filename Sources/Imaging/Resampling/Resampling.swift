// Smoothing and bilinear resizing of float planes.

import FlowKernels

/// The positions of the samples of a resized row in the source row: pixel centres at whole numbers, outer edges
/// aligned.
///
/// Target sample t lies at (t + ½)·source/target − ½, held inside the source.
struct ResizedAxis: Sendable {
  /// The source sample left of (or at) each target sample.
  let positions: [Int32]
  /// The distance of each target sample past its source sample, 0 ≤ fraction < 1; 0 at the last source sample.
  let fractions: [Float]

  /// The positions of `target` samples among `source` samples; both 1 or more.
  init(source: Int, target: Int) {
    precondition(source > 0 && target > 0, "resizing \(source) samples to \(target)")
    let step = Double(source) / Double(target)
    let coordinates = (0..<target).map { min(max((Double($0) + 0.5) * step - 0.5, 0), Double(source - 1)) }
    positions = coordinates.map { Int32($0.rounded(.down)) }
    fractions = coordinates.map { Float($0 - $0.rounded(.down)) }
  }
}

/// A symmetric filter of odd length, normalised to sum 1.
package struct SmoothingKernel: Sendable {
  /// 2·radius + 1 weights, the middle one at the filtered sample.
  package let weights: [Float]
  /// The number of samples on either side that count.
  package var radius: Int { weights.count / 2 }

  /// Samples of a Gaussian of standard deviation `sigma` > 0 at −radius … radius.
  package init(sigma: Double, radius: Int) {
    let values = (-radius...radius).map { gaussian(Double($0), sigma: sigma) }
    let sum = values.reduce(0, +)
    weights = values.map { Float($0 / sum) }
  }

  private init(weights: [Float]) { self.weights = weights }

  /// ¼, ½, ¼: the shortest filter that removes the finest waves.
  package static let binomial3 = SmoothingKernel(weights: [0.25, 0.5, 0.25])
}

extension Plane where Scalar == Float {
  /// Smooths the plane with a separable filter (mirrored at the borders), then resizes it bilinearly to `target`'s
  /// size.
  ///
  /// Only those rows are smoothed that the resizing asks for, and both vertical steps are one weighted sum.
  package func smoothAndResize(
    with kernel: SmoothingKernel, into target: inout Plane<Float>, parallelism: Parallelism
  ) {
    guard !size.isEmpty, !target.size.isEmpty else { return }
    let filter = KernelTable.current.filter
    let columns = ResizedAxis(source: width, target: target.width)
    let rows = ResizedAxis(source: height, target: target.height)
    let keepsWidth = target.width == width
    withView { source in
      target.withMutableView { output in
        parallelism.forEachStripe(rows: output.height) { stripe in
          let scratch = ScratchRows(count: 2, width: source.width, margin: kernel.radius)
          let taps = (-kernel.radius...kernel.radius).map { UnsafePointer(scratch.row(0) + $0) }
          for y in stripe {
            weigh(
              source, around: Int(rows.positions[y]), fraction: rows.fractions[y], kernel: kernel, into: scratch.row(0),
              filter: filter)
            scratch.reflectBorders(ofRow: 0)
            let smoothed = keepsWidth ? output.row(y) : scratch.row(1)
            filter.weightedSum(taps, kernel.weights, taps.count, smoothed, source.width)
            if !keepsWidth {
              filter.interpolateColumns(smoothed, columns.positions, columns.fractions, output.row(y), output.width)
            }
          }
        }
      }
    }
  }

  /// Resizes the plane bilinearly to `target`'s size and multiplies it by `factor`.
  package func resize(into target: inout Plane<Float>, multiplyingBy factor: Float, parallelism: Parallelism) {
    guard !size.isEmpty, !target.size.isEmpty else { return }
    let filter = KernelTable.current.filter
    let columns = ResizedAxis(source: width, target: target.width)
    let rows = ResizedAxis(source: height, target: target.height)
    withView { source in
      target.withMutableView { output in
        parallelism.forEachStripe(rows: output.height) { stripe in
          let scratch = ScratchRows(count: 1, width: source.width)
          for y in stripe {
            let above = Int(rows.positions[y])
            let fraction = rows.fractions[y]
            filter.weightedSum(
              [source.row(above), source.clampedRow(above + 1)], [(1 - fraction) * factor, fraction * factor], 2,
              scratch.row(0), source.width)
            filter.interpolateColumns(
              scratch.row(0), columns.positions, columns.fractions, output.row(y), output.width)
          }
        }
      }
    }
  }
}

/// Writes one row between two smoothed rows: the smoothed rows `position` and `position + 1`, interpolated at
/// `fraction`.
private func weigh(
  _ source: PlaneView<Float>, around position: Int, fraction: Float, kernel: SmoothingKernel,
  into output: UnsafeMutablePointer<Float>, filter: FilterKernels
) {
  var weights = kernel.weights
  if fraction > 0 {
    let next = min(position + 1, source.height - 1) - position
    weights = (0..<kernel.weights.count + next).map { tap in
      let upper = tap < kernel.weights.count ? kernel.weights[tap] * (1 - fraction) : 0
      let lower = tap >= next ? kernel.weights[tap - next] * fraction : 0
      return upper + lower
    }
  }
  let rows = weights.indices.map { tap in
    source.row(reflectedIndex(position - kernel.radius + tap, count: source.height))
  }
  filter.weightedSum(rows, weights, rows.count, output, source.width)
}

/// exp(−x² / 2σ²).
///
/// Computed with additions and multiplications alone, so that the weights, and with them every result, do not depend on
/// the C library: exp(−t) = exp(−t / 2ᵏ)^(2ᵏ), and a Taylor series for the small argument. Error below 1e-14 for the
/// weights that matter (above 1e-9).
package func gaussian(_ x: Double, sigma: Double) -> Double {
  var t = x * x / (2 * sigma * sigma)
  guard t < 700 else { return 0 }
  var halvings = 0
  while t > 0.125 {
    t *= 0.5
    halvings += 1
  }
  var term = 1.0
  var sum = 1.0
  for n in 1...12 {
    term *= -t / Double(n)
    sum += term
  }
  for _ in 0..<halvings { sum *= sum }
  return sum
}
