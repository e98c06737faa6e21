// A pyramid with several levels to the octave.

import Imaging

/// The sizes of the levels. Level 0 is full size; level k is 2^(−k / levelsPerOctave) of it.
struct ScalePyramid: Sendable {
  let levelsPerOctave: Int
  let finest: Int
  /// From level 0 to the coarsest.
  let sizes: [PixelSize]
  var coarsest: Int { sizes.count - 1 }

  init(size: PixelSize, parameters: InverseSearchParameters) {
    levelsPerOctave = parameters.levelsPerOctave
    let steps = (0..<levelsPerOctave).map { Self.inverseRoot($0, of: parameters.levelsPerOctave) }
    var sizes = [size]
    while true {
      let (octave, step) = sizes.count.quotientAndRemainder(dividingBy: levelsPerOctave)
      guard octave < 24 else { break }
      let scale = steps[step] / Double(1 << octave)
      let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
      guard min(width, height) >= Double(parameters.smallestSide) else { break }
      sizes.append(PixelSize(width: Int(width.rounded()), height: Int(height.rounded())))
    }
    self.sizes = sizes
    finest = min(parameters.finestLevel, sizes.count - 1)
  }

  /// The level that the pixels of `level` are made from: the octave above it.
  func source(of level: Int) -> Int { level == 0 ? 0 : (level - 1) / levelsPerOctave * levelsPerOctave }

  /// 2^(−step / count), by Newton's method: the C library's `pow` differs from system to system.
  private static func inverseRoot(_ step: Int, of count: Int) -> Double {
    var root = 0.75  // of 1/2
    for _ in 0..<60 {
      let power = (0..<count - 1).reduce(1.0) { product, _ in product * root }
      root -= (power * root - 0.5) / (Double(count) * power)
    }
    return (0..<step).reduce(1.0) { product, _ in product * root }
  }
}

/// The pictures of a pyramid, from the finest level that is used to the coarsest.
struct PyramidPictures: Sendable {
  private(set) var size = PixelSize(width: 0, height: 0)
  /// By level; levels finer than the finest are empty.
  private(set) var levels: [PaddedPlane] = []
  /// The unpadded pictures that coarser ones are made from.
  private var sources: [Plane<Float>] = []

  mutating func build(_ image: Plane<Float>, pyramid: ScalePyramid, parallelism: Parallelism) {
    if size != image.size || levels.count != pyramid.sizes.count {
      size = image.size
      let none = PixelSize(width: 0, height: 0)
      levels = pyramid.sizes.indices.map { PaddedPlane(size: $0 < pyramid.finest ? none : pyramid.sizes[$0]) }
      sources = pyramid.sizes.indices.map { Plane(size: $0 == 0 ? none : pyramid.sizes[$0]) }
    }
    for level in pyramid.sizes.indices {
      let isOctave = level % pyramid.levelsPerOctave == 0
      guard level >= pyramid.finest || isOctave else { continue }
      if level > 0 {
        let source = pyramid.source(of: level)
        let from = source == 0 ? image : sources[source]
        let scale = Double(pyramid.sizes[level].width) / Double(from.width)
        from.smoothAndResize(
          with: Self.smoothing(scale: min(scale, 0.99)), into: &sources[level], parallelism: parallelism)
      }
      if level >= pyramid.finest { levels[level].copy(level == 0 ? image : sources[level]) }
    }
  }

  /// σ = 0.6·√(1/s² − 1): what turns a picture with the blur of its pixels (σ ≈ 0.6) into one whose larger pixels
  /// have that blur.
  private static func smoothing(scale: Double) -> SmoothingKernel {
    let sigma = 0.6 * (1 / (scale * scale) - 1).squareRoot()
    return SmoothingKernel(sigma: max(sigma, 0.1), radius: max(1, Int((2.5 * sigma).rounded(.up))))
  }
}
