// The motion of cells against the camera's motion, and how far it stands out from the noise.

import Imaging

/// Flow less the camera's motion, averaged over square cells. The constants were chosen by hand, where nothing else is
/// said.
struct MotionGrid {
  let cellSize: Int
  private let imageSize: PixelSize
  /// Mean residual vectors; NaN where nothing is known.
  private let residual: FlowField
  /// The map from `previous` to where the scene lies in `current`.
  let scene: Homography

  /// The maximum number of cells along the longer side: as fine as flow is at edges of objects in images of usual size.
  private static let maximumSideInCells = 128
  /// The minimum side of a cell, in pixels.
  private static let minimumCellSide = 4
  /// The median length of normally distributed vectors, in their standard deviations: √(2·ln 2).
  private static let rayleighMedian: Float = 1.1774
  /// The number of standard deviations that the floor lies above the noise: one cell in ninety is warm by chance before
  /// smoothing, none is hot.
  private static let floorDeviations: Float = 3
  /// The minimum of the floor, in pixels: errors of the flow on real images (the mean on Middlebury is 0.36 at medium
  /// accuracy, most of it at edges of objects).
  private static let minimumFloor: Float = 0.25

  init(of flow: FlowField, camera: Homography) {
    imageSize = flow.size
    cellSize = max(
      Self.minimumCellSide, (max(flow.width, flow.height) + Self.maximumSideInCells - 1) / Self.maximumSideInCells)
    // From `previous`, the reference, to where the camera's motion puts it in `current`.
    let summary = FlowSummary(of: flow, cellSize: cellSize)
    let motion = camera.inverse ?? .identity
    let byCamera = Self.residual(of: summary, less: motion)
    let median = Self.medianVector(summary.mean)
    let shift = Homography.translation(x: Double(median.x), y: Double(median.y))
    let byShift = Self.residual(of: summary, less: shift)
    let isCameraBetter = Self.medianLength(byCamera) <= Self.medianLength(byShift)
    (residual, scene) = isCameraBetter ? (byCamera, motion) : (byShift, shift)
  }

  /// The heat of each cell, and the floor, in pixels, below which there is none.
  ///
  /// - Parameter evidence: A value for each cell, 0…1: how far the images confirm that it moves otherwise than the
  ///   scene.
  func heat(evidence: Plane<Float>, parallelism: Parallelism) -> (map: Plane<Float>, floor: Float) {
    let floor = max(Self.minimumFloor, Self.floorDeviations * Self.medianLength(residual) / Self.rayleighMedian)
    let sharp = Plane(width: residual.width, height: residual.height) { x, y -> Float in
      guard residual.isKnown(x: x, y: y) else { return 0 }
      let excess = max(0, length(x, y) / floor - 1)
      return excess / (1 + excess) * evidence[x, y]
    }
    var smooth = Plane<Float>(size: sharp.size)
    sharp.smoothAndResize(with: .binomial3, into: &smooth, parallelism: parallelism)
    return (smooth.limited(), floor)
  }

  /// Returns for each cell how far the images confirm that it moves otherwise than the scene, 0…1: by how much
  /// `current` differs more from `previous` when the scene's motion is undone than when the flow is, in units of the
  /// usual difference. Where there is nothing to see, the flow means nothing, and either explains the images as well.
  func evidence(for flow: FlowField, previous: Plane<Float>, current: Plane<Float>, parallelism: Parallelism)
    -> Plane<Float>
  {
    let byFlow = flow.warp(current, interpolation: .bilinear, fill: .nan, parallelism: parallelism)
    let byScene = current.warped(
      by: scene.inverse ?? .identity, size: previous.size, interpolation: .bilinear, fill: .nan,
      parallelism: parallelism)
    let unexplained = differences(previous, byScene)
    let remaining = differences(previous, byFlow)
    let usual = max(Self.minimumDifference, unexplained.knownValues.median ?? 0)
    return Plane(width: residual.width, height: residual.height) { x, y in
      let gain = (unexplained[x, y] - remaining[x, y]) / (Self.fullGain * usual)
      return gain.isNaN ? 0 : min(max(gain, 0), 1)
    }
  }

  /// The minimum difference of images, in grey levels: what rounding and interpolation make.
  private static let minimumDifference: Float = 1
  /// The number of usual differences by which the flow must explain a cell better for full evidence.
  private static let fullGain: Float = 2

