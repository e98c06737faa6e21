// Numbers of cells as colours over an image.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Draws a heat map over a dimmed image, with a key to its colours.
///
/// The colours are those of the style `magnitude`, perceptually uniform, without the darkest, which could not be told
/// from the image. Between the middles of cells numbers are interpolated. Where the number is 0 the image shows, grey.
public struct HeatMapRenderer {
  /// The heat map's numbers, and where they go.
  public struct Values: Sendable {
    /// The number of each cell, not negative; row by row from the top left.
    public var cells: Plane<Float>
    /// The width and height of a cell, in pixels of the image.
    public var cellSize: SIMD2<Double>
    /// The words above the key.
    public var title: String
    /// The unit behind the largest number.
    public var unit: String

    /// Creates the values of cells with a title and a unit.
    public init(cells: Plane<Float>, cellSize: SIMD2<Double>, title: String, unit: String) {
      (self.cells, self.cellSize, self.title, self.unit) = (cells, cellSize, title, unit)
    }
  }

  private let values: Values
  private let maximum: Float

  /// The share of its brightness that the image keeps.
  private static let brightness = 0.45
  /// The opacity of the colours.
  private static let opacity = 0.85
  /// The share of the maximum at which they have it; below, they fade.
  private static let fade: Float = 0.04
  /// The first colour of the table that is used.
  private static let firstColor = 64

  /// Creates a renderer for a map.
  public init(_ values: Values) {
    self.values = values
    maximum = values.cells.withView { view in
      (0..<view.height).map { y in (0..<view.width).map { view.row(y)[$0] }.max() ?? 0 }.max() ?? 0
    }
  }

  /// Returns the map over an image.
  /// - Parameters:
  ///   - image: The image; its opacity is left out.
  ///   - hides: Returns whether a pixel must not be seen: it becomes black, unless the key lies there.
  /// - Throws: ``RenderingError`` with code `emptyImage` or `fontUnavailable`.
  public func render(
    over image: Plane<RGBA8>, hiding hides: (_ x: Int, _ y: Int) -> Bool = { _, _ in false }
  ) throws -> Plane<RGBA8> {
    try image.size.requirePixels()
    var result = image
    let columns = (0..<image.width).map { neighbors($0, cellSize: values.cellSize.x, count: values.cells.width) }
    let rows = (0..<image.height).map { neighbors($0, cellSize: values.cellSize.y, count: values.cells.height) }
    values.cells.withView { cells in
      result.withMutableView { view in
        for y in 0..<view.height {
          for x in 0..<view.width {
            view.row(y)[x] =
              hides(x, y) ? .black : color(of: number(cells, columns[x], rows[y]), over: view.row(y)[x])
          }
        }
      }
    }
    try drawKey(onto: &result)
    return result
  }

  // MARK: Steps

  /// Two cells, and the weight of the second.
  private typealias Neighbors = (first: Int, second: Int, weight: Float)

  private func neighbors(_ pixel: Int, cellSize: Double, count: Int) -> Neighbors {
    let position = (Double(pixel) + 0.5) / cellSize - 0.5
    let first = min(max(Int(position.rounded(.down)), 0), max(count - 1, 0))
    let weight = Float(min(max(position - Double(first), 0), 1))
    return (first, min(first + 1, max(count - 1, 0)), weight)
  }

  private func number(_ cells: PlaneView<Float>, _ x: Neighbors, _ y: Neighbors) -> Float {
    guard cells.width > 0, cells.height > 0 else { return 0 }
    func row(_ y: Int) -> Float {
      let row = cells.row(y)
      return row[x.first] + (row[x.second] - row[x.first]) * x.weight
    }
    let (upper, lower) = (row(y.first), row(y.second))
    return upper + (lower - upper) * y.weight
  }

  private func color(of number: Float, over ground: RGBA8) -> RGBA8 {
    let luma = 0.2126 * Double(ground.r) + 0.7152 * Double(ground.g) + 0.0722 * Double(ground.b)
    let gray = UInt8((luma * Self.brightness).rounded())
    var color = RGBA8(gray, gray, gray)
    guard maximum > 0, number > 0 else { return color }
    let share = number / maximum
    color.lay(Self.color(share), opacity: Self.opacity * Double(min(share / Self.fade, 1)))
    return color
  }

  private static func color(_ share: Float) -> RGBA8 {
    let last = HeatMap.table.count - 1
    return HeatMap.table[min(firstColor + Int((share * Float(last - firstColor)).rounded()), last)]
  }

  /// Draws a bar from 0 to the maximum into the lower right corner, where it fits.
  private func drawKey(onto image: inout Plane<RGBA8>) throws {
    let metrics = PlateMetrics(size: image.size)
    let font = try TextFont(pixelSize: metrics.fontSize)
    let (last, padding) = ("\(Legend.number(Double(maximum))) \(values.unit)", metrics.padding)
    let width = max(font.width(of: values.title), font.width(of: "0  " + last), 8 * metrics.fontSize)
    let size = PixelSize(
      width: width + 2 * padding, height: 2 * font.lineHeight + metrics.fontSize + 2 * padding)
    guard size.width + 2 * metrics.margin <= image.width, size.height + 2 * metrics.margin <= image.height else {
      return
    }
    var plate = Plate(size: size, cornerRadius: Double(padding))
    plate.write(values.title, font: font, x: padding, y: padding / 2)
    let top = padding / 2 + font.lineHeight + padding / 2
    let bar = Plane<RGBA8>(width: width, height: metrics.fontSize) { x, _ in
      var color = Self.color(Float(x) / Float(width - 1))
      color.a = 255
      return color
    }
    plate.draw(bar, x: padding, y: top)
    let words = top + metrics.fontSize + padding / 4
    plate.write("0", font: font, x: padding, y: words)
    plate.write(last, font: font, x: padding + width - font.width(of: last), y: words)
    let (x, y) = (image.width - size.width - metrics.margin, image.height - size.height - metrics.margin)
    image.withMutableView { view in
      plate.pixels.withView { pixels in
        for row in 0..<size.height {
          for column in 0..<size.width {
            let color = pixels.row(row)[column]
            view.row(y + row)[x + column].lay(color, opacity: Double(color.a) / 255)
          }
        }
      }
    }
  }
}
