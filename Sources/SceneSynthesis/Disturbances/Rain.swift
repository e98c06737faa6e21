import Imaging

extension Disturbance {
  /// Streaks at several depths that fall slantwise; near ones are long, fast and wide.
  /// - Parameter count: The number of drops.
  static func rain(_ canvas: Canvas, count: Int) -> Disturbance {
    let random = RandomTable(canvas, 0)
    let slant = Float(random.number(9, in: -0.3...0.3))
    return Disturbance { time in
      let streaks = (0..<count).map { Streak($0, time, slant: slant, random, canvas) }
      return { y, row in for streak in streaks { streak.paint(Float(y), row) } }
    }
  }
}

/// A drop, as it is smeared by its fall while the shutter is open.
private struct Streak {
  private let x: Float
  private let top: Float
  private let length: Float
  private let slant: Float
  private let halfWidth: Float
  private let opacity: Float

  private static let color = SIMD4<Float>(level: 205)

  init(_ index: Int, _ time: Double, slant: Float, _ random: RandomTable, _ canvas: Canvas) {
    let depth = random.number(0, of: index, in: 0.25...1)
    let length = 44 * depth * random.number(1, of: index, in: 0.7...1.3) * canvas.unit
    // A drop falls by 1.1 of its streak a frame. What has left below comes in above, somewhere else.
    let way = canvas.height + length
    let turns = time * 1.1 * length / way + random.number(2, of: index, in: 0...1)
    let turn = turns.rounded(.down)
    let margin = 0.05 * canvas.width
    x = Float(random.number(3 + Int(turn), of: index + 1_000_000, in: -margin...canvas.width + margin))
    top = Float((turns - turn) * way - length)
    self.length = Float(length)
    self.slant = slant
    halfWidth = Float((depth < 0.75 ? 0.55 : 0.95) * canvas.unit)
    opacity = Float(random.number(4, of: index, in: 0.25...0.6) * (0.5 + 0.5 * depth))
  }

  func paint(_ y: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>) {
    let along = y - top
    guard along >= 0, along <= length else { return }
    let center = x + slant * along
    let fade = min(1, min(along, length - along) / 3)
    for column in row.columns(from: center - halfWidth - 1, to: center + halfWidth + 1) {
      row[column].cover(with: Self.color, opacity * fade * softCoverage(abs(Float(column) - center) - halfWidth))
    }
  }
}