  /// The mean absolute difference of two images in each cell; NaN where one of them is unknown everywhere.
  private func differences(_ a: Plane<Float>, _ b: Plane<Float>) -> Plane<Float> {
    a.withView { a in
      b.withView { b in
        Plane(width: residual.width, height: residual.height) { column, row in
          var (sum, count): (Float, Float) = (0, 0)
          for y in row * cellSize..<min((row + 1) * cellSize, a.height) {
            let (p, q) = (a.row(y), b.row(y))
            for x in column * cellSize..<min((column + 1) * cellSize, a.width) where !q[x].isNaN {
              sum += abs(p[x] - q[x])
              count += 1
            }
          }
          return count > 0 ? sum / count : .nan
        }
      }
    }
  }

  /// Returns the salient object that stands for a region of cells.
  func object(_ region: HotRegions.Region) -> MotionSaliencyObservation.SalientObject {
    let size = Double(cellSize)
    let (left, top) = (Double(region.columns.lowerBound) * size, Double(region.rows.lowerBound) * size)
    let right = min(Double(region.columns.upperBound) * size, Double(imageSize.width))
    let bottom = min(Double(region.rows.upperBound) * size, Double(imageSize.height))
    return MotionSaliencyObservation.SalientObject(
      boundingBox: NormalizedRect(
        BoundingBox(x: left, y: top, width: right - left, height: bottom - top), in: imageSize),
      confidence: region.peak, motion: motion(of: region))
  }

  /// The mean of the faster half of the cells: those at the border hold a part of the scene, too.
  private func motion(of region: HotRegions.Region) -> SIMD2<Float> {
    let known = region.cells.filter { residual.isKnown(x: $0.x, y: $0.y) }
    let median = known.map { length($0.x, $0.y) }.median ?? 0
    let fast = known.filter { length($0.x, $0.y) >= median }.map { residual[$0.x, $0.y] }
    let sum = fast.reduce(SIMD2<Float>.zero) { $0 + SIMD2($1.u, $1.v) }
    return fast.isEmpty ? .zero : sum / Float(fast.count)
  }

  private func length(_ x: Int, _ y: Int) -> Float {
    let (u, v) = residual[x, y]
    return (u * u + v * v).squareRoot()
  }

  /// The mean of flow less `map`'s displacement in each cell; unknown where less than half of the flow is known, or
  /// where the map leaves the image: there is nothing to see then.
  private static func residual(of summary: FlowSummary, less map: Homography) -> FlowField {
    let (size, cellSize) = (summary.size, summary.cellSize)
    return FlowField(width: summary.mean.width, height: summary.mean.height) { column, row in
      guard summary.knownShare[column, row] >= 0.5 else { return (.nan, .nan) }
      // The displacement of a map is nearly linear in a cell: its mean is that of the middle.
      let x = Double(column * cellSize + min((column + 1) * cellSize, size.width) - 1) / 2
      let y = Double(row * cellSize + min((row + 1) * cellSize, size.height) - 1) / 2
      let position = map.apply(x: x, y: y)
      guard position.x >= 0, position.y >= 0, position.x <= Double(size.width - 1),
        position.y <= Double(size.height - 1)
      else {
        return (.nan, .nan)
      }
      let mean = summary.mean[column, row]
      return (mean.u - Float(position.x - x), mean.v - Float(position.y - y))
    }
  }

  private static func known(_ field: FlowField) -> [SIMD2<Float>] {
    (0..<field.height).flatMap { y in
      (0..<field.width).compactMap { x in
        field.isKnown(x: x, y: y) ? SIMD2(field[x, y].u, field[x, y].v) : nil
      }
    }
  }

  private static func medianVector(_ field: FlowField) -> SIMD2<Float> {
    let vectors = known(field)
    return SIMD2(vectors.map(\.x).median ?? 0, vectors.map(\.y).median ?? 0)
  }

  private static func medianLength(_ field: FlowField) -> Float {
    known(field).map { ($0 * $0).sum().squareRoot() }.median ?? 0
  }
}

extension Plane where Scalar == Float {
  fileprivate var knownValues: [Float] {
    withView { view in
      (0..<view.height).flatMap { y in (0..<view.width).compactMap { view.row(y)[$0].isNaN ? nil : view.row(y)[$0] } }
    }
  }

  /// Without what rounding adds beyond 0…1.
  fileprivate func limited() -> Plane<Float> {
    withView { view in Plane(width: width, height: height) { min(max(view.row($1)[$0], 0), 1) } }
  }
}
