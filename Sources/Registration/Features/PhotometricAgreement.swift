// A test that the images look alike where a map puts them on one another.

import Imaging

/// Compares two images block by block: evidence that does not come from the matches.
struct PhotometricAgreement {
  private let reference: Plane<Float>
  private let floating: Plane<Float>
  /// The number of samples on a side of a block; chosen by hand.
  private static let side = 16
  /// The distance from one sample to the next, in pixels.
  private let spacing: Double
  /// The minimum standard deviation of a block that is not blank, in grey levels.
  private let minimumContrast: Double

  /// The correlation above which blocks look alike. Blocks of unrelated images reach it about once in fifty times.
  static let alike = 0.5

  /// The number of blocks with contrast, and how many of them look alike.
  struct Count {
    var blocks = 0
    var alike = 0

    mutating func add(_ correlation: Double) {
      blocks += 1
      if correlation > PhotometricAgreement.alike { alike += 1 }
    }

    var share: Double { blocks > 0 ? Double(alike) / Double(blocks) : 0 }
  }

  /// Smooths both images so much that a pixel or two of misalignment matter little.
  init(reference: KeypointImage, floating: KeypointImage, parallelism: Parallelism) {
    spacing = Self.spacing(reference.plane.size)
    self.reference = reference.smoothed(as: reference.plane.size, parallelism: parallelism)
    self.floating = floating.smoothed(as: reference.plane.size, parallelism: parallelism)
    minimumContrast = Self.minimumContrast(reference.standardDeviation)
  }

  /// Smooths both images against noise only, so that half a pixel of misalignment shows.
  init(exactly reference: Plane<Float>, floating: Plane<Float>, parallelism: Parallelism) {
    spacing = 1
    self.reference = ScaleSpace.smooth(reference, sigma: 1, parallelism: parallelism)
    self.floating = ScaleSpace.smooth(floating, sigma: 1, parallelism: parallelism)
    minimumContrast = Self.minimumContrast(reference.standardDeviation)
  }

  private static func spacing(_ size: PixelSize) -> Double {
    max(1, Double(size.width * size.width + size.height * size.height).squareRoot() / 600)
  }

  private static func minimumContrast(_ standardDeviation: Double) -> Double { max(0.5, 0.05 * standardDeviation) }

  /// The smoothing, in pixels, of images that are compared with a reference of `size`.
  static func sigma(_ size: PixelSize) -> Double { 1.5 * spacing(size) }

  /// Returns whether there is a block in a reference of `size`. Where one side is some forty times the other, the
  /// distance of the samples, which goes by the diagonal, leaves room for none. To smooth such an image, by as much,
  /// would take minutes.
  static func comparesBlocks(of size: PixelSize) -> Bool {
    Self.blockCount(along: min(size.width, size.height), extent: Double(side) * spacing(size)) > 0
  }

  private static func blockCount(along length: Int, extent: Double) -> Int { Int(Double(length) / extent) }

  /// Compares the blocks of the reference, as far as the floating image covers them.
  ///
  /// - Parameters:
  ///   - map: From floating to reference, in pixels.
  ///   - isMarked: Tells by their middle which blocks are counted once more, apart.
  func counts(_ map: Homography, where isMarked: (SIMD2<Double>) -> Bool) -> (all: Count, marked: Count) {
    var (all, marked) = (Count(), Count())
    forEachBlock(under: map) { middle, correlation in
      all.add(correlation)
      if isMarked(middle) { marked.add(correlation) }
    }
    return (all, marked)
  }

  /// The mean correlation of the blocks, −1…1; −1 when there is none.
  func meanCorrelation(_ map: Homography) -> Double {
    var (sum, count) = (0.0, 0)
    forEachBlock(under: map) { _, correlation in
      sum += correlation
      count += 1
    }
    return count > 0 ? sum / Double(count) : -1
  }

  /// Calls `body` with the middle and the correlation of each block with contrast that the floating image covers.
  private func forEachBlock(under map: Homography, _ body: (SIMD2<Double>, Double) -> Void) {
    guard min(floating.width, floating.height, reference.width, reference.height) >= 2, let inverse = map.inverse
    else { return }
    let backwards = inverse
    let extent = Double(Self.side) * spacing
    reference.withView { reference in
      floating.withView { floating in
        for row in 0..<Self.blockCount(along: reference.height, extent: extent) {
          for column in 0..<Self.blockCount(along: reference.width, extent: extent) {
            let origin = SIMD2(Double(column), Double(row)) * extent
            guard let correlation = correlation(reference, floating, at: origin, backwards) else { continue }
            body(origin + extent / 2, correlation)
          }
        }
      }
    }
  }

  /// The correlation of a block; nil where it is blank or not covered.
  private func correlation(
    _ reference: PlaneView<Float>, _ floating: PlaneView<Float>, at origin: SIMD2<Double>, _ map: Homography
  ) -> Double? {
    let extent = Double(Self.side - 1) * spacing
    for corner in [SIMD2(0, 0), SIMD2(extent, 0), SIMD2(0, extent), SIMD2(extent, extent)] {
      guard map.depth(origin + corner) > 0 else { return nil }
      let position = map.apply(origin + corner)
      guard position.x >= 0, position.y >= 0, position.x <= Double(floating.width - 1),
        position.y <= Double(floating.height - 1)
      else { return nil }
    }
    var (r, f, rr, ff, rf) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for row in 0..<Self.side {
      for column in 0..<Self.side {
        let position = origin + SIMD2(Double(column), Double(row)) * spacing
        let a = Double(reference.sample(position))
        let b = Double(floating.sample(map.apply(position)))
        r += a
        f += b
        rr += a * a
        ff += b * b
        rf += a * b
      }
    }
    let samples = Double(Self.side * Self.side)
    let (varianceR, varianceF) = (rr - r * r / samples, ff - f * f / samples)
    guard varianceR > samples * minimumContrast * minimumContrast else { return nil }
    guard varianceF > 0 else { return 0 }
    return (rf - r * f / samples) / (varianceR * varianceF).squareRoot()
  }
}
