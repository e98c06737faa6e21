import Imaging

/// Whole pixels from `left` up to but not including `right`, and from `top` to `bottom`.
struct PixelBox: Hashable {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int

  var width: Int { right - left }
  var height: Int { bottom - top }
  var area: Int { max(width, 0) * max(height, 0) }

  func union(_ other: PixelBox) -> PixelBox {
    PixelBox(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  func clipped(to size: PixelSize) -> PixelBox {
    let (left, top) = (min(max(left, 0), size.width), min(max(top, 0), size.height))
    return PixelBox(
      left: left, top: top, right: max(min(right, size.width), left), bottom: max(min(bottom, size.height), top))
  }
}

/// A yes or no for each pixel, row by row.
struct BitMask {
  let size: PixelSize
  private var values: [Bool]

  /// A mask of which no pixel is set.
  init(size: PixelSize) {
    self.size = size
    values = Array(repeating: false, count: size.width * size.height)
  }

  subscript(x: Int, y: Int) -> Bool {
    get { values[y * size.width + x] }
    set { values[y * size.width + x] = newValue }
  }

  /// The share of the pixels that are set, 0…1.
  var share: Double { Double(values.count { $0 }) / Double(max(values.count, 1)) }

  /// Clears the pixels of a box.
  mutating func clear(_ box: PixelBox) {
    let box = box.clipped(to: size)
    for y in box.top..<box.bottom {
      for x in box.left..<box.right { self[x, y] = false }
    }
  }

  /// Returns the mask with gaps of up to 2x columns and 2y rows closed: dilated, then eroded.
  func closed(x: Int, y: Int) -> BitMask {
    // With room on all sides, so that what does not touch the border does not grow to it.
    var wide = BitMask(size: PixelSize(width: size.width + 2 * x, height: size.height + 2 * y))
    for row in 0..<size.height {
      for column in 0..<size.width { wide[column + x, row + y] = self[column, row] }
    }
    let closed = wide.dilatedAndEroded(x: x, y: y)
    var result = self
    for row in 0..<size.height {
      for column in 0..<size.width { result[column, row] = closed[column + x, row + y] }
    }
    return result
  }

  private func dilatedAndEroded(x: Int, y: Int) -> BitMask {
    spread(by: x, stride: 1, length: size.width, lines: size.height, lineStride: size.width, to: true)
      .spread(by: y, stride: size.width, length: size.height, lines: size.width, lineStride: 1, to: true)
      .spread(by: x, stride: 1, length: size.width, lines: size.height, lineStride: size.width, to: false)
      .spread(by: y, stride: size.width, length: size.height, lines: size.width, lineStride: 1, to: false)
  }

  /// Returns the mask in which the pixels within `reach` of one with a value have that value, along lines.
  private func spread(by reach: Int, stride: Int, length: Int, lines: Int, lineStride: Int, to value: Bool) -> BitMask {
    var result = self
    for line in 0..<lines {
      let start = line * lineStride
      // The place of the last pixel with the value before, and how far the next one is.
      var last = -reach - 1
      for position in 0..<length {
        if values[start + position * stride] == value {
          for other in max(position - reach, last + 1, 0)..<max(position, max(position - reach, last + 1, 0)) {
            result.values[start + other * stride] = value
          }
          last = position
        } else if position - last <= reach, last >= 0 {
          result.values[start + position * stride] = value
        }
      }
    }
    return result
  }

  /// A part whose pixels hang together, corners included.
  struct Component {
    var box: PixelBox
    /// The number of its pixels.
    var area: Int
  }

  /// The parts, and for each pixel the number of its part; -1: the pixel is not set.
  func components() -> (parts: [Component], labels: [Int32]) {
    var labels = [Int32](repeating: -1, count: values.count)
    var (parts, stack): ([Component], [Int]) = ([], [])
    for first in values.indices where values[first] && labels[first] < 0 {
      let label = Int32(parts.count)
      var part = Component(
        box: PixelBox(left: size.width, top: size.height, right: 0, bottom: 0), area: 0)
      labels[first] = label
      stack.append(first)
      while let index = stack.popLast() {
        let (x, y) = (index % size.width, index / size.width)
        part.area += 1
        part.box.left = min(part.box.left, x)
        part.box.right = max(part.box.right, x + 1)
        part.box.top = min(part.box.top, y)
        part.box.bottom = max(part.box.bottom, y + 1)
        for row in max(y - 1, 0)...min(y + 1, size.height - 1) {
          for column in max(x - 1, 0)...min(x + 1, size.width - 1) {
            let other = row * size.width + column
            if values[other], labels[other] < 0 {
              labels[other] = label
              stack.append(other)
            }
          }
        }
      }
      parts.append(part)
    }
    return (parts, labels)
  }

  /// The sums of the set pixels above and left of each corner.
  func integral() -> MaskIntegral { MaskIntegral(size: size, values: values) }
}

/// Counts the set pixels of boxes in a constant time (Crow 1984, doi:10.1145/800031.808600).
struct MaskIntegral {
  private let size: PixelSize
  private var sums: [Int32]

  init(size: PixelSize, values: [Bool]) {
    self.size = size
    sums = Array(repeating: 0, count: (size.width + 1) * (size.height + 1))
    for y in 0..<size.height {
      var row: Int32 = 0
      for x in 0..<size.width {
        row += values[y * size.width + x] ? 1 : 0
        sums[(y + 1) * (size.width + 1) + x + 1] = sums[y * (size.width + 1) + x + 1] + row
      }
    }
  }

  /// The number of set pixels of a box.
  func count(_ box: PixelBox) -> Int {
    let box = box.clipped(to: size)
    let stride = size.width + 1
    return Int(
      sums[box.bottom * stride + box.right] - sums[box.top * stride + box.right]
        - sums[box.bottom * stride + box.left] + sums[box.top * stride + box.left])
  }
}
