import Imaging

/// Regular structure over a texture's noise. All lines are soft, and fade where they would become too fine.
enum Pattern: Sendable {
  case plain
  /// Lines of equal tone, as on a map.
  case contours(perTone: Float)
  /// Wavy stripes along the y axis.
  case stripes(period: Float)
  /// Soft dots on a grid whose rows are shifted.
  case dots(period: Float)
  /// Courses of bricks with joints between them.
  case bricks(width: Float, height: Float)
  /// Rings around the origin.
  case rings(period: Float)
  /// Coloured gores around the origin, as on a balloon seen from above.
  case gores(count: Float, radius: Float)

  /// Returns what the pattern adds to the shade and the tone at (x, y).
  @inline(__always)
  func mark(x: Float, y: Float, tone: Float) -> (shade: Float, tone: Float) {
    switch self {
    case .plain:
      return (0, 0)
    case .contours(let perTone):
      let wave = softWave(tone * perTone)
      return (0.35 * wave, 0)
    case .stripes(let period):
      let wave = softWave(x / period + 0.7 * tone)
      return (0.35 * wave, 0.26 * wave)
    case .dots(let period):
      return Self.dot(x / period, y / period)
    case .bricks(let width, let height):
      return Self.brick(x: x, y: y, width: width, height: height)
    case .rings(let period):
      // A hyperbola, not a cone: flat at the origin.
      let wave = softWave((x * x / (period * period) + y * y / (period * period) + 0.1).squareRoot() + 0.5 * tone)
      return (0.35 * wave, 0.3 * wave)
    case .gores(let count, let radius):
      // Towards the centre the gores become finer than pixels: two of them fade where they are 8 to 18 px wide.
      let distance = (x * x + y * y).squareRoot()
      let fade = smoothStep(8, 18, distance * 2 * .pi / count)
      let wave = softWave(turns(x, y) * count)
      let edge = max(-1, min(1, 2 * wave)) * fade
      return (0.12 * edge + 0.3 * (0.4 - distance / radius), 0.3 * edge)
    }
  }

  private static func dot(_ x: Float, _ y: Float) -> (shade: Float, tone: Float) {
    let row = wholePart(y)
    let shifted = Int32(row) & 1 == 0 ? x : x + 0.5
    let dx = shifted - wholePart(shifted) - 0.5
    let dy = y - row - 0.5
    let mark = 1 - smoothStep(0.04, 0.16, dx * dx + dy * dy)
    return (0.45 * mark - 0.15, 0.3 * mark - 0.1)
  }

  private static func brick(x: Float, y: Float, width: Float, height: Float) -> (shade: Float, tone: Float) {
    let course = wholePart(y / height)
    let shifted = x / width + (Int32(course) & 1 == 0 ? 0 : 0.5)
    let column = wholePart(shifted)
    let left = (shifted - column) * width
    let top = y - course * height
    let toJoint = min(min(left, width - left), min(top, height - top))
    let stone = smoothStep(0, 0.14 * height, toJoint)
    // Every brick has a tone of its own; it blends into the joint's, so there are no hard edges.
    let bits = SplitMix64.hash(UInt64(bitPattern: Int64(course) << 32 ^ Int64(column) & 0xFFFF_FFFF))
    let own = Float(signedUnit(bits))
    return (0.2 * own * stone - 0.9 * (1 - stone), 0.24 * own * stone)
  }

  /// The largest whole number that is not above `x`.
  @inline(__always)
  private static func wholePart(_ x: Float) -> Float {
    let whole = Float(Int32(x))
    return whole > x ? whole - 1 : whole
  }
}
