// The flow of the level at hand.

import FlowKernels
import Imaging

/// Two grids of vectors, and two more for what follows from them.
final class LevelFlow {
  static let margin = 16

  private(set) var size = PixelSize(width: 0, height: 0)
  private var uMemory = GridMemory()
  private var vMemory = GridMemory()
  private var nextUMemory = GridMemory()
  private var nextVMemory = GridMemory()

  var u: GridView { uMemory.view }
  var v: GridView { vMemory.view }
  var nextU: GridView { nextUMemory.view }
  var nextV: GridView { nextVMemory.view }

  /// Zero motion.
  func reset(size: PixelSize) {
    self.size = size
    for memory in [uMemory, vMemory] {
      memory.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: 0)
      for y in 0..<size.height { memory.view.row(y).update(repeating: 0, count: size.width) }
    }
    reshapeNext(to: size)
  }

  /// What was computed last becomes the flow.
  func advance() {
    swap(&uMemory, &nextUMemory)
    swap(&vMemory, &nextVMemory)
  }

  private func reshapeNext(to size: PixelSize) {
    for memory in [nextUMemory, nextVMemory] {
      memory.reshape(rows: size.height, width: size.width, margin: Self.margin, marginRows: 0)
    }
  }

  /// Brings the flow to another size; vectors grow with the picture.
  func resize(to target: PixelSize, parallelism: Parallelism) {
    guard target != size else { return }
    reshapeNext(to: target)
    let columns = ResizedAxis(source: size.width, target: target.width)
    let rows = ResizedAxis(source: size.height, target: target.height)
    let factors = (
      u: Float(target.width) / Float(size.width), v: Float(target.height) / Float(size.height)
    )
    resize(u, into: nextU, factor: factors.u, columns, rows, parallelism)
    resize(v, into: nextV, factor: factors.v, columns, rows, parallelism)
    advance()
    size = target
    reshapeNext(to: target)
  }

  private func resize(
    _ source: GridView, into target: GridView, factor: Float, _ columns: ResizedAxis, _ rows: ResizedAxis,
    _ parallelism: Parallelism
  ) {
    let filter = KernelTable.current.filter
    let (width, height) = (size.width, size.height)
    parallelism.forEachStripe(rows: rows.positions.count) { stripe in
      let scratch = ScratchRows(count: 1, width: width)
      for y in stripe {
        let above = Int(rows.positions[y])
        let fraction = rows.fractions[y]
        filter.weightedSum(
          [UnsafePointer(source.row(above)), UnsafePointer(source.row(min(above + 1, height - 1)))],
          [(1 - fraction) * factor, fraction * factor], 2, scratch.row(0), width)
        filter.interpolateColumns(
          scratch.row(0), columns.positions, columns.fractions, target.row(y), columns.positions.count)
      }
    }
  }

  /// A copy of the flow.
  func field(parallelism: Parallelism) -> FlowField {
    var field = FlowField(size: size)
    copy(u, into: &field.u)
    copy(v, into: &field.v)
    return field
  }

  private func copy(_ grid: GridView, into plane: inout Plane<Float>) {
    plane.withMutableView { view in
      for y in 0..<view.height { view.row(y).update(from: grid.row(y), count: view.width) }
    }
  }
}
