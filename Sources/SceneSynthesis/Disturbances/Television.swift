import Imaging

extension Disturbance {
  /// A screen on which shots follow each other: they cut, pan, and have somebody who walks.
  static func television(_ canvas: Canvas) -> Disturbance {
    let random = RandomTable(canvas, 5)
    let screen = Screen(
      left: Float(random.number(0, in: 0.1...0.6) * canvas.width),
      top: Float(random.number(1, in: 0.08...0.2) * canvas.height),
      width: canvas.length(random.number(2, in: 120...190)), height: canvas.length(random.number(3, in: 76...110)))
    return Disturbance(isBehindObjects: true) { time in
      let shot = Shot(at: time, screen, random, canvas)
      return { y, row in screen.paint(Float(y), row, shot) }
    }
  }
}

private struct Screen: Sendable {
  var left: Float
  var top: Float
  var width: Float
  var height: Float

  func paint(_ y: Float, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>, _ shot: Shot) {
    guard y > top - 4, y < top + height + 4 else { return }
    for column in row.columns(from: left - 4, to: left + width + 4) {
      let (x, down) = (Float(column) - left, y - top)
      let isFrame = x < 0 || down < 0 || x > width || down > height
      row[column] = isFrame ? SIMD4(level: 40) : shot.color(x: x, y: down)
    }
  }
}

/// The image on the screen at one moment, in pixels from its upper left.
private struct Shot: Sendable {
  private let shift: SIMD2<Float>
  private let periods: SIMD3<Float>
  private let tint: SIMD4<Float>
  private let person: SIMD2<Float>
  private let personRadius: Float
  private let personTone: Float

  /// The mean length of a shot in frames.
  private static let length = 38.0

  init(at time: Double, _ screen: Screen, _ random: RandomTable, _ canvas: Canvas) {
    // Cuts are up to 0.6 of a length late, each by its own time.
    func cut(_ index: Int) -> Double { Self.length * (Double(index) + random.number(0, of: index, in: 0...0.6)) }
    let slot = Int((time / Self.length).rounded(.down))
    let index = time < cut(slot) ? slot - 1 : slot
    let age = time - cut(index)
    func number(_ name: Int, _ range: ClosedRange<Double>) -> Double { random.number(name, of: index, in: range) }
    let pans = number(1, 0...1) < 0.7 ? 1.0 : 0
    let unit = canvas.unit
    shift = SIMD2(
      Float(pans * number(2, -2.6...2.6) * unit * age), Float(pans * number(3, -1.2...1.2) * unit * age))
    periods = SIMD3(
      canvas.length(number(4, 24...70)), canvas.length(number(5, 20...60)), canvas.length(number(6, 30...120)))
    tint = SIMD4(Float(number(7, 0.6...1)), Float(number(8, 0.6...1)), Float(number(9, 0.6...1)), 0)
    let walk = number(10, -3...3) * unit * (age - 15)
    person = SIMD2(screen.width / 2 + Float(walk), screen.height * 0.62)
    personRadius = 0.28 * screen.height
    personTone = number(11, 0...1) < 0.5 ? 45 : 175
  }

  func color(x: Float, y: Float) -> SIMD4<Float> {
    // The origin lies far to the left: waves are asked for at positive positions alone.
    let (u, v) = (x + shift.x + 4096, y + shift.y + 4096)
    let level = 112 + 38 * softWave(u / periods.x) + 30 * softWave(v / periods.y + u / periods.z)
    var color = tint * level
    let (dx, dy) = ((x - person.x) / 0.5, y - person.y)
    let distance = (dx * dx + dy * dy).squareRoot() - personRadius
    color.cover(with: SIMD4(level: personTone), softCoverage(distance))
    return color
  }
}
