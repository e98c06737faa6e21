// A box that is computed with.

/// A box whose sides are numbers, in pixels, that no sum can overflow: statistics come from anywhere.
struct Rectangle: Sendable {
  var left: Double
  var top: Double
  var right: Double
  var bottom: Double

  init(_ box: MotionBox) {
    (left, top) = (Double(box.x), Double(box.y))
    (right, bottom) = (left + Double(box.width), top + Double(box.height))
  }

  var width: Double { right - left }
  var height: Double { bottom - top }
  /// In square pixels.
  var area: Double { width * height }
  /// The side of a square of the same area, in pixels.
  var side: Double { area.squareRoot() }
  var center: SIMD2<Double> { SIMD2(left + width / 2, top + height / 2) }

  /// Returns the distance between the nearest points of two rectangles.
  func distance(to other: Rectangle) -> Double {
    let dx = max(other.left - right, left - other.right, 0)
    let dy = max(other.top - bottom, top - other.bottom, 0)
    return (dx * dx + dy * dy).squareRoot()
  }

  func moved(by way: SIMD2<Double>) -> Rectangle {
    var moved = self
    (moved.left, moved.right) = (left + way.x, right + way.x)
    (moved.top, moved.bottom) = (top + way.y, bottom + way.y)
    return moved
  }

  /// Returns the rectangle around two.
  func union(_ other: Rectangle) -> Rectangle {
    var union = self
    (union.left, union.top) = (min(left, other.left), min(top, other.top))
    (union.right, union.bottom) = (max(right, other.right), max(bottom, other.bottom))
    return union
  }
}
