import Imaging

extension FlowField {
  /// The number of samples per axis of the check below; chosen by hand.
  private static let checkedSide = 64
  /// The maximum share of the difference between the images that the motion may leave to be worth a start; chosen by
  /// hand.
  private static let worthwhileShare: Float = 0.8

  /// Returns whether this field, the motion of the pair before, explains `current` out of `previous` clearly better
  /// than no motion does. After a cut, or when the motion has changed altogether, it does not. Looks at a few thousand
  /// pixels.
  func isWorthStartingFrom(previous: Plane<Float>, current: Plane<Float>) -> Bool {
    let (columns, rows) = (min(Self.checkedSide, width), min(Self.checkedSide, height))
    var moved: Float = 0
    var still: Float = 0
    for row in 0..<rows {
      let y = (2 * row + 1) * height / (2 * rows)
      for column in 0..<columns {
        let x = (2 * column + 1) * width / (2 * columns)
        let (u, v) = self[x, y]
        let targetX = min(max(Int((Float(x) + u).rounded()), 0), width - 1)
        let targetY = min(max(Int((Float(y) + v).rounded()), 0), height - 1)
        moved += abs(current[targetX, targetY] - previous[x, y])
        still += abs(current[x, y] - previous[x, y])
      }
    }
    return moved < Self.worthwhileShare * still
  }
}
