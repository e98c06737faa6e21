// The flow of the level at hand.

import FlowKernels
import Imaging

/// Two grids of vectors, and two more for what follows from them.
final class LevelFlow {
  /// The number of samples to the left and right of a row that kernels may read.
  static let margin = 16

  private(set) var size = PixelSize(width: 0, height: 0)
  private var uMemory = GridMemory()
  private var vMemory = GridMemory()
  private var nextUMemory = GridMemory()
  private var nextVMemory = GridMemory()

  /// Resamplers of earlier calls: more than the levels of any pyramid.
  private var known: [(u: Resampler, v: Resampler)] = []
  /// The maximum number of resamplers that are kept; chosen by hand.
  private static let knownLimit = 100

  var u: GridView { uMemory.view }
  var v: GridView { vMemory.view }
  var nextU: GridView { nextUMemory.view }
  var nextV: GridView { nextVMemory.view }

  /// Begins with `initial`, a field of the full size, or with zero motion.
  func start(from initial: FlowField?, size: PixelSize, parallelism: Parallelism) {
    reset(size: size)
    guard let initial else { return }
    let field = initial.reduced(to: size, parallelism: parallelism)
    for (plane, grid) in [(field.u, u), (field.v, v)] {
      plane.withView { view in
        for y in 0..<view.height { grid.row(y).update(from: view.row(y), count: view.width) }
      }
    }
  }

  /// Zero motion.
  private func reset(size: PixelSize) {
    self.size = size
    for memory in [uMemory, vMemory] {
      memory.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: 0)
      for y in 0..<size.height { memory.view.row(y).update(repeating: 0, count: size.width) }
    }
    reshapeNext(to: size)
  }

  /// Becomes a copy of a part of another flow.
  func take(_ rect: PixelRect, of other: LevelFlow) {
    size = rect.size
    for (memory, source) in [(uMemory, other.u), (vMemory, other.v)] {
      memory.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: 0)
      for y in 0..<size.height { memory.view.row(y).update(from: source.row(rect.y + y) + rect.x, count: size.width) }
    }
    reshapeNext(to: size)
  }

  /// Replaces a part of another flow.
  func put(into other: LevelFlow, at rect: PixelRect) {
    for (part, whole) in [(u, other.u), (v, other.v)] {
      for y in 0..<size.height { (whole.row(rect.y + y) + rect.x).update(from: part.row(y), count: size.width) }
    }
  }

  /// Makes what was computed last the flow.
  func advance() {
    swap(&uMemory, &nextUMemory)
    swap(&vMemory, &nextVMemory)
  }

  private func reshapeNext(to size: PixelSize) {
    for memory in [nextUMemory, nextVMemory] {
      memory.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: 0)
    }
  }

  /// Brings the flow to another size; vectors grow with the image.
  func resize(to target: PixelSize, parallelism: Parallelism) {
    guard target != size else { return }
    reshapeNext(to: target)
    let (columns, rows) = resamplers(to: target)
    let (u, v, nextU, nextV) = (u, v, nextU, nextV)
    parallelism.forEachStripe(rows: target.height) { stripe in
      columns.resize(u, into: nextU, rows: stripe)
      rows.resize(v, into: nextV, rows: stripe)
    }
    advance()
    size = target
    reshapeNext(to: target)
  }

  /// Returns the resamplers that make the components longer as they make the image wider or higher.
  private func resamplers(to target: PixelSize) -> (u: Resampler, v: Resampler) {
    if let known = known.first(where: { $0.u.source == size && $0.u.target == target }) { return known }
    func axis(_ source: Int, _ target: Int, scalesVectors: Bool) -> ResamplingAxis {
      ResamplingAxis(source: source, target: target, factor: scalesVectors ? Double(target) / Double(source) : 1)
    }
    let made = [true, false].map { isU in
      Resampler(
        horizontal: axis(size.width, target.width, scalesVectors: isU),
        vertical: axis(size.height, target.height, scalesVectors: !isU))
    }
    let pair = (u: made[0], v: made[1])
    if known.count >= Self.knownLimit { known.removeAll() }
    known.append(pair)
    return pair
  }

  /// Returns the flow at full size.
  /// - Parameters:
  ///   - target: The full size.
  ///   - regions: The parts of the field that are wanted, of which none overlaps another: it is zero around them. None:
  ///     the whole.
  func field(size target: PixelSize, in regions: [PixelRect] = [], parallelism: Parallelism) -> FlowField {
    let resamplers = resamplers(to: target)
    let regions = regions.sorted { $0.x < $1.x }
    return FlowField(
      u: component(u, resamplers.u, in: regions, parallelism), v: component(v, resamplers.v, in: regions, parallelism))
  }

  private func component(
    _ grid: GridView, _ resampler: Resampler, in regions: [PixelRect], _ parallelism: Parallelism
  ) -> Plane<Float> {
    let (target, isResized) = (resampler.target, resampler.target != size)
    return Plane(size: target) { view in
      let output = GridView(view.readOnly)
      parallelism.forEachStripe(rows: target.height) { stripe in
        for rows in regions.isEmpty ? [stripe] : Self.union(of: regions.map(\.rows), in: stripe) {
          if isResized {
            resampler.resize(grid, into: output, rows: rows)
          } else {
            for y in rows { view.row(y).update(from: grid.row(y), count: view.width) }
          }
        }
        if !regions.isEmpty { for y in stripe { Self.clear(view.row(y), y, outside: regions, width: view.width) } }
      }
    }
  }

  /// Returns the parts of a stripe of rows that are in one of some ranges, from above to below.
  private static func union(of ranges: [Range<Int>], in stripe: Range<Int>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges.map({ $0.clamped(to: stripe) }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard let last = result.last, range.lowerBound <= last.upperBound else {
        result.append(range)
        continue
      }
      result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
    return result.filter { !$0.isEmpty }
  }

  /// Makes the row `y` zero outside of some rectangles, which come from left to right.
  private static func clear(
    _ row: UnsafeMutablePointer<Float>, _ y: Int, outside regions: [PixelRect], width: Int
  ) {
    var end = 0
    for region in regions where region.rows.contains(y) {
      (row + end).update(repeating: 0, count: region.columns.lowerBound - end)
      end = region.columns.upperBound
    }
    (row + end).update(repeating: 0, count: width - end)
  }
}
