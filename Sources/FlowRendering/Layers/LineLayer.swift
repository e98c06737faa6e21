// A transparent layer for lines, boxes and text with soft edges.

import Imaging

/// An image-sized layer with straight opacity, and which rows of it were drawn on.
struct LineLayer {
  private(set) var pixels: Plane<RGBA8>
  /// Everything else is transparent.
  private(set) var drawnRows = 0..<0

  init(size: PixelSize) { pixels = Plane(size: size) }

  /// Makes all transparent again.
  mutating func clear() {
    let rows = drawnRows
    pixels.withMutableView { view in
      for y in rows { view.row(y).update(repeating: .clear, count: view.width) }
    }
    drawnRows = 0..<0
  }

  /// Draws a line with round ends; a dot when both ends are one point.
  mutating func line(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, halfWidth: Double, color: RGBA8, opacity: Double
  ) {
    guard a.x.isFinite, a.y.isFinite, b.x.isFinite, b.y.isFinite else { return }
    let reach = halfWidth + 1
    let (way, length) = (b - a, (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y))
    paint(
      x: min(a.x, b.x) - reach...max(a.x, b.x) + reach, y: min(a.y, b.y) - reach...max(a.y, b.y) + reach, color, opacity
    ) { x, y in
      let (dx, dy) = (x - a.x, y - a.y)
      let share = length > 0 ? max(0, min(1, (dx * way.x + dy * way.y) / length)) : 0
      let (rx, ry) = (dx - share * way.x, dy - share * way.y)
      return halfWidth + 0.5 - (rx * rx + ry * ry).squareRoot()
    }
  }

  /// Draws the edges of a box.
  mutating func outline(_ box: BoundingBox, halfWidth: Double, color: RGBA8, opacity: Double) {
    let (left, top) = (box.x - 0.5, box.y - 0.5)
    let (right, bottom) = (left + box.width, top + box.height)
    guard left.isFinite, top.isFinite, right.isFinite, bottom.isFinite else { return }
    let reach = halfWidth + 1
    paint(
      x: left - reach...max(left, right) + reach, y: top - reach...max(top, bottom) + reach, color, opacity
    ) { x, y in
      halfWidth + 0.5 - abs(max(max(left - x, x - right), max(top - y, y - bottom)))
    }
  }

  mutating func fill(x: Int, y: Int, width: Int, height: Int, color: RGBA8, opacity: Double) {
    paint(
      x: Double(x)...Double(x + width - 1), y: Double(y)...Double(y + height - 1), color, opacity
    ) { _, _ in 1 }
  }

  /// Writes a line of text whose top left corner is (x, y).
  mutating func write(_ text: String, font: TextFont, x: Int, y: Int, color: RGBA8) {
    for (glyph, left, top) in font.glyphs(of: text, x: x, y: y) where glyph.width > 0 && glyph.height > 0 {
      paint(
        x: Double(left)...Double(left + glyph.width - 1), y: Double(top)...Double(top + glyph.height - 1), color, 1
      ) { px, py in
        Double(glyph.coverage[(Int(py) - top) * glyph.width + Int(px) - left]) / 255
      }
    }
  }

  /// Lays a colour over the pixels whose centres lie in both ranges, as far as `coverage` says, 0…1 (limited).
  private mutating func paint(
    x: ClosedRange<Double>, y: ClosedRange<Double>, _ color: RGBA8, _ opacity: Double,
    _ coverage: (_ x: Double, _ y: Double) -> Double
  ) {
    guard let columns = Self.pixels(x, limit: pixels.width), let rows = Self.pixels(y, limit: pixels.height) else {
      return
    }
    drawnRows =
      drawnRows.isEmpty
      ? rows : min(drawnRows.lowerBound, rows.lowerBound)..<max(drawnRows.upperBound, rows.upperBound)
    pixels.withMutableView { view in
      for row in rows {
        let line = view.row(row)
        for column in columns {
          let share = min(max(coverage(Double(column), Double(row)), 0), 1) * opacity
          if share > 0 { line[column].lay(color, opacity: share) }
        }
      }
    }
  }

  /// The whole numbers of a range that lie in 0 ..< limit; nil when there are none.
  private static func pixels(_ range: ClosedRange<Double>, limit: Int) -> Range<Int>? {
    guard range.lowerBound.isFinite, range.upperBound.isFinite else { return nil }
    let low = max(0, range.lowerBound.rounded(.up))
    let high = min(Double(limit - 1), range.upperBound.rounded(.down))
    return low <= high ? Int(low)..<Int(high) + 1 : nil
  }
}

extension RGBA8 {
  /// Lays a colour over this one: "over" with straight opacity (Porter & Duff, SIGGRAPH 1984,
  /// doi:10.1145/800031.808606).
  /// - Parameter opacity: Of the colour, 0…1; its own is left out.
  mutating func lay(_ color: RGBA8, opacity: Double) {
    let below = Double(a) / 255 * (1 - opacity)
    let alpha = opacity + below
    guard alpha > 0 else { return }
    func mix(_ top: UInt8, _ ground: UInt8) -> UInt8 {
      UInt8(((Double(top) * opacity + Double(ground) * below) / alpha).rounded())
    }
    self = RGBA8(mix(color.r, r), mix(color.g, g), mix(color.b, b), UInt8((alpha * 255).rounded()))
  }
}
