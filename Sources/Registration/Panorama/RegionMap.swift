// Connected regions of a mask.

import Imaging

/// Regions whose pixels touch each other, numbered in the order of their first pixels.
struct RegionMap {
  private let width: Int
  /// The number of the region of each pixel, row by row; -1: none.
  private var numbers: [Int32]
  /// Pixels of each region.
  private(set) var areas: [Int] = []
  var count: Int { areas.count }

  /// The region of a pixel.
  subscript(x: Int, y: Int) -> Int? {
    let number = numbers[y * width + x]
    return number < 0 ? nil : Int(number)
  }

  /// Returns the columns between the first and the last pixel of any region in a row.
  func columns(_ y: Int) -> Range<Int> {
    let row = numbers[y * width..<(y + 1) * width]
    guard let first = row.firstIndex(where: { $0 >= 0 }), let last = row.lastIndex(where: { $0 >= 0 }) else {
      return 0..<0
    }
    return first - row.startIndex..<last + 1 - row.startIndex
  }

  /// - Parameters:
  ///   - mask: 1 inside.
  ///   - border: Pixels by which regions grow on all sides, and so join.
  ///   - minimumArea: Regions with fewer pixels of the mask are dropped.
  init(_ mask: Plane<UInt8>, border: Int, minimumArea: Int) {
    let size = mask.size
    width = size.width
    numbers = Array(repeating: -1, count: size.area)
    let isInside = mask.flags
    var isFree = mask.grown(by: border).flags
    for first in isFree.indices where isFree[first] {
      let pixels = isFree.takeComponent(of: first) { pixel, body in
        let (x, y) = (pixel % size.width, pixel / size.width)
        if x > 0 { body(pixel - 1) }
        if x < size.width - 1 { body(pixel + 1) }
        if y > 0 { body(pixel - size.width) }
        if y < size.height - 1 { body(pixel + size.width) }
      }
      guard pixels.count(where: { isInside[$0] }) >= minimumArea else { continue }
      for pixel in pixels { numbers[pixel] = Int32(areas.count) }
      areas.append(pixels.count)
    }
  }

  /// Drops the regions for whose areas `isKept` does not hold.
  mutating func keep(_ isKept: (_ area: Int) -> Bool) {
    var renamed = [Int32](repeating: -1, count: count)
    var kept: [Int] = []
    for region in 0..<count where isKept(areas[region]) {
      renamed[region] = Int32(kept.count)
      kept.append(areas[region])
    }
    areas = kept
    for index in numbers.indices where numbers[index] >= 0 { numbers[index] = renamed[Int(numbers[index])] }
  }
}

extension Plane where Scalar == UInt8 {
  /// A Boolean value for each pixel, row by row, that tells whether it is 1.
  fileprivate var flags: [Bool] {
    withView { view in
      (0..<height).flatMap { y in UnsafeBufferPointer(start: view.row(y), count: width).map { $0 == 1 } }
    }
  }

  /// 1 wherever a 1 lies within `border` columns and rows.
  fileprivate func grown(by border: Int) -> Plane<UInt8> {
    var across = Plane<UInt8>(size: size)
    var grown = Plane<UInt8>(size: size)
    withView { source in
      across.withMutableView { across in
        grown.withMutableView { grown in
          for y in 0..<height {
            for x in 0..<width where source.row(y)[x] == 1 {
              for column in max(x - border, 0)...min(x + border, width - 1) { across.row(y)[column] = 1 }
            }
          }
          for y in 0..<height {
            for row in max(y - border, 0)...min(y + border, height - 1) {
              for x in 0..<width where across.row(y)[x] == 1 { grown.row(row)[x] = 1 }
            }
          }
        }
      }
    }
    return grown
  }
}
