// Small images that are laid over the corner of a frame.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A translucent dark plate with rounded corners, to write and draw on.
///
/// Its sides are multiples of four pixels, and so is where it goes, so that it covers whole chroma samples of every
/// format.
struct Plate {
  private(set) var pixels: Plane<RGBA8>
  /// The part that is seen, at the top left.
  let size: PixelSize

  /// Opacity of the plate: white text reads on any image, and the image still shows.
  static let opacity = 0.58
  static let grid = 4

  init(size: PixelSize, cornerRadius: Double) {
    self.size = size
    func whole(_ x: Int) -> Int { (x + Self.grid - 1) / Self.grid * Self.grid }
    pixels = Plane(width: whole(size.width), height: whole(size.height))
    let (halfWidth, halfHeight) = (Double(size.width) / 2, Double(size.height) / 2)
    let radius = min(cornerRadius, halfWidth, halfHeight)
    pixels.withMutableView { view in
      for y in 0..<size.height {
        let row = view.row(y)
        for x in 0..<size.width {
          let dx = max(abs(Double(x) + 0.5 - halfWidth) - (halfWidth - radius), 0)
          let dy = max(abs(Double(y) + 0.5 - halfHeight) - (halfHeight - radius), 0)
          let coverage = min(max(radius - (dx * dx + dy * dy).squareRoot() + 0.5, 0), 1)
          row[x] = RGBA8(12, 12, 14, UInt8((255 * Self.opacity * coverage).rounded()))
        }
      }
    }
  }

  /// Writes a line whose top left corner is (x, y).
  mutating func write(_ text: String, font: TextFont, x: Int, y: Int, color: RGBA8 = RGBA8(245, 245, 245)) {
    pixels.withMutableView { view in
      for (glyph, left, top) in font.glyphs(of: text, x: x, y: y) {
        for row in 0..<glyph.height {
          for column in 0..<glyph.width where view.size.contains(x: left + column, y: top + row) {
            let coverage = glyph.coverage[row * glyph.width + column]
            if coverage > 0 { view.row(top + row)[left + column].lay(color, opacity: Double(coverage) / 255) }
          }
        }
      }
    }
  }

  /// Draws `image` with its top left corner at (x, y).
  mutating func draw(_ image: Plane<RGBA8>, x: Int, y: Int) {
    pixels.withMutableView { view in
      image.withView { source in
        for row in 0..<source.height {
          for column in 0..<source.width where view.size.contains(x: x + column, y: y + row) {
            let color = source.row(row)[column]
            view.row(y + row)[x + column].lay(color, opacity: Double(color.a) / 255)
          }
        }
      }
    }
  }
}

/// Measures of text and plates for a frame.
struct PlateMetrics {
  let fontSize: Int
  let padding: Int
  let margin: Int
  /// Radius of the legend's disc.
  let discRadius: Int

  /// The minimum size of the font: smaller text cannot be read.
  static let minimumFontSize = 11

  /// - Parameter size: The size of one image of the canvas.
  init(size: PixelSize) {
    fontSize = max(Self.minimumFontSize, min(size.width, size.height) / 38)
    discRadius = max(8, min(fontSize * 9 / 4, min(size.width, size.height) / 10))
    padding = max(4, fontSize / 2)
    margin = (max(4, fontSize / 2) + Plate.grid - 1) / Plate.grid * Plate.grid
  }
}
