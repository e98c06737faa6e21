// Extrema of the difference of Gaussians over space and scale, placed between the samples.
//
// Lowe, IJCV 2004, sections 3 and 4. Deviation: no fixed contrast decides, but a low limit in proportion to the image's
// own contrast, and then the strongest in each part of the image (see KeypointSelection), so that dark images and
// dull corners have keypoints, too.

import FlowKernels
import Imaging

/// A keypoint before its directions are known.
struct KeypointCandidate: Sendable {
  /// The index of the octave.
  var octave: Int
  /// The level next to it, 1 … levelsPerOctave.
  var level: Int
  /// The column, in pixels of the octave.
  var x: Float
  var y: Float
  /// The scale, in pixels of the octave.
  var scale: Float
  var response: Float
}

struct KeypointDetector: Sendable {
  /// The minimum absolute difference of Gaussians, in grey levels.
  let threshold: Float
  /// The width of the border where nothing is looked for, in pixels of the octave; chosen by hand.
  private static let border = 4
  /// The maximum ratio of the two curvatures of an extremum: more is an edge. Lowe's value.
  private static let edgeRatio: Float = 10
  /// The threshold of a sample as a share of that of the extremum near it: the extremum between the samples is larger.
  /// Chosen by hand.
  private static let sampleShare: Float = 0.8
  /// The number of rows that one task searches; chosen by hand.
  private static let stripeHeight = 16

  func candidates(in octave: Octave, index: Int, parallelism: Parallelism) -> [KeypointCandidate] {
    withViews(of: octave.levels[...]) { levels in
      let size = levels[0].size
      let rows = Self.border..<max(size.height - Self.border, Self.border)
      guard !rows.isEmpty, size.width > 2 * Self.border else { return [] }
      let stripeCount = (rows.count + Self.stripeHeight - 1) / Self.stripeHeight
      var found = [[KeypointCandidate]](repeating: [], count: stripeCount)
      found.withUnsafeMutableBufferPointer { found in
        // SAFETY: each stripe writes its own element.
        nonisolated(unsafe) let found = found
        parallelism.forEach(count: stripeCount) { stripe in
          let first = rows.lowerBound + stripe * Self.stripeHeight
          found[stripe] = search(levels, rows: first..<min(first + Self.stripeHeight, rows.upperBound), octave: index)
        }
      }
      return found.flatMap { $0 }
    }
  }

  private func search(_ levels: [PlaneView<Float>], rows: Range<Int>, octave: Int) -> [KeypointCandidate] {
    let kernels = KernelTable.current.features
    let width = levels[0].width
    let depth = levels.count - 1
    let differences = ScratchRows(count: 3 * depth, width: width)
    let columns = UnsafeMutablePointer<Int32>.allocate(capacity: width)
    defer { columns.deallocate() }
    var found: [KeypointCandidate] = []
    for y in rows.lowerBound - 1...rows.upperBound {
      for level in 0..<depth {
        kernels.subtractRow(levels[level + 1].row(y), levels[level].row(y), differences.row(level * 3 + y % 3), width)
      }
      guard y > rows.lowerBound else { continue }
      for level in 1..<depth - 1 {
        let neighbours = (level - 1...level + 1).flatMap { l in
          (y - 2...y).map { UnsafePointer(differences.row(l * 3 + $0 % 3)) }
        }
        let count = kernels.findExtrema(
          neighbours, threshold * Self.sampleShare, columns, Self.border, width - Self.border)
        for position in 0..<count {
          let candidate = Self.locate(levels, x: Int(columns[position]), y: y - 1, level: level, octave: octave)
          if let candidate, candidate.response >= threshold { found.append(candidate) }
        }
      }
    }
    return found
  }

  /// Fits a quadratic form to the 27 samples around, and moves on while its extremum is nearer to another sample.
  private static func locate(
    _ levels: [PlaneView<Float>], x: Int, y: Int, level: Int, octave: Int
  ) -> KeypointCandidate? {
    let size = levels[0].size
    var (x, y, level) = (x, y, level)
    for _ in 0..<5 {
      let fit = QuadraticFit(levels, x: x, y: y, level: level)
      guard let (dx, dy, ds) = fit.offset else { return nil }
      if abs(dx) <= 0.6 && abs(dy) <= 0.6 && abs(ds) <= 0.6 {
        guard !fit.isEdge(ratio: edgeRatio) else { return nil }
        let scale = Float(ScaleSpace.firstSigma) * powerOfTwo((Float(level) + ds) / Float(ScaleSpace.levelsPerOctave))
        return KeypointCandidate(
          octave: octave, level: level, x: Float(x) + dx, y: Float(y) + dy, scale: scale,
          response: abs(fit.value(dx, dy, ds)))
      }
      guard abs(dx) < 4, abs(dy) < 4, abs(ds) < 2 else { return nil }
      x += Int(dx.rounded())
      y += Int(dy.rounded())
      level += Int(ds.rounded())
      guard border..<size.width - border ~= x, border..<size.height - border ~= y, 1..<levels.count - 2 ~= level
      else { return nil }
    }
    return nil
  }
}

