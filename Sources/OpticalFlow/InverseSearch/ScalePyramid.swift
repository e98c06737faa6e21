// A pyramid with several levels to the octave.

import Imaging

/// The sizes of the levels. Level 0 is full size; level k is 2^(−k / levelsPerOctave) of it.
struct ScalePyramid: Sendable {
  /// The minimum side of the finest level but full size, in pixels: small images keep more of their detail. Chosen by
  /// hand.
  static let minimumFinestSide = 64
  /// The minimum side of a level, in pixels, on which patches are searched for: five of them side by side.
  static let minimumSearchSide = 40

  let levelsPerOctave: Int
  let finest: Int
  private let searchOctave: Int
  private let coarseOctave: Int
  /// The sizes of the levels, from level 0 to the coarsest.
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
      guard min(width, height) >= Double(parameters.minimumSide) else { break }
      sizes.append(PixelSize(width: Int(width.rounded()), height: Int(height.rounded())))
    }
    self.sizes = sizes
    func finest(below level: Int, side: Int) -> Int {
      sizes.prefix(level + 1).lastIndex { min($0.width, $0.height) >= side } ?? 0
    }
    self.finest = finest(below: parameters.finestLevel, side: Self.minimumFinestSide)
    coarseOctave = parameters.coarseOctave
    searchOctave =
      finest(below: parameters.searchOctave * levelsPerOctave, side: Self.minimumSearchSide)
      / levelsPerOctave
  }

  /// Returns whether patches are searched for on a level.
  func isSearched(_ level: Int) -> Bool {
    level % levelsPerOctave == 0 && level / levelsPerOctave >= searchOctave
  }

  /// Returns whether matches are decided on a level, and not yet details.
  func isCoarse(_ level: Int) -> Bool { level / levelsPerOctave >= coarseOctave }

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

/// The images of a pyramid, from the finest level that is used to the coarsest.
struct PyramidImages: Sendable {
  private(set) var size = PixelSize(width: 0, height: 0)
  /// The image of each level; those finer than the finest are empty, unless others are made from them.
  private(set) var levels: [PaddedPlane] = []
  /// The resampler of each level that makes its image from that of its source; nil for levels without a source.
  private var resamplers: [Resampler?] = []

  mutating func build(_ image: Plane<Float>, pyramid: ScalePyramid, parallelism: Parallelism) {
    if size != image.size || levels.count != pyramid.sizes.count { prepare(for: pyramid) }
    if pyramid.finest == 0 { levels[0].copy(image, parallelism: parallelism) }
    for level in levels.indices {
      guard let resampler = resamplers[level] else { continue }
      let source = pyramid.source(of: level)
      let parallelism = parallelism.adapted(to: source == 0 ? size : pyramid.sizes[source])
      var target = levels[level]
      levels[level] = PaddedPlane(size: PixelSize(width: 0, height: 0))
      target.withMutableView { target in
        func resize(_ input: GridView) {
          parallelism.forEachStripe(rows: resampler.target.height) { stripe in
            resampler.resize(input, into: target, rows: stripe)
            target.replicateBorders(of: resampler.target, margin: PaddedPlane.margin, aroundRows: stripe)
          }
        }
        if source == 0 { image.withView { resize(GridView($0)) } } else { levels[source].withView(resize) }
      }
      levels[level] = target
    }
  }

  private mutating func prepare(for pyramid: ScalePyramid) {
    size = pyramid.sizes[0]
    let isUsed = pyramid.sizes.indices.map { $0 >= pyramid.finest || ($0 > 0 && $0 % pyramid.levelsPerOctave == 0) }
    levels = zip(pyramid.sizes, isUsed).map { size, isUsed in
      PaddedPlane(size: isUsed ? size : PixelSize(width: 0, height: 0))
    }
    resamplers = pyramid.sizes.indices.map { level in
      guard level > 0, isUsed[level] else { return nil }
      let from = pyramid.sizes[pyramid.source(of: level)]
      let to = pyramid.sizes[level]
      return Resampler(
        horizontal: Self.axis(source: from.width, target: to.width),
        vertical: Self.axis(source: from.height, target: to.height))
    }
  }

  /// σ = 0.6·√(1/s² − 1): what turns an image with the blur of its pixels (σ ≈ 0.6) into one whose larger pixels
  /// have that blur.
  private static func axis(source: Int, target: Int) -> ResamplingAxis {
    let scale = Double(target) / Double(source)
    guard scale < 1 else { return ResamplingAxis(source: source, target: target) }
    let sigma = 0.6 * (1 / (scale * scale) - 1).squareRoot()
    let kernel = SmoothingKernel(sigma: max(sigma, 0.1), radius: max(1, Int((2.5 * sigma).rounded(.up))))
    return ResamplingAxis(source: source, target: target, smoothing: kernel)
  }
}

extension PaddedPlane {
  mutating func copy(_ source: Plane<Float>, parallelism: Parallelism) {
    let size = size
    source.withView { input in
      withMutableView { grid in
        parallelism.forEachStripe(rows: size.height) { stripe in
          for y in stripe { grid.row(y).update(from: input.row(y), count: size.width) }
          grid.replicateBorders(of: size, margin: Self.margin, aroundRows: stripe)
        }
      }
    }
  }
}
