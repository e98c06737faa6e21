// An image as registration sees it: smoothed a little, and a pyramid of halves.

import FlowKernels
import Imaging

/// An image, prepared once for all pairs that it belongs to. A value.
///
/// Level 0 is smoothed (Gaussian of 0.7 pixels): derivatives of noisy images are mostly noise at the highest
/// frequencies, and without these the errors of registration halve; those of interpolation shrink too.
///
/// Level l + 1 has half as many rows and columns as level l, rounded down; its pixel (x, y) lies in the middle of four
/// pixels, at (2x + ½, 2y + ½). So positions convert exactly, whatever the size, and the levels of two images of
/// different sizes fit each other.
public struct RegistrationImage: Sendable {
  /// The levels of the pyramid, from full size to the coarsest.
  let levels: [Plane<Float>]
  /// The size of the image in pixels.
  public var size: PixelSize { levels[0].size }

  /// The minimum side of a level but the first, in pixels: at least one tile with its surroundings.
  static let minimumSide = 28

  /// - Parameters:
  ///   - image: Luma, 0…255, of any size.
  ///   - parallelism: The number of threads to use; changes no result.
  public init(_ image: Plane<Float>, parallelism: Parallelism = .serial) {
    var levels = [image.smoothed(by: .binomial3, parallelism)]
    if min(image.width, image.height) >= 2 * Self.minimumSide { levels.append(image.halved(parallelism)) }
    while levels.count > 1, let last = levels.last, min(last.width, last.height) >= 2 * Self.minimumSide {
      levels.append(last.halved(parallelism))
    }
    self.levels = levels
  }

  private init(levels: [Plane<Float>]) { self.levels = levels }

  /// The image at full size alone, smoothed as far as a Gaussian of `sigma` pixels would smooth the image it was made
  /// of.
  func smoothed(to sigma: Double, parallelism: Parallelism) -> RegistrationImage {
    // The variances of filters that follow each other add up; that of ¼, ½, ¼ is ½.
    let missing = (sigma * sigma - 0.5).squareRoot()
    let kernel = SmoothingKernel(sigma: missing, radius: Int((3.5 * missing).rounded(.up)))
    return RegistrationImage(levels: [levels[0].smoothed(by: kernel, parallelism)])
  }

  /// The position on level 0 of a position on `level`.
  static func fullSize(_ position: Double, level: Int) -> Double { (position + 0.5) * Double(1 << level) - 0.5 }

  /// The position on `level` of a position on level 0.
  static func onLevel(_ position: Double, level: Int) -> Double { (position + 0.5) / Double(1 << level) - 0.5 }
}

extension Plane where Scalar == Float {
  /// Returns the plane smoothed by the same filter along both axes; borders replicated.
  fileprivate func smoothed(by kernel: SmoothingKernel, _ parallelism: Parallelism) -> Plane<Float> {
    let kernels = KernelTable.current
    let (weights, radius) = (kernel.weights, kernel.radius)
    return withView { source in
      Plane(
        size: size,
        filledBy: { output in
          parallelism.adapted(to: size).forEachStripe(rows: source.height) { stripe in
            let scratch = ScratchRows(count: 1, width: source.width, margin: 48)
            let row = scratch.row(0)
            let shifted = (-radius...radius).map { UnsafePointer(row + $0) }
            for y in stripe {
              let rows = (y - radius...y + radius).map { source.clampedRow($0) }
              kernels.resize.combineRows(rows, weights, weights.count, row, source.width)
              for offset in 1...radius {
                row[-offset] = row[0]
                row[source.width - 1 + offset] = row[source.width - 1]
              }
              kernels.filter.weightedSum(shifted, weights, weights.count, output.row(y), source.width)
            }
          }
        })
    }
  }

  /// Returns the plane with every four pixels as one, smoothed by the binomial filter ⅛, ⅜, ⅜, ⅛ along both axes;
  /// borders replicated.
  fileprivate func halved(_ parallelism: Parallelism) -> Plane<Float> {
    let kernels = KernelTable.current.resize
    let half = PixelSize(width: width / 2, height: height / 2)
    let weights: [Float] = [0.125, 0.375, 0.375, 0.125]
    return withView { source in
      Plane(
        size: half,
        filledBy: { output in
          parallelism.adapted(to: size).forEachStripe(rows: half.height) { stripe in
            let scratch = ScratchRows(count: 1, width: source.width, margin: 48)
            let row = scratch.row(0)
            for y in stripe {
              let rows = (2 * y - 1...2 * y + 2).map { source.clampedRow($0) }
              kernels.combineRows(rows, weights, 4, row, source.width)
              row[-1] = row[0]
              row[source.width] = row[source.width - 1]
              kernels.pairRow(row, output.row(y), half.width)
            }
          }
        })
    }
  }
}
