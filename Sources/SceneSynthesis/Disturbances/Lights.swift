import Imaging

extension Disturbance {
  /// The bands of mains light under a rolling shutter, which wander over the image.
  static func rollingBands(_ canvas: Canvas) -> Disturbance {
    let random = RandomTable(canvas, 7)
    let period = random.number(0, in: 90...500) * canvas.unit
    let speed = random.number(1, in: 0.02...0.3)
    let strength = random.number(2, in: 0.03...0.12)
    return Disturbance { time in
      return { y, row in
        let gain = Float(1 + strength * stableSine(2 * .pi * (Double(y) / period - speed * time)))
        for column in row.indices { row[column] *= gain }
      }
    }
  }

  /// The light of cars that wanders over walls: two soft cones at a time.
  /// - Parameter sweeps: The frames in which a car passes.
  static func headlights(_ canvas: Canvas, sweeps: [ClosedRange<Double>]) -> Disturbance {
    let random = RandomTable(canvas, 8)
    let beams = sweeps.enumerated().map { Beam($0, $1, random, canvas) }
    return Disturbance { time in
      let lit = beams.filter { $0.frames.contains(time) }
      return { y, row in for beam in lit { beam.paint(Float(y), row, time) } }
    }
  }
}

private struct Beam: Sendable {
  let frames: ClosedRange<Double>
  private let from: Float
  private let to: Float
  private let y: Float
  private let spread: Float
  private let power: Float

  init(_ index: Int, _ frames: ClosedRange<Double>, _ random: RandomTable, _ canvas: Canvas) {
    self.frames = frames
    spread = canvas.length(random.number(0, of: index, in: 60...160))
    power = Float(random.number(1, of: index, in: 0.5...1.2))
    y = Float(random.number(2, of: index, in: 0.2...0.7) * canvas.height)
    let (start, end) = (-1.5 * spread, Float(canvas.width) + 1.5 * spread)
    (from, to) = random.number(3, of: index, in: 0...1) < 0.5 ? (start, end) : (end, start)
  }

  func paint(_ line: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>, _ time: Double) {
    let part = Float((time - frames.lowerBound) / (frames.upperBound - frames.lowerBound))
    let strength = power * 4 * part * (1 - part)
    let center = from + (to - from) * part
    let dy = (line - y) / (1.6 * spread)
    guard abs(dy) < 1 else { return }
    for column in row.columns(from: center - 2.2 * spread, to: center + 2.2 * spread) {
      let x = Float(column) - center
      row[column] *= 1 + strength * (cone(x + 0.6 * spread, dy) + cone(x - 0.6 * spread, dy))
    }
  }

  /// The light of one lamp, 1 in its middle; `dy` is in fractions of the cone's radius.
  @inline(__always)
  private func cone(_ x: Float, _ dy: Float) -> Float {
    let dx = x / (1.6 * spread)
    let rest = max(0, 1 - dx * dx - dy * dy)
    return rest * rest
  }
}
