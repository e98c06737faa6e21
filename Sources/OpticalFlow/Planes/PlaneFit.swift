// How a plane is fitted to vectors of a flow.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Vectors of a flow at some positions, to which a plane is fitted.
final class PlaneFit {
  /// The number of times that weights are formed anew; chosen by hand.
  private static let rounds = 3

  private(set) var count = 0
  /// A Boolean value that tells whether none of the samples moves: rounding must not make their plane move by a
  /// millionth of a pixel.
  private var isStill = true
  private let capacity: Int
  private let memory = GridMemory()
  private let kernels = KernelTable.current.planes

  init(capacity: Int) {
    self.capacity = (capacity + 15) / 16 * 16
    memory.reshape(rows: 7, width: max(self.capacity, 16 * PlaneKernels.sumCount), margin: 0, marginRows: 0)
  }

  /// Adds the trusted ones of some cells, without those in `explained`; what exceeds the capacity is left out.
  func add(_ indices: some Sequence<Int>, of cells: FlowCells, beside explained: CellSet? = nil) {
    let view = memory.view
    let (x, y, targetX, targetY, tolerance) = (view.row(0), view.row(1), view.row(2), view.row(3), view.row(4))
    var count = count
    for cell in indices where count < capacity && cells.isTrusted(cell) {
      if explained?.contains(cell) == true { continue }
      x[count] = cells.x[cell]
      y[count] = cells.y[cell]
      targetX[count] = cells.x[cell] + cells.u[cell]
      targetY[count] = cells.y[cell] + cells.v[cell]
      tolerance[count] = cells.squaredTolerance[cell]
      if cells.u[cell] != 0 || cells.v[cell] != 0 { isStill = false }
      count += 1
    }
    self.count = count
  }

  /// The plane that fits the samples best; nil when there are fewer than `minimumCount`, or they lie on a line. They
  /// are used up.
  func solve(minimumCount: Int) -> PlanarMotion? {
    defer { (count, isStill) = (0, true) }
    guard count >= minimumCount, let (originX, originY, spread) = normalize() else { return nil }
    let row = memory.view
    var elements: [Float] = [1, 0, 0, 0, 1, 0, 0, 0]
    let sums = row.row(5)
    let samples = PlaneSamples(x: row.row(0), y: row.row(1), targetX: row.row(2), targetY: row.row(3))
    for round in 0..<Self.rounds {
      elements.withUnsafeBufferPointer {
        kernels.planeSums(
          round == 0 ? nil : $0.baseAddress, samples, row.row(4), sums, row.row(6), (count + 15) / 16 * 16)
      }
      guard PlaneEquations(sums).solve(into: &elements) else { return nil }
    }
    if isStill { elements = [1, 0, 0, 0, 1, 0, 0, 0] }
    elements[2] *= spread
    elements[5] *= spread
    elements[6] /= spread
    elements[7] /= spread
    return PlanarMotion(numbers: elements + [originX, originY])
  }

  /// Brings positions to their middle and their mean distance from it, and fills the last vector; nil when all are
  /// equal.
  private func normalize() -> (originX: Float, originY: Float, spread: Float)? {
    let (count, view) = (count, memory.view)
    let (x, y, targetX, targetY, tolerance) = (view.row(0), view.row(1), view.row(2), view.row(3), view.row(4))
    var (sumX, sumY): (Float, Float) = (0, 0)
    for i in 0..<count {
      sumX += x[i]
      sumY += y[i]
    }
    let (originX, originY) = (sumX / Float(count), sumY / Float(count))
    var sum: Float = 0
    for i in 0..<count { sum += abs(x[i] - originX) + abs(y[i] - originY) }
    let spread = sum / Float(count)
    guard spread > 0 else { return nil }
    for i in 0..<count {
      x[i] = (x[i] - originX) / spread
      y[i] = (y[i] - originY) / spread
      targetX[i] = (targetX[i] - originX) / spread
      targetY[i] = (targetY[i] - originY) / spread
      tolerance[i] = spread * spread / tolerance[i]
    }
    let rest = (count + 15) / 16 * 16 - count
    for row in [x, y, targetX, targetY] { (row + count).update(repeating: 0, count: rest) }
    (tolerance + count).update(repeating: -1, count: rest)
    return (originX, originY, spread)
  }
}
