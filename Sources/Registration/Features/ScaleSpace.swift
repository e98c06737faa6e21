// A stack of ever smoother images (Lowe, IJCV 2004, doi:10.1023/B:VISI.0000029664.99615.94).

import FlowKernels
import Imaging

/// Images of one sampling, from σ = 1.6 to a little over twice that, in pixels of the octave.
struct Octave: Sendable {
  /// `ScaleSpace.levelsPerOctave` + 3 levels; level i has σ = 1.6 · 2^(i / levelsPerOctave).
  var levels: [Plane<Float>]
  /// Pixels of the full-size image to one of the octave.
  var step: Float
  /// The position of the octave's pixel 0, in pixels of the full-size image.
  var origin: Float
}

/// Gaussian octaves of an image.
struct ScaleSpace: Sendable {
  /// The number of levels in which keypoints are found, for each doubling of σ (Lowe, IJCV 2004, section 3.2).
  static let levelsPerOctave = 3
  /// The smoothing of the first level of an octave, in its pixels (Lowe, IJCV 2004, section 3.3).
  static let firstSigma = 1.6
  /// The smoothing that a camera's image counts as having, in its own pixels (Lowe, IJCV 2004, section 3.3).
  static let imageSigma = 0.5
  /// The minimum side of an octave, in pixels; chosen by hand.
  static let minimumSide = 16
  /// The area, in pixels, up to which images are enlarged twofold first: their finest keypoints are the most precise
  /// ones. Chosen by hand.
  static let enlargedArea = 700_000
  /// The area, in pixels, to which larger images are brought down: time is bounded, and keypoints are many. Chosen by
  /// hand.
  static let maximumArea = 2_800_000

  let octaves: [Octave]

  init(of image: Plane<Float>, parallelism: Parallelism) {
    let factor = Self.sampling(of: image.size)
    let size = PixelSize(
      width: max(Int(Double(image.width) * factor), 1), height: max(Int(Double(image.height) * factor), 1))
    // No octave is made of it: work on the rows of a very narrow image would take minutes.
    guard min(size.width, size.height) >= Self.minimumSide else {
      octaves = []
      return
    }
    var base = Plane<Float>(size: size)
    var start = image
    if factor < 1 {
      let sigma = 0.6 * (1 / (factor * factor) - 1).squareRoot()
      start = Self.smooth(image, sigma: sigma, parallelism: parallelism)
    }
    start.resize(into: &base, multiplyingBy: 1, parallelism: parallelism)
    let present = factor > 1 ? Self.imageSigma * factor : Self.imageSigma
    let first = Self.smooth(
      base, sigma: (Self.firstSigma * Self.firstSigma - present * present).squareRoot(), parallelism: parallelism)
    octaves = Self.build(from: first, step: Float(1 / factor), parallelism: parallelism)
  }

  /// Returns the number of samples of the first octave to one pixel, along an axis.
  private static func sampling(of size: PixelSize) -> Double {
    if size.area <= enlargedArea { return 2 }
    return size.area <= maximumArea ? 1 : (Double(maximumArea) / Double(size.area)).squareRoot()
  }

  private static func build(from first: Plane<Float>, step: Float, parallelism: Parallelism) -> [Octave] {
    var octaves: [Octave] = []
    var base = first
    var octaveStep = step
    while min(base.width, base.height) >= minimumSide {
      let levels = smoothedLevels(from: base, parallelism: parallelism)
      octaves.append(Octave(levels: levels, step: octaveStep, origin: (step - 1) / 2))
      base = everyOther(levels[levelsPerOctave])
      octaveStep *= 2
    }
    return octaves
  }

  private static func smoothedLevels(from base: Plane<Float>, parallelism: Parallelism) -> [Plane<Float>] {
    var levels = [base]
    var sigma = firstSigma
    for _ in 1..<levelsPerOctave + 3 {
      let next = sigma * 1.2599210498948732  // 2^(1 / levelsPerOctave)
      let added = (next * next - sigma * sigma).squareRoot()
      levels.append(smooth(levels[levels.count - 1], sigma: added, parallelism: parallelism))
      sigma = next
    }
    return levels
  }

  /// Every second pixel of every second row.
  private static func everyOther(_ plane: Plane<Float>) -> Plane<Float> {
    let size = PixelSize(width: plane.width / 2, height: plane.height / 2)
    return plane.withView { source in
      Plane(size: size) { target in
        for y in 0..<size.height {
          let (input, output) = (source.row(2 * y), target.row(y))
          for x in 0..<size.width { output[x] = input[2 * x] }
        }
      }
    }
  }

  /// Smooths with a Gaussian, cut off at 3.2 σ: what is left out is below a thousandth.
  static func smooth(_ plane: Plane<Float>, sigma: Double, parallelism: Parallelism) -> Plane<Float> {
    let kernel = SmoothingKernel(sigma: sigma, radius: max(1, Int((3.2 * sigma).rounded(.up))))
    let radius = kernel.radius
    let weights = Array(kernel.weights[radius...])
    let symmetricSum = KernelTable.current.features.symmetricSum
    return plane.withView { source in
      Plane(size: plane.size) { target in
        parallelism.forEachStripe(rows: source.height) { stripe in
          let scratch = ScratchRows(count: 1, width: source.width, margin: radius)
          let taps = (-radius...radius).map { UnsafePointer(scratch.row(0) + $0) }
          withUnsafeTemporaryAllocation(of: UnsafePointer<Float>.self, capacity: taps.count) { rows in
            guard let rows = rows.baseAddress else { return }
            for y in stripe {
              for tap in 0..<taps.count {
                (rows + tap).initialize(to: source.row(reflectedIndex(y + tap - radius, count: source.height)))
              }
              symmetricSum(rows, weights, radius, scratch.row(0), source.width)
              scratch.reflectBorders(ofRow: 0)
              symmetricSum(taps, weights, radius, target.row(y), source.width)
            }
          }
        }
      }
    }
  }
}
