import Imaging

extension Disturbance {
  /// A moth or a spider before the lens: large and out of focus, with pauses and dashes.
  static func insect(_ canvas: Canvas) -> Disturbance {
    let random = RandomTable(canvas, 6)
    let radius = canvas.length(random.number(0, in: 20...40))
    let tone = SIMD4<Float>(level: random.number(1, in: 0...1) < 0.5 ? 40 : 180)
    let opacity = Float(random.number(2, in: 0.7...0.95))
    return Disturbance { time in
      let center = Flight.position(time, random, canvas)
      // It turns and beats its wings: its width changes.
      let flatness = Float(0.75 + 0.2 * stableSine(1.3 * time))
      return { y, row in
        let dy = (Float(y) - center.y) / (radius * flatness)
        guard abs(dy) < 1.4 else { return }
        for column in row.columns(from: center.x - 1.4 * radius, to: center.x + 1.4 * radius) {
          let dx = (Float(column) - center.x) / radius
          let distance = (dx * dx + dy * dy).squareRoot()
          row[column].cover(with: tone, opacity * (1 - smoothStep(0.6, 1.4, distance)))
        }
      }
    }
  }
}

/// The way of an insect: from rest to rest, and sometimes it stays.
private enum Flight {
  /// The time for a way, or for a rest, in frames.
  private static let stepLength = 14.0

  static func position(_ time: Double, _ random: RandomTable, _ canvas: Canvas) -> SIMD2<Float> {
    let step = Int((time / stepLength).rounded(.down))
    let part = smoothStep(0, 1, Float(time / stepLength - Double(step)))
    let (from, to) = (rest(step, random, canvas), rest(step + 1, random, canvas))
    return from + (to - from) * part
  }

  /// The position of the insect when the step begins.
  private static func rest(_ step: Int, _ random: RandomTable, _ canvas: Canvas) -> SIMD2<Float> {
    var index = step
    while index > 0, random.number(5, of: index, in: 0...1) < 0.4 { index -= 1 }
    return SIMD2(
      Float(random.number(3, of: index, in: 0.1...0.9) * canvas.width),
      Float(random.number(4, of: index, in: 0.1...0.9) * canvas.height))
  }
}
