// Several passes over the rows of a picture, one close behind the other, so that rows are still in the cache when the
// next pass comes.

extension Parallelism {
  /// Runs the steps 0 ..< `steps` on every row, where a step on a row needs the step before on that row and its two
  /// neighbours, and must not come before them; the result is that of one pass after the other.
  ///
  /// One thread follows the front of a wave: step t works t rows behind step 0. Several threads have a part of the
  /// picture each, whose steps stop short of its borders by one row more each time; then the wedges between the parts
  /// are filled. `body` may read the neighbouring rows only as far as they must be finished, which for in-place steps
  /// means: what a step reads of a neighbour is not written by the same step (the colours of a checkerboard).
  public func wavefront(rows: Int, steps: Int, _ body: @Sendable (_ step: Int, _ row: Int) -> Void) {
    // A part must be higher than the wedges that reach into it from both sides.
    let parts = max(1, min(threadCount, rows / (2 * steps + 2)))
    let borders = (0...parts).map { $0 * rows / parts }
    forEach(count: parts) { part in
      let (first, end) = (borders[part], borders[part + 1])
      let (shrinksAbove, shrinksBelow) = (part > 0, part < parts - 1)
      var front = first
      while front < end + steps - 1 {
        var step = max(0, front - end + 1)
        while step < steps, front - step >= first {
          let row = front - step
          let isAbove = shrinksAbove && row < first + step
          let isBelow = shrinksBelow && row >= end - step
          if !isAbove && !isBelow { body(step, row) }
          step += 1
        }
        front += 1
      }
    }
    guard parts > 1 else { return }
    forEach(count: parts - 1) { wedge in
      let border = borders[wedge + 1]
      for step in 1..<steps {
        for row in border - step..<border + step { body(step, row) }
      }
    }
  }
}
