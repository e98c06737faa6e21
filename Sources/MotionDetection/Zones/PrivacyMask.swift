// The privacy mask: zones that nobody may see are blacked out in images.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

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
/// The mask errs on the side of hiding: a pixel that an edge merely touches belongs to it, and so does what a polygon
/// that crosses itself encloses twice (the winding number decides, not the even-odd rule).
public struct PrivacyMask: Sendable {
  /// The size of the image that the mask is for.
  public let size: PixelSize
  /// The hidden columns of each row.
  private let spans: [[Range<Int>]]

  /// - Parameters:
  ///   - zones: The zones, of which those with the mode `privacy` count.
  ///   - size: The size of the full-size image.
  /// - Returns: Nil when nothing is to be hidden.
  public init?(zones: ZoneSet, size: PixelSize) {
    let polygons = zones.zones.filter { $0.effectiveMode == .privacy }.map { $0.corners(in: size) }
    guard !polygons.isEmpty else { return nil }
    self.size = size
    var sweeps = polygons.map(EdgeSweep.init)
    spans = (0..<size.height).map { y in
      var hidden = [Bool](repeating: false, count: size.width)
      for index in sweeps.indices { sweeps[index].mark(row: y, in: &hidden) }
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

/// A polygon whose pixels are marked row by row, from the top. Of its edges a row asks those beside it alone.
private struct EdgeSweep {
  private struct Edge {
    var a: SIMD2<Double>
    var b: SIMD2<Double>
    var top: Double
    var bottom: Double
  }

  /// The edges that no row has reached, the uppermost one last.
  private var waiting: [Edge]
  /// The edges beside the current row.
  private var active: [Edge] = []

  /// The distance from an edge within which pixels are hidden, in pixels: half a pixel's diagonal, so that every
  /// touched one counts, and a margin of one.
  private static let coverDistance = 0.5.squareRoot() + 1

  /// - Parameter polygon: The corners in pixels.
  init(_ polygon: [SIMD2<Double>]) {
    var last = polygon[polygon.count - 1]
    waiting = polygon.map { corner in
      defer { last = corner }
      return Edge(a: last, b: corner, top: min(last.y, corner.y), bottom: max(last.y, corner.y))
    }.sorted { $0.top > $1.top }
  }

  /// Marks the hidden pixels of the next row.
  mutating func mark(row y: Int, in hidden: inout [Bool]) {
    let centre = Double(y) + 0.5
    while let next = waiting.last, centre > next.top - Self.coverDistance { active.append(waiting.removeLast()) }
    active.removeAll { centre >= $0.bottom + Self.coverDistance }
    guard !active.isEmpty else { return }
    markInside(centre, in: &hidden)
    for edge in active { Self.mark(edge, centre, in: &hidden) }
  }

  /// Marks what the polygon's winding number is not 0 at.
  private func markInside(_ centre: Double, in hidden: inout [Bool]) {
    var crossings: [(x: Double, turn: Int)] = []
    for edge in active where (edge.a.y > centre) != (edge.b.y > centre) {
      let x = edge.a.x + (centre - edge.a.y) / (edge.b.y - edge.a.y) * (edge.b.x - edge.a.x)
      if !x.isNaN { crossings.append((x, edge.b.y > edge.a.y ? 1 : -1)) }
    }
    crossings.sort { $0.x < $1.x }
    guard let first = crossings.first?.x, let last = crossings.last?.x else { return }
    // Edges to the right of a pixel count: to the left of them all they cancel out.
    var number = crossings.reduce(0) { $0 + $1.turn }
    var next = 0
    let columns = Double(hidden.count)
    let (begin, end) = (min(max(first - 1, 0), columns), min(max(last + 1, 0), columns))
    for x in Int(begin)..<max(Int(begin), Int(end)) {
      while next < crossings.count, crossings[next].x <= Double(x) + 0.5 {
        number -= crossings[next].turn
        next += 1
      }
      if number != 0 { hidden[x] = true }
    }
  }

  /// Marks what lies within reach of an edge.
  private static func mark(_ edge: Edge, _ centre: Double, in hidden: inout [Bool]) {
    let (a, way) = (edge.a, edge.b - edge.a)
    let length = (way * way).sum()
    let limit = Double(hidden.count)
    let (left, right) = (min(a.x, edge.b.x) - coverDistance - 0.5, max(a.x, edge.b.x) + coverDistance - 0.5)
    guard right >= 0, left < limit else { return }
    for x in Int(max(0, left.rounded(.down)))...Int(min(limit - 1, right.rounded(.up))) where !hidden[x] {
      let offset = SIMD2(Double(x) + 0.5, centre) - a
      let share = length > 0 ? min(max((offset * way).sum() / length, 0), 1) : 0
      let rest = offset - share * way
      hidden[x] = (rest * rest).sum() <= coverDistance * coverDistance
    }
  }
}
