// The peak of a response, and how far it stands out.

import Imaging

/// Responses to shifts of an object, which go on at the other end of each direction.
struct ResponseSurface {
  /// The number of cells that belong to the peak, on each side of it; chosen by hand.
  private static let peakRadius = 2

  /// Row by row.
  let values: [Float]
  let size: PixelSize

  /// The highest response.
  struct Peak {
    var x: Int
    var y: Int
    var value: Float
    /// The shift in cells, between cells by parabolas.
    var shift: SIMD2<Double>
  }

  /// Returns the response that is highest when those far from no shift count less.
  /// - Parameter halfWeightDistance: The shift in each direction, in cells, at which a response counts half.
  /// - Returns: The response as it is, and its position; nil where no response is a number.
  func peak(halfWeightDistance: SIMD2<Double>) -> Peak? {
    func weights(_ count: Int, _ distance: Double) -> [Float] {
      (0..<count).map { index in
        let ratio = Double(min(index, count - index)) / distance
        return Float(1 / (1 + ratio * ratio))
      }
    }
    let weights = separableProduct(
      weights(size.width, halfWeightDistance.x), weights(size.height, halfWeightDistance.y))
    var highest = -Float.infinity
    var index = 0
    for candidate in values.indices where values[candidate] * weights[candidate] > highest {
      (highest, index) = (values[candidate] * weights[candidate], candidate)
    }
    guard highest.isFinite else { return nil }
    let (x, y) = (index % size.width, index / size.width)
    let shift = SIMD2(
      Double(x > size.width / 2 ? x - size.width : x)
        + Self.vertex(self[x - 1, y], values[index], self[x + 1, y]),
      Double(y > size.height / 2 ? y - size.height : y)
        + Self.vertex(self[x, y - 1], values[index], self[x, y + 1]))
    return Peak(x: x, y: y, value: values[index], shift: shift)
  }

  private subscript(x: Int, y: Int) -> Float {
    values[(y + size.height) % size.height * size.width + (x + size.width) % size.width]
  }

  /// Returns the position of the highest point of a parabola through three values at −1, 0 and 1, at most ½ away.
  private static func vertex(_ a: Float, _ b: Float, _ c: Float) -> Double {
    let curvature = Double(a - 2 * b + c)
    return curvature < 0 ? min(max(Double(a - c) / (2 * curvature), -0.5), 0.5) : 0
  }

  /// Returns how far a peak lies above the mean of what is not part of it, in the standard deviations of that.
  func peakToSidelobeRatio(_ peak: Peak) -> Double {
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for y in 0..<size.height {
      let dy = abs(y - peak.y)
      let isNearRow = min(dy, size.height - dy) <= Self.peakRadius
      for x in 0..<size.width {
        let dx = abs(x - peak.x)
        if isNearRow, min(dx, size.width - dx) <= Self.peakRadius { continue }
        let value = Double(values[y * size.width + x])
        sum += value
        squares += value * value
        count += 1
      }
    }
    guard count > 0 else { return 0 }
    let mean = sum / count
    let variance = squares / count - mean * mean
    return variance > 0 ? (Double(peak.value) - mean) / variance.squareRoot() : 0
  }
}
