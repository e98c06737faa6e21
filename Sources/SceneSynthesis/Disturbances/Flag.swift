import Imaging

extension Disturbance {
  /// A striped cloth whose waves travel from the pole to its free end.
  static func flag(_ canvas: Canvas) -> Disturbance {
    let flag = Flag(canvas)
    return Disturbance(isBehindObjects: true) { time in
      let gust = Float(1 + 0.5 * stableSine(flag.gustRate * time + flag.gustPhase))
      let shift = Float(flag.speed * time - (flag.speed * time).rounded(.down))
      return { y, row in flag.paint(Float(y), row, gust: gust, shift: shift) }
    }
  }
}

private struct Flag {
  private let left: Float
  private let top: Float
  private let width: Float
  private let height: Float
  /// The length of a wave over the flag's width.
  private let waveLength: Float
  private let colors: [SIMD4<Float>]
  /// Waves a frame.
  let speed: Double
  /// Radians a frame.
  let gustRate: Double
  let gustPhase: Double

  init(_ canvas: Canvas) {
    let random = RandomTable(canvas, 2)
    width = canvas.length(random.number(0, in: 90...150))
    height = canvas.length(random.number(1, in: 56...84))
    left = Float(random.number(2, in: 0.1...0.6) * canvas.width)
    top = Float(random.number(3, in: 0.1...0.2) * canvas.height)
    waveLength = Float(random.number(4, in: 0.7...1.4))
    speed = random.number(5, in: 0.025...0.055)
    gustRate = random.number(6, in: 0.03...0.07)
    gustPhase = random.number(7, in: 0...6.28)
    colors = (0..<3).map { stripe in
      let levels = (0..<3).map { Float(random.number(10 + $0, of: stripe, in: 35...185)) }
      return SIMD4(levels[0], levels[1], levels[2], 0)
    }
  }

  func paint(_ y: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>, gust: Float, shift: Float) {
    // No wave is higher than a quarter of the cloth.
    guard y > top - 0.25 * height, y < top + 1.25 * height else { return }
    for column in row.columns(from: left - 1, to: left + width + 1) {
      let part = (Float(column) - left) / width
      let phase = part / waveLength - shift
      let wave = 0.12 * height * gust * max(0, part) * softWave(phase)
      let down = (y - top - wave) / height
      let inside = min(min(down, 1 - down) * height, min(part, 1 - part) * width)
      let light = 1 + 0.25 * part * softWave(phase + 0.25)
      let color = colors[max(0, min(2, Int(down * 3)))] * light
      row[column].cover(with: color, softCoverage(-inside))
    }
  }
}
