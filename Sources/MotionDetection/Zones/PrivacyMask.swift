// What nobody may see: privacy zones blacked out in images.

import Foundation
import Imaging

extension Zone {
  /// The corners in pixels; 0 is the left or upper edge of the image, not the centre of its first pixel.
  public func corners(in size: PixelSize) -> [SIMD2<Double>] {
    let scale =
      effectiveUnits == .pixels ? SIMD2(1, 1) : SIMD2(Double(size.width), Double(size.height))
    return polygon.map { SIMD2($0[0], $0[1]) * scale }
  }
}

/// The pixels of the privacy zones, with a margin of a pixel.
///
/// It errs on the side of hiding: a pixel that an edge merely touches belongs to it, and so does what a polygon that
/// crosses itself encloses twice (the winding number decides, not the even-odd rule).
public struct PrivacyMask: Sendable {
  /// The size of the image that the mask is for.
  public let size: PixelSize
  /// The hidden columns of each row.
  private let spans: [[Range<Int>]]

  /// A pixel's half diagonal, so that every touched one counts, and the margin.
  private static let reach = 0.5.squareRoot() + 1

  /// - Parameters:
  ///   - zones: The zones, of which those with the mode `privacy` count.
  ///   - size: The size of the full-size image.
  /// - Returns: Nil when nothing is to be hidden.
  public init?(zones: ZoneSet, size: PixelSize) {
    let polygons = zones.zones.filter { $0.effectiveMode == .privacy }.map { $0.corners(in: size) }
    guard !polygons.isEmpty else { return nil }
    self.size = size
    spans = (0..<size.height).map { y in
      var hidden = [Bool](repeating: false, count: size.width)
      for polygon in polygons { Self.mark(polygon, row: y, in: &hidden) }
      return Self.runs(hidden)
    }
  }

  /// Returns whether a pixel is hidden.
  public func hides(x: Int, y: Int) -> Bool { spans[y].contains { $0.contains(x) } }

  /// Fills the hidden pixels with black. Chroma samples that any of them shares lose their colour.
  /// - Parameter image: At least of ``size``; what is larger (padding) stays as it is.
  package func blank(_ image: MutableImageView) {
    let format = image.format
    let step = 1 << (format.bitDepth - 8)
    let black = format.colorModel == .rgb || format.isFullRange ? 0 : 16 * step
    for plane in 0..<format.planeCount {
      let isChroma = format.colorModel == .yuv && plane > 0
      let value = isChroma ? 128 * step : black
      if format.bytesPerSample == 1 {
        fill(image.plane(plane, as: UInt8.self), UInt8(value), format, isChroma)
      } else {
        fill(image.plane(plane, as: UInt16.self), UInt16(value), format, isChroma)
      }
    }
  }

  private func fill<Sample: PlaneScalar>(
    _ plane: MutablePlaneView<Sample>, _ value: Sample, _ format: ImageFormat, _ isChroma: Bool
  ) {
    let (shiftX, shiftY) = isChroma ? (format.chromaShiftX, format.chromaShiftY) : (0, 0)
    for (y, row) in spans.enumerated() {
      for span in row {
        let columns = span.lowerBound >> shiftX..<((span.upperBound - 1) >> shiftX) + 1
        (plane.row(y >> shiftY) + columns.lowerBound).update(repeating: value, count: columns.count)
      }
    }
  }

  // MARK: Rasterising

  private static func mark(_ polygon: [SIMD2<Double>], row y: Int, in hidden: inout [Bool]) {
    let centre = Double(y) + 0.5
    guard let top = polygon.map(\.y).min(), let bottom = polygon.map(\.y).max(),
      centre > top - reach, centre < bottom + reach
    else { return }
    for x in hidden.indices where !hidden[x] {
      hidden[x] = winds(polygon, around: SIMD2(Double(x) + 0.5, centre))
    }
    var last = polygon[polygon.count - 1]
    for corner in polygon {
      markEdge(last, corner, centre, in: &hidden)
      last = corner
    }
  }

  /// Marks what lies within reach of an edge.
  private static func markEdge(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ centre: Double, in hidden: inout [Bool]
  ) {
    guard centre > min(a.y, b.y) - reach, centre < max(a.y, b.y) + reach else { return }
    let way = b - a
    let length = (way * way).sum()
    let limit = Double(hidden.count)
    let (left, right) = (min(a.x, b.x) - reach - 0.5, max(a.x, b.x) + reach - 0.5)
    guard right >= 0, left < limit else { return }
    for x in Int(max(0, left.rounded(.down)))...Int(min(limit - 1, right.rounded(.up))) where !hidden[x] {
      let offset = SIMD2(Double(x) + 0.5, centre) - a
      let share = length > 0 ? min(max((offset * way).sum() / length, 0), 1) : 0
      let rest = offset - share * way
      hidden[x] = (rest * rest).sum() <= reach * reach
    }
  }

  /// Returns whether a polygon's winding number around a place is not 0.
  private static func winds(_ polygon: [SIMD2<Double>], around position: SIMD2<Double>) -> Bool {
    var number = 0
    var a = polygon[polygon.count - 1]
    for b in polygon {
      if (a.y > position.y) != (b.y > position.y), a.x + (position.y - a.y) / (b.y - a.y) * (b.x - a.x) > position.x {
        number += b.y > a.y ? 1 : -1
      }
      a = b
    }
    return number != 0
  }

  private static func runs(_ hidden: [Bool]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start: Int?
    for x in 0...hidden.count {
      let isHidden = x < hidden.count && hidden[x]
      if isHidden, start == nil { start = x }
      if !isHidden, let first = start.take() { runs.append(first..<x) }
    }
    return runs
  }
}
