// How much an image looks like itself at another position.

import Imaging

/// The correlation of an image with its own shifted copies: high where it repeats, as bricks and chessboards do.
/// Computed when asked for, once. Used by one thread.
///
/// On a level of at most ``maximumSide`` pixels each pixel becomes its difference from the mean of its surroundings, as
/// a multiple of their standard deviation.
final class SelfCorrelation {
  private let image: RegistrationImage

  /// The correlation of an image, which is not computed yet.
  init(of image: RegistrationImage) { self.image = image }

  // Numbers of this type without another source were chosen by hand.

  /// The maximum side of the level that is looked at, in pixels.
  private static let maximumSide = 256
  /// The distance within which a shift is none, in pixels of the level.
  private static let nearDistance = 3
  /// The minimum share of the image that a shifted copy must cover, and of its contrast that must lie there.
  private static let (minimumCoverShare, minimumContrastShare) = (0.25, 0.1)

  /// The contrast of the level that is looked at, and the number of the level; nil: all levels are too large.
  private(set) lazy var pattern: (contrast: LocalContrast, level: Int)? = {
    let level = image.levels.indices.first { max(image.levels[$0].width, image.levels[$0].height) <= Self.maximumSide }
    return level.map { (LocalContrast(image.levels[$0]), $0) }
  }()

  /// The highest normalised correlation with a shifted copy, at its highest peak besides none, −1…1; nil where there is
  /// nothing to compare.
  private(set) lazy var peak: Double? = pattern.flatMap { Self.peak(of: $0.contrast) }

  /// Returns the highest normalised correlation with a shifted copy; nil for blank images.
  private static func peak(of pattern: LocalContrast) -> Double? {
    let (width, height) = (pattern.image.width, pattern.image.height)
    let padded = PixelSize(width: 2 * width, height: 2 * height)
    guard let transform = FourierTransform(atLeast: padded), pattern.energy.total > 0 else { return nil }
    var spectrum = transform.spectrum(of: pattern.image)
    for index in spectrum.indices { spectrum[index] = SIMD2((spectrum[index] * spectrum[index]).sum(), 0) }
    let surface = transform.backward(spectrum)
    let scale = 1 / Double(transform.size.area)
    let minimum = minimumContrastShare * pattern.energy.total
    // Both halves of the plane of shifts look alike: one is enough.
    var values = [Double](repeating: -1, count: height * (2 * width + 1))
    for y in 0..<height {
      let (here, there) = (pattern.energy.columns(of: 0..<height - y), pattern.energy.columns(of: y..<height))
      // A copy that is farther across covers too little.
      let covered = Int((minimumCoverShare * Double(width * height) / Double(height - y)).rounded(.up))
      guard covered <= width else { continue }
      for x in covered - width...width - covered {
        let columns = max(0, x)..<min(width, width + x)
        let energyThere = there[columns.upperBound] - there[columns.lowerBound]
        let energyHere = here[columns.upperBound - x] - here[columns.lowerBound - x]
        guard min(energyHere, energyThere) >= minimum else { continue }
        let sum = Double(surface[y * transform.size.width + (x < 0 ? x + transform.size.width : x)]) * scale
        values[y * (2 * width + 1) + x + width] = sum / (energyHere * energyThere).squareRoot()
      }
    }
    return highestTop(values, width: width, height: height)
  }

  /// Returns the highest local maximum of the correlations away from none.
  /// - Parameter values: Those of the shifts down from 0 to `height`, and across from `-width` to `width`.
  private static func highestTop(_ values: [Double], width: Int, height: Int) -> Double {
    let columns = 2 * width + 1
    // A shift up and one down of opposite sides are one.
    func value(_ x: Int, _ y: Int) -> Double {
      let (x, y) = y < 0 ? (-x, -y) : (x, y)
      return abs(x) <= width && y < height ? values[y * columns + x + width] : -1
    }
    var highest = 0.0
    for y in 0..<height {
      for x in -width...width {
        let top = values[y * columns + x + width]
        guard top > highest, x * x + y * y > nearDistance * nearDistance else { continue }
        let isTop = (-1...1).allSatisfy { row in (-1...1).allSatisfy { value(x + $0, y + row) <= top } }
        if isTop { highest = top }
      }
    }
    return highest
  }
}

/// An image as differences from local means, in local standard deviations.
struct LocalContrast {
  let image: Plane<Float>
  /// The sums of its squares.
  fileprivate let energy: AreaSums

  /// The number of pixels from the middle of the surroundings to their sides; chosen by hand.
  private static let windowRadius = 8
  /// The variance that noise may have, in squared grey levels: what has less stays small; chosen by hand.
  private static let noiseVariance = 4.0

  init(_ source: Plane<Float>) {
    let (sums, squares) = (AreaSums(of: source) { $0 }, AreaSums(of: source) { $0 * $0 })
    let (size, radius) = (source.size, Self.windowRadius)
    let image = source.withView { source in
      Plane<Float>(
        size: size,
        filledBy: { output in
          for y in 0..<size.height {
            let rows = max(0, y - radius)..<min(size.height, y + radius + 1)
            let (sums, squares) = (sums.columns(of: rows), squares.columns(of: rows))
            let (row, result) = (source.row(y), output.row(y))
            for x in 0..<size.width {
              let (left, right) = (max(0, x - radius), min(size.width, x + radius + 1))
              let count = Double((right - left) * rows.count)
              let mean = (sums[right] - sums[left]) / count
              let variance = max((squares[right] - squares[left]) / count - mean * mean, 0)
              result[x] = Float((Double(row[x]) - mean) / (variance + Self.noiseVariance).squareRoot())
            }
          }
        })
    }
    self.image = image
    energy = AreaSums(of: image) { $0 * $0 }
  }
}

/// Sums over rectangles of an image, by a table of those from the top left (Crow 1984, doi:10.1145/800031.808600).
private struct AreaSums {
  private let table: [Double]
  private let stride: Int
  /// The sum over all.
  var total: Double { table[table.count - 1] }

  /// - Parameter value: Returns what is summed up of a pixel.
  init(of image: Plane<Float>, _ value: (Double) -> Double) {
    let stride = image.width + 1
    var table = [Double](repeating: 0, count: stride * (image.height + 1))
    image.withView { image in
      for y in 0..<image.height {
        let row = image.row(y)
        var sum = 0.0
        for x in 0..<image.width {
          sum += value(Double(row[x]))
          table[(y + 1) * stride + x + 1] = table[y * stride + x + 1] + sum
        }
      }
    }
    (self.table, self.stride) = (table, stride)
  }

  /// Returns the sums over all columns left of each, `width + 1` of them, of some rows: the difference of two is the
  /// sum over the columns between them.
  func columns(of rows: Range<Int>) -> [Double] {
    let (top, bottom) = (rows.lowerBound * stride, rows.upperBound * stride)
    return (0..<stride).map { table[bottom + $0] - table[top + $0] }
  }
}
