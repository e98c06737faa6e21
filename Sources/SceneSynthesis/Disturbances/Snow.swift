import Imaging

extension Disturbance {
  /// Flakes at several depths that sink, drift with the wind and swing.
  /// - Parameter count: The number of flakes.
  static func snow(_ canvas: Canvas, count: Int) -> Disturbance {
    let random = RandomTable(canvas, 1)
    let wind = random.number(9, in: -2...2) * canvas.unit
    return Disturbance { time in
      let flakes = (0..<count).map { Flake($0, time, wind: wind, random, canvas) }
      return { y, row in for flake in flakes { flake.paint(Float(y), row) } }
    }
  }
}

private struct Flake {
  private let x: Float
  private let y: Float
  private let radius: Float
  private let opacity: Float

  private static let color = SIMD4<Float>(level: 225)
  /// The height of a flake over its width: it is smeared by its fall.
  private static let slenderness: Float = 1.4

  init(_ index: Int, _ time: Double, wind: Double, _ random: RandomTable, _ canvas: Canvas) {
    let near = random.number(0, of: index, in: 0...1)
    let depth = 0.2 + 0.8 * near * near.squareRoot()
    let radius = (0.9 + 3.4 * depth) * canvas.unit
    let way = canvas.height + 4 * radius
    let speed = (1.3 + 4.7 * depth) * canvas.unit
    let turns = time * speed / way + random.number(1, of: index, in: 0...1)
    let turn = turns.rounded(.down)
    let age = (turns - turn) * way / speed
    let start = random.number(3 + Int(turn), of: index + 1_000_000, in: -0.2 * canvas.width...1.2 * canvas.width)
    let swing = stableSine(
      random.number(2, of: index, in: 0...6.28) + time * random.number(5, of: index, in: 0.06...0.24))
    x = Float(start + wind * depth * age + 9 * depth * canvas.unit * swing)
    y = Float((turns - turn) * way - 2 * radius)
    self.radius = Float(radius)
    opacity = Float(0.9 - 0.3 * depth)
  }

  func paint(_ line: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>) {
    let dy = (line - y) / Self.slenderness
    guard abs(dy) <= radius + 1 else { return }
    for column in row.columns(from: x - radius - 1, to: x + radius + 1) {
      let dx = Float(column) - x
      // The edge is some 2 px wide.
      let distance = ((dx * dx + dy * dy).squareRoot() - radius) / 2
      row[column].cover(with: Self.color, opacity * softCoverage(distance))
    }
  }
}
