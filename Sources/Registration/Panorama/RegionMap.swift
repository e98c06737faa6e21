// Connected regions of a mask.

import Imaging

/// Regions whose pixels touch each other, numbered in the order of their first pixels.
struct RegionMap {
  private var numbers: Plane<Int32>
  /// Pixels of each region.
  private(set) var areas: [Int] = []
  var count: Int { areas.count }

  /// The region of a pixel.
  subscript(x: Int, y: Int) -> Int? {
    let number = numbers[x, y]
    return number < 0 ? nil : Int(number)
  }

  /// - Parameters:
  ///   - mask: 1 inside.
  ///   - border: Pixels by which regions grow on all sides, and so join.
  ///   - minimumArea: Regions with fewer pixels of the mask are dropped.
  init(_ mask: Plane<UInt8>, border: Int, minimumArea: Int) {
    let size = mask.size
    numbers = Plane(size: size, repeating: -1)
    let grown = mask.grown(by: border)
    for y in 0..<size.height {
      for x in 0..<size.width where grown[x, y] == 1 && numbers[x, y] < 0 {
        let pixels = fill(x, y, grown, number: Int32(areas.count))
        if pixels.count(where: { mask[$0.x, $0.y] == 1 }) >= minimumArea {
          areas.append(pixels.count)
        } else {
          // Marked as looked at, and as none.
          for pixel in pixels { numbers[pixel.x, pixel.y] = .max }
        }
      }
    }
    forEachPixel { value in if value == .max { value = -1 } }
  }

  private mutating func fill(_ x: Int, _ y: Int, _ mask: Plane<UInt8>, number: Int32) -> [(x: Int, y: Int)] {
    var pixels = [(x: x, y: y)]
    numbers[x, y] = number
    var next = 0
    while next < pixels.count {
      let pixel = pixels[next]
      next += 1
      for (nx, ny) in [(pixel.x - 1, pixel.y), (pixel.x + 1, pixel.y), (pixel.x, pixel.y - 1), (pixel.x, pixel.y + 1)] {
        guard mask.size.contains(x: nx, y: ny), mask[nx, ny] == 1, numbers[nx, ny] < 0 else { continue }
        numbers[nx, ny] = number
        pixels.append((nx, ny))
      }
    }
    return pixels
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
    forEachPixel { value in if value >= 0 { value = renamed[Int(value)] } }
  }

  private mutating func forEachPixel(_ body: (inout Int32) -> Void) {
    numbers.withMutableView { view in
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width { body(&row[x]) }
      }
    }
  }
}

extension Plane where Scalar == UInt8 {
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
