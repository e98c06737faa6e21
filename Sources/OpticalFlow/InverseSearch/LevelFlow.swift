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

  /// The flow at full size.
  func field(size target: PixelSize, parallelism: Parallelism) -> FlowField {
    let (size, u, v) = (size, u, v)
    if target == size { return FlowField(u: copy(u, parallelism), v: copy(v, parallelism)) }
    let resamplers = resamplers(to: target)
    return FlowField(
      u: Plane(size: target) { resamplers.u.resize(u, into: GridView($0.readOnly), parallelism: parallelism) },
      v: Plane(size: target) { resamplers.v.resize(v, into: GridView($0.readOnly), parallelism: parallelism) })
  }

  private func copy(_ grid: GridView, _ parallelism: Parallelism) -> Plane<Float> {
    Plane(size: size) { view in
      parallelism.forEachStripe(rows: view.height) { stripe in
        for y in stripe { view.row(y).update(from: grid.row(y), count: view.width) }
      }
    }
  }
}