/// 2^x for |x| ≤ 2, by a series: the C library's result depends on the processor.
func powerOfTwo(_ x: Float) -> Float {
  let t = Double(x) * 0.6931471805599453
  var term = 1.0
  var sum = 1.0
  for n in 1...16 {
    term *= t / Double(n)
    sum += term
  }
  return Float(sum)
}

/// Calls `body` with views of all planes.
func withViews<Result>(
  of planes: ArraySlice<Plane<Float>>, _ views: [PlaneView<Float>] = [], _ body: ([PlaneView<Float>]) -> Result
) -> Result {
  guard let plane = planes.first else { return body(views) }
  return plane.withView { withViews(of: planes.dropFirst(), views + [$0], body) }
}

/// The quadratic form through the difference of Gaussians around a sample.
private struct QuadraticFit {
  let centre: Float
  let gradient: SIMD3<Float>
  /// The second derivatives xx, yy, ss.
  let curvature: SIMD3<Float>
  /// The second derivatives xy, xs, ys.
  let mixed: SIMD3<Float>

  init(_ levels: [PlaneView<Float>], x: Int, y: Int, level: Int) {
    func value(_ dx: Int, _ dy: Int, _ ds: Int) -> Float {
      levels[level + ds + 1].row(y + dy)[x + dx] - levels[level + ds].row(y + dy)[x + dx]
    }
    let c = value(0, 0, 0)
    let (left, right) = (value(-1, 0, 0), value(1, 0, 0))
    let (above, below) = (value(0, -1, 0), value(0, 1, 0))
    let (finer, coarser) = (value(0, 0, -1), value(0, 0, 1))
    centre = c
    gradient = SIMD3((right - left) * 0.5, (below - above) * 0.5, (coarser - finer) * 0.5)
    curvature = SIMD3(right + left - 2 * c, below + above - 2 * c, coarser + finer - 2 * c)
    mixed = SIMD3(
      (value(1, 1, 0) - value(-1, 1, 0) - value(1, -1, 0) + value(-1, -1, 0)) * 0.25,
      (value(1, 0, 1) - value(-1, 0, 1) - value(1, 0, -1) + value(-1, 0, -1)) * 0.25,
      (value(0, 1, 1) - value(0, -1, 1) - value(0, 1, -1) + value(0, -1, -1)) * 0.25)
  }

  /// The offset of the extremum from the sample; nil where there is none.
  var offset: (x: Float, y: Float, scale: Float)? {
    let (a, d, f) = (curvature.x, curvature.y, curvature.z)
    let (b, c, e) = (mixed.x, mixed.y, mixed.z)
    let (p, q, r) = (d * f - e * e, c * e - b * f, b * e - c * d)
    let determinant = a * p + b * q + c * r
    guard abs(determinant) > 1e-12 else { return nil }
    let (g, h, i) = (gradient.x, gradient.y, gradient.z)
    let (s, t, u) = (a * f - c * c, b * c - a * e, a * d - b * b)
    return (
      -(p * g + q * h + r * i) / determinant, -(q * g + s * h + t * i) / determinant,
      -(r * g + t * h + u * i) / determinant
    )
  }

  func value(_ dx: Float, _ dy: Float, _ ds: Float) -> Float {
    centre + 0.5 * (gradient.x * dx + gradient.y * dy + gradient.z * ds)
  }

  /// Returns whether one curvature in the image is more than `ratio` times the other, or they differ in sign.
  func isEdge(ratio: Float) -> Bool {
    let trace = curvature.x + curvature.y
    let determinant = curvature.x * curvature.y - mixed.x * mixed.x
    return determinant <= 0 || trace * trace * ratio >= (ratio + 1) * (ratio + 1) * determinant
  }
}
