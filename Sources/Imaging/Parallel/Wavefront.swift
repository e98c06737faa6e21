// Several passes over the rows of an image, one close behind the other, so that rows are still in the cache when the
// next pass comes.

/// The order in which the steps 0 ..< `steps` run on the rows of an image, where a step on a row needs the step before
/// on that row and its two neighbours. The result is that of one pass after the other.
///
/// One thread follows the front of a wave: step t works t rows behind step 0. Several threads have a part of the image
/// each, whose steps stop short of its borders by one row more each time; then the wedges between the parts are filled.
@usableFromInline
package struct Wavefront: Sendable {
  @usableFromInline let rows: Int
  @usableFromInline let steps: Int
  /// The first row of each part, and the row past the last one.
  @usableFromInline let borders: [Int]
  @usableFromInline let parts: Int
  /// Rows of memory that a part uses again and again: a power of two.
  @usableFromInline let ring: Int
  /// The number of parts for each thread: see `init`.
  private static let partsPerThread = 2

  /// Divides the rows of an image into parts for the threads.
  package init(rows: Int, steps: Int, parallelism: Parallelism) {
    self.rows = rows
    self.steps = steps
    // A part must be higher than the wedges that reach into it from both sides. Several parts for each thread even out
    // that one thread gets less of its core than another.
    let wanted = parallelism.threadCount > 1 ? Self.partsPerThread * parallelism.threadCount : 1
    let parts = max(1, min(wanted, rows / (2 * steps + 2)))
    borders = (0...parts).map { $0 * rows / parts }
    self.parts = parts
    ring = 1 << (Int.bitWidth - (steps + 1).leadingZeroBitCount)
  }

  /// Runs `body` for every step and row.
  ///
  /// `body` may read neighbouring rows only as far as they must be finished; for steps that work in place that means:
  /// what a step reads of a neighbour is not written by the same step (the colours of a checkerboard), nor by the next.
  package func run(_ parallelism: Parallelism, _ body: @Sendable (_ step: Int, _ row: Int) -> Void) {
    parallelism.forEach(count: parts) { part in
      let (first, end) = (borders[part], borders[part + 1])
      let (shrinksAbove, shrinksBelow) = (part > 0, part < parts - 1)
      for front in first..<end + steps - 1 {
        for step in max(0, front - end + 1)..<min(steps, front - first + 1) {
          let row = front - step
          let isAbove = shrinksAbove && row < first + step
          let isBelow = shrinksBelow && row >= end - step
          if !isAbove && !isBelow { body(step, row) }
        }
      }
    }
    parallelism.forEach(count: parts - 1) { wedge in
      let border = borders[wedge + 1]
      for step in 1..<max(steps, 1) {
        for row in border - step..<border + step { body(step, row) }
      }
    }
  }

  // What a step writes only for later steps need not be kept for all rows: far from the wedges, a row's memory serves
  // another row again when the wave has passed.

  @usableFromInline var kept: Int { 2 * (steps + 1) }

  /// The number of rows of memory that `slot(of:)` names.
  package var slotCount: Int { parts * ring + (parts - 1) * kept }

  /// The memory for what the steps of this row leave behind for each other and for the rows next to it.
  @inlinable
  package func slot(of row: Int) -> Int {
    if parts == 1 { return row & (ring - 1) }
    var part = 0
    while part < parts - 1, row >= borders[part + 1] + steps + 1 { part += 1 }
    if part < parts - 1, row >= borders[part + 1] - steps - 1 {
      return parts * ring + part * kept + row - (borders[part + 1] - steps - 1)
    }
    return part * ring + (row & (ring - 1))
  }
}
