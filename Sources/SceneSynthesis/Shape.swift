/// The outline of an object around its origin, as a signed distance: negative inside. Distance fields after
/// Inigo Quilez, "2D distance functions", https://iquilezles.org/articles/distfunctions2d.
enum Shape: Sendable {
  case disc(radius: Float)
  case ring(radius: Float, thickness: Float)
  case roundedRectangle(width: Float, height: Float, corner: Float)
  /// A five-pointed star with rounded tips.
  case star(radius: Float, rounding: Float)
  /// A standing person: head, trunk and legs of this height in all, centred.
  case person(height: Float)
  /// A person of this height in all, centred, seen from the side: head, trunk, two legs and two arms, which swing by
  /// this share of their widest step, -1…1.
  case walker(height: Float, swing: Float)

  /// The distance from (x, y) to the outline, negative inside.
  @inline(__always)
  func distance(x: Float, y: Float) -> Float {
    switch self {
    case .disc(let radius):
      return Self.length(x, y) - radius
    case .ring(let radius, let thickness):
      return abs(Self.length(x, y) - radius + thickness / 2) - thickness / 2
    case .roundedRectangle(let width, let height, let corner):
      return Self.box(x, y, width / 2, height / 2, corner)
    case .star(let radius, let rounding):
      return Self.star(x, y, radius - rounding) - rounding
    case .person(let height):
      let head = Self.length(x, y + 0.40 * height) - 0.1 * height
      let trunk = Self.box(x, y + 0.08 * height, 0.14 * height, 0.22 * height, 0.1 * height)
      let legs = Self.box(x, y - 0.28 * height, 0.09 * height, 0.22 * height, 0.05 * height)
      return min(head, min(trunk, legs))
    case .walker(let height, let swing): return Self.walker(x, y, height, swing)
    }
  }

  /// Head and trunk, and limbs as thick lines from the hip and the shoulders; arms swing against the legs.
  @inline(__always)
  private static func walker(_ x: Float, _ y: Float, _ height: Float, _ swing: Float) -> Float {
    let head = length(x, y + 0.42 * height) - 0.08 * height
    let trunk = box(x, y + 0.12 * height, 0.1 * height, 0.21 * height, 0.08 * height)
    let step = 0.15 * height * swing
    var distance = min(head, trunk)
    for side in [Float(-1), 1] {
      let leg = line(x, y - 0.05 * height, side * step, 0.4 * height) - 0.05 * height
      let arm = line(x, y + 0.25 * height, -0.8 * side * step, 0.26 * height) - 0.03 * height
      distance = min(distance, min(leg, arm))
    }
    return distance
  }

  /// The distance from (x, y) to the line from the origin to (endX, endY).
  @inline(__always)
  private static func line(_ x: Float, _ y: Float, _ endX: Float, _ endY: Float) -> Float {
    let share = max(0, min(1, (x * endX + y * endY) / (endX * endX + endY * endY)))
    return length(x - share * endX, y - share * endY)
  }

  /// Half the width and height of a box around the origin that holds the shape.
  var extent: (x: Float, y: Float) {
    switch self {
    case .disc(let radius), .ring(let radius, _), .star(let radius, _): (radius, radius)
    case .roundedRectangle(let width, let height, _): (width / 2, height / 2)
    case .person(let height): (0.14 * height, 0.5 * height)
    case .walker(let height, _): (0.2 * height, 0.5 * height)
    }
  }

  @inline(__always)
  private static func length(_ x: Float, _ y: Float) -> Float { (x * x + y * y).squareRoot() }

  @inline(__always)
  private static func box(_ x: Float, _ y: Float, _ halfWidth: Float, _ halfHeight: Float, _ corner: Float) -> Float {
    let dx = abs(x) - halfWidth + corner
    let dy = abs(y) - halfHeight + corner
    return length(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - corner
  }

  /// Five-fold symmetry by two reflections, then the distance to one edge. `inner` is the inner radius over the outer.
  @inline(__always)
  private static func star(_ x: Float, _ y: Float, _ radius: Float) -> Float {
    let inner: Float = 0.55
    let (cosine, sine): (Float, Float) = (0.809016994, -0.587785252)
    var (px, py) = (abs(x), -y)
    let first = 2 * max(cosine * px + sine * py, 0)
    px -= first * cosine
    py -= first * sine
    let second = 2 * max(-cosine * px + sine * py, 0)
    px = abs(px + second * cosine)
    py -= second * sine
    py -= radius
    let (ex, ey) = (inner * -sine, inner * cosine - 1)
    let h = max(0, min(radius, (px * ex + py * ey) / (ex * ex + ey * ey)))
    let distance = length(px - ex * h, py - ey * h)
    return py * ex - px * ey < 0 ? -distance : distance
  }
}
