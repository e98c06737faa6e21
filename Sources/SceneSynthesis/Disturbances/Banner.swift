import Imaging

extension Disturbance {
  /// A strip of lamps over which letters run: random patterns of 5 × 7 lamps.
  static func banner(_ canvas: Canvas) -> Disturbance {
    let banner = Banner(canvas)
    return Disturbance(isBehindObjects: true) { time in
      let shift = banner.speed * time
      return { y, row in banner.paint(Float(y), row, shift: shift) }
    }
  }
}

private struct Banner {
  private let left: Float
  private let top: Float
  private let width: Float
  /// The distance between lamps in pixels.
  private let cell: Float
  private let key: UInt64
  /// Pixels a frame.
  let speed: Double

  private static let letterWidth = 5
  private static let rowCount = 7
  private static let (dark, bright) = (SIMD4<Float>(38, 36, 40, 0), SIMD4<Float>(210, 150, 60, 0))

  init(_ canvas: Canvas) {
    let random = RandomTable(canvas, 4)
    cell = canvas.length(random.number(0, in: 4...6))
    left = Float(random.number(1, in: 0.05...0.2) * canvas.width)
    width = Float(random.number(2, in: 0.5...0.7) * canvas.width)
    top = Float(random.number(3, in: 0.06...0.2) * canvas.height)
    speed = random.number(4, in: 1.4...5) * canvas.unit
    key = SplitMix64.hash(canvas.seed &+ 450)
  }

  func paint(_ y: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>, shift: Double) {
    let down = (y - top) / cell
    // One row of cells above and below the letters stays dark.
    guard down >= -1, down < Float(Self.rowCount + 1) else { return }
    let lampRow = Int(down.rounded(.down))
    for column in row.columns(from: left, to: left + width) {
      let along = (Double(Float(column) - left) + shift) / Double(cell)
      let lampColumn = Int(along.rounded(.down))
      let (dx, dy) = (Float(along - Double(lampColumn)) - 0.5, down - Float(lampRow) - 0.5)
      let lamp = 1 - smoothStep(0.12, 0.26, dx * dx + dy * dy)
      row[column] = Self.dark
      if isLit(lampColumn, lampRow) { row[column].cover(with: Self.bright, lamp) }
    }
  }

  /// Returns whether a lamp of the endless text is lit: one column and every sixth letter are blank.
  private func isLit(_ column: Int, _ row: Int) -> Bool {
    guard (0..<Self.rowCount).contains(row), column >= 0 else { return false }
    let (letter, inner) = column.quotientAndRemainder(dividingBy: Self.letterWidth + 1)
    let bits = SplitMix64.hash(key &+ UInt64(letter))
    guard inner < Self.letterWidth, bits % 6 != 0 else { return false }
    return bits >> UInt64(8 + row * Self.letterWidth + inner) & 1 == 1
  }
}
