// A test whether other alignments explain a pair as well as the one that was found.

import Imaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The best rival of an alignment: where the reference looks the same at another position, as bricks and chessboards
/// do, the floating image fits there, too.
///
/// On a level of at most ``maximumSide`` pixels each pixel becomes its difference from the mean of its surroundings, as
/// a multiple of their standard deviation. The correlation of the reference with its own shifted copies, over what both
/// show, is compared with that of the two images as they were aligned: noise lowers both.
struct RivalAlignment {
  /// The correlation of the reference with itself, shifted, at its highest peak besides none, −1…1.
  let selfCorrelation: Double
  /// The correlation of both images as they are aligned, −1…1; 1, unseen, where the reference is not periodic.
  let correlation: Double

  // Numbers of this type without another source were chosen by hand.

  /// The maximum side of the level that is looked at, in pixels.
  static let maximumSide = 256
  /// The distance within which a shift is none, in pixels of the level.
  private static let nearDistance = 3
  /// The minimum share of the image that a shifted copy must cover, and of its contrast that must lie there.
  private static let (minimumCoverShare, minimumContrastShare) = (0.25, 0.1)

  /// The ratio of both from which on the alignment is in doubt, and from which on it is a guess. The highest of 63
  /// published images is 0.36; of bricks, dots and chessboards, whatever their noise, 41 of 42 have 0.86 and more.
  private static let (doubt, guess) = (0.75, 0.88)
  /// The self-correlation from which on an image counts as periodic at all, and from which on fully.
  private static let (hint, periodic) = (0.45, 0.55)
  /// The share of the confidence that is left to a guess.
  private static let guessConfidence = 0.4
  /// The minimum correlation that is counted: below it, the images have little in common, and confidence knows.
  private static let minimumCorrelation = 0.3

  /// Returns nil where there is nothing to compare.
  /// - Parameter map: From the floating image to the reference, in pixels.
  init?(of map: Homography, _ pair: RegistrationPair) {
    let (reference, floating) = (pair.reference, pair.floating)
    guard
      let level = reference.levels.indices.first(where: { level in
        max(reference.levels[level].width, reference.levels[level].height) <= Self.maximumSide
      }), let inverse = map.inverse
    else { return nil }
    let pattern = LocalContrast(reference.levels[level])
    guard let selfCorrelation = Self.selfCorrelation(pattern) else { return nil }
    self.selfCorrelation = selfCorrelation
    guard selfCorrelation > Self.hint else {
      correlation = 1
      return
    }
    // One pixel of both levels shows about as much.
    let middle = SIMD2(Double(reference.size.width - 1) / 2, Double(reference.size.height - 1) / 2)
    let zoom = log2(max(abs(inverse.jacobian(middle).determinant), 1e-6).squareRoot())
    let floatingLevel = min(max(level + Int(zoom.rounded()), 0), floating.levels.count - 1)
    correlation = Self.correlation(
      (pattern, level), (LocalContrast(floating.levels[floatingLevel]), floatingLevel), by: inverse)
  }

  /// The factor by which rivals lower the confidence, ``guessConfidence``…1.
  var confidence: Double {
    let ratio = selfCorrelation / max(correlation, Self.minimumCorrelation)
    func rise(_ value: Double, from low: Double, to high: Double) -> Double {
      min(max((value - low) / (high - low), 0), 1)
    }
    let share =
      rise(ratio, from: Self.doubt, to: Self.guess) * rise(selfCorrelation, from: Self.hint, to: Self.periodic)
    return 1 - share * (1 - Self.guessConfidence)
  }

