import Imaging

/// A yes or no for each pixel, row by row.
struct BitMask {
  let size: PixelSize
  private var values: [Bool]

  /// A mask of which no pixel is set.
  init(size: PixelSize) {
    self.size = size
    values = Array(repeating: false, count: size.area)
  }

  subscript(x: Int, y: Int) -> Bool {
    get { values[y * size.width + x] }
    set { values[y * size.width + x] = newValue }
  }

  /// The share of the pixels that are set, 0…1.
  var share: Double { Double(values.count { $0 }) / Double(max(values.count, 1)) }

  /// Clears the pixels of a rectangle inside.
  mutating func clear(_ rect: PixelRect) {
    for y in rect.rows {
      for x in rect.columns { self[x, y] = false }
    }
  }

  /// Returns the mask with gaps of up to 2x columns and 2y rows closed: dilated, then eroded.
  func closed(x: Int, y: Int) -> BitMask {
    // With room on all sides, so that what does not touch the border does not grow to it.
    var wide = BitMask(size: PixelSize(width: size.width + 2 * x, height: size.height + 2 * y))
    for row in 0..<size.height {
      for column in 0..<size.width where self[column, row] { wide[column + x, row + y] = true }
    }
    for value in [true, false] {
      wide.spread(
        value, by: x, stride: 1, length: wide.size.width, lines: wide.size.height, lineStride: wide.size.width)
      wide.spread(
        value, by: y, stride: wide.size.width, length: wide.size.height, lines: wide.size.width, lineStride: 1)
    }
    var result = self
    for row in 0..<size.height {
      for column in 0..<size.width { result[column, row] = wide[column + x, row + y] }
    }
    return result
  }

  /// Gives the pixels within `reach` of one with a value that value, along lines.
  private mutating func spread(
    _ value: Bool, by reach: Int, stride: Int, length: Int, lines: Int, lineStride: Int
  ) {
    var line = [Bool](repeating: false, count: length)
    for number in 0..<lines {
      let start = number * lineStride
      for position in 0..<length { line[position] = values[start + position * stride] }
      var end = 0
      for position in 0..<length where line[position] == value {
        let upper = min(position + reach + 1, length)
        for other in max(position - reach, end)..<upper { values[start + other * stride] = value }
        end = upper
      }
    }
  }
}

extension BitMask {
  /// A part whose pixels hang together, corners included.
  struct Component {
    var box: BoundingBox
    /// The number of its pixels.
    var area: Int
  }

  /// The parts, and for each pixel the number of its part; -1: the pixel is not set.
  func components() -> (parts: [Component], labels: [Int32]) {
    var open = values
    var labels = [Int32](repeating: -1, count: values.count)
    var parts: [Component] = []
    for first in open.indices where open[first] {
      let cells = open.takeComponent(of: first, order: .depthFirst) { cell, body in
        let (x, y) = (cell % size.width, cell / size.width)
        for row in max(y - 1, 0)...min(y + 1, size.height - 1) {
          for column in max(x - 1, 0)...min(x + 1, size.width - 1) { body(row * size.width + column) }
        }
      }
      var (left, top, right, bottom) = (size.width, size.height, 0, 0)
      for cell in cells {
        labels[cell] = Int32(parts.count)
        let (x, y) = (cell % size.width, cell / size.width)
        (left, right) = (min(left, x), max(right, x + 1))
        (top, bottom) = (min(top, y), max(bottom, y + 1))
      }
      let box = BoundingBox(
        x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
      parts.append(Component(box: box, area: cells.count))
    }
    return (parts, labels)
  }

  /// Counts the set pixels of rectangles inside another one in a constant time each (Crow 1984,
  /// doi:10.1145/800031.808600).
  struct Counts {
    private let area: PixelRect
    private var sums: [Int32]

    init(_ mask: BitMask, in area: PixelRect) {
      self.area = area
      let stride = area.size.width + 1
      sums = Array(repeating: 0, count: stride * (area.size.height + 1))
      for (line, y) in area.rows.enumerated() {
        var row: Int32 = 0
        for (position, x) in area.columns.enumerated() {
          row += mask[x, y] ? 1 : 0
          sums[(line + 1) * stride + position + 1] = sums[line * stride + position + 1] + row
        }
      }
    }

    /// The number of set pixels of a rectangle, of which only that inside the area counts.
    func count(_ rect: PixelRect) -> Int {
      let columns = rect.columns.clamped(to: area.columns)
      let rows = rect.rows.clamped(to: area.rows)
      let stride = area.size.width + 1
      func sum(_ x: Int, _ y: Int) -> Int { Int(sums[(y - area.y) * stride + x - area.x]) }
      return sum(columns.upperBound, rows.upperBound) - sum(columns.upperBound, rows.lowerBound)
        - sum(columns.lowerBound, rows.upperBound) + sum(columns.lowerBound, rows.lowerBound)
    }
  }
}
