import Imaging

extension Disturbance {
  /// A pond in the lower part of the image: ripples of several lengths that travel in various ways, with glints.
  static func water(_ canvas: Canvas) -> Disturbance {
    let random = RandomTable(canvas, 3)
    let pond = Pond(
      top: Float(random.number(9, in: 0.55...0.65) * canvas.height), bottom: Float(canvas.height),
      middle: Float(canvas.halfWidth), tone: Float(random.number(8, in: 75...110)))
    let waves = (0..<9).map { index in
      let angle = random.number(0, of: index, in: 0...6.28)
      return Wave(
        cosine: Float(stableCosine(angle)), sine: Float(stableSine(angle)),
        length: canvas.length(random.number(1, of: index, in: 14...80)),
        height: Float(random.number(2, of: index, in: 3...9)), phase: random.number(3, of: index, in: 0...1),
        speed: random.number(4, of: index, in: 1...3) * canvas.unit)
    }
    return Disturbance(isBehindObjects: true) { time in
      let phases = waves.map { wave in
        let turns = wave.phase - wave.speed * time / Double(wave.length)
        return Float(turns - turns.rounded(.down))
      }
      return { y, row in pond.paint(Float(y), row, waves, phases) }
    }
  }
}

private struct Wave: Sendable {
  var cosine: Float
  var sine: Float
  var length: Float
  var height: Float
  var phase: Double
  /// Pixels a frame.
  var speed: Double
}

private struct Pond: Sendable {
  var top: Float
  var bottom: Float
  var middle: Float
  var tone: Float

  func paint(
    _ y: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>, _ waves: [Wave], _ phases: [Float]
  ) {
    guard y > top - 2 else { return }
    // What is far looks small and flat: lengths shrink with the distance.
    let near = max(0.02, min(1, (y - top) / (bottom - top))).squareRoot()
    let (across, along) = (1 / near, 2 * (bottom - top) * near)
    let edge = smoothStep(-2, 2, y - top)
    for column in row.indices {
      var height: Float = 0
      for (wave, phase) in zip(waves, phases) {
        let way = (Float(column) - middle) * across * wave.cosine + along * wave.sine
        height += wave.height * softWave(way / wave.length + phase)
      }
      let level = tone + height + 40 * max(0, min(1, height / 25 - 0.9))
      row[column].cover(with: SIMD4(0.85 * level, level, 1.1 * level, 0), 0.8 * edge)
    }
  }
}