  /// Returns the highest normalised correlation with a shifted copy; nil for blank images.
  private static func selfCorrelation(_ pattern: LocalContrast) -> Double? {
    let (width, height) = (pattern.image.width, pattern.image.height)
    let padded = PixelSize(width: 2 * width, height: 2 * height)
    guard let transform = FourierTransform(atLeast: padded), pattern.energy.total > 0 else { return nil }
    var spectrum = transform.spectrum(of: pattern.image)
    for index in spectrum.indices { spectrum[index] = SIMD2((spectrum[index] * spectrum[index]).sum(), 0) }
    let surface = transform.backward(spectrum)
    let scale = 1 / Double(transform.size.area)
    let minimum = minimumContrastShare * pattern.energy.total
    // Both halves of the plane of shifts look alike: one is enough.
    func value(_ x: Int, _ y: Int) -> Double {
      guard y >= 0, abs(x) < width, y < height else { return -1 }
      let columns = max(0, x)..<min(width, width + x)
      guard Double(columns.count * (height - y)) >= minimumCoverShare * Double(width * height) else { return -1 }
      let there = pattern.energy.sum(columns, y..<height)
      let here = pattern.energy.sum(columns.lowerBound - x..<columns.upperBound - x, 0..<height - y)
      guard min(here, there) >= minimum else { return -1 }
      let column = x < 0 ? x + transform.size.width : x
      return Double(surface[y * transform.size.width + column]) * scale / (here * there).squareRoot()
    }
    var values = [Double](repeating: -1, count: height * (2 * width + 1))
    for y in 0..<height {
      for x in -width...width { values[y * (2 * width + 1) + x + width] = value(x, y) }
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

  /// Returns the correlation of both images where the floating one covers the reference.
  /// - Parameter inverse: From the reference to the floating image, in pixels.
  private static func correlation(
    _ reference: (contrast: LocalContrast, level: Int), _ floating: (contrast: LocalContrast, level: Int),
    by inverse: Homography
  ) -> Double {
    var (ab, aa, bb) = (0.0, 0.0, 0.0)
    let (size, level, floatingLevel) = (floating.contrast.image.size, reference.level, floating.level)
    guard min(size.width, size.height) >= 2 else { return 0 }
    reference.contrast.image.withView { reference in
      floating.contrast.image.withView { floating in
        for y in 0..<reference.height {
          let row = reference.row(y)
          for x in 0..<reference.width {
            let point = SIMD2(
              RegistrationImage.fullSize(Double(x), level: level), RegistrationImage.fullSize(Double(y), level: level))
            guard inverse.depth(point) > 1e-9 else { continue }
            let there = inverse.apply(point)
            let position = SIMD2(
              RegistrationImage.onLevel(there.x, level: floatingLevel),
              RegistrationImage.onLevel(there.y, level: floatingLevel))
            guard position.x >= 0, position.y >= 0, position.x <= Double(size.width - 1),
              position.y <= Double(size.height - 1)
            else { continue }
            let (a, b) = (Double(row[x]), Double(floating.sample(position)))
            ab += a * b
            aa += a * a
            bb += b * b
          }
        }
      }
    }
    return aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0
  }
}

/// An image as differences from local means, in local standard deviations.
private struct LocalContrast {
  let image: Plane<Float>
  /// The sums of its squares.
  let energy: AreaSums

  /// The number of pixels from the middle of the surroundings to their sides; chosen by hand.
  private static let windowRadius = 8
  /// The variance that noise may have, in squared grey levels: what has less stays small; chosen by hand.
  private static let noiseVariance = 4.0

  init(_ source: Plane<Float>) {
    let sums = AreaSums(of: source) { $0 }
    let squares = AreaSums(of: source) { $0 * $0 }
    let image = source.withView { source in
      Plane<Float>(width: source.width, height: source.height) { x, y in
        let columns = max(0, x - Self.windowRadius)..<min(source.width, x + Self.windowRadius + 1)
        let rows = max(0, y - Self.windowRadius)..<min(source.height, y + Self.windowRadius + 1)
        let count = Double(columns.count * rows.count)
        let mean = sums.sum(columns, rows) / count
        let variance = max(squares.sum(columns, rows) / count - mean * mean, 0)
        return Float((Double(source.row(y)[x]) - mean) / (variance + Self.noiseVariance).squareRoot())
      }
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

  func sum(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
    let (top, bottom) = (rows.lowerBound * stride, rows.upperBound * stride)
    return table[bottom + columns.upperBound] - table[top + columns.upperBound] - table[bottom + columns.lowerBound]
      + table[top + columns.lowerBound]
  }
}
