// Images that show the same at the same positions, as far as anything can be told.

import Imaging

/// Judges whether two images need no alignment, where a registration finds nothing to hold on to.
package enum StillScene {
  // The numbers were chosen by hand.

  /// The side of a block, in pixels.
  private static let blockSide = 16
  /// The difference of the means of a block, in grey levels, that rounding and codecs make whatever the noise.
  private static let roundingTolerance = 0.75
  /// The number of standard deviations of a block's mean by which it may differ.
  private static let noiseFactor = 4.0
  /// The maximum share of the blocks that differ by more: what moved.
  private static let maximumShare = 0.02
  /// The maximum difference in brightness of the images as a whole, in grey levels.
  private static let maximumOffset = 10.0

  /// Returns whether the means of all blocks but a few agree within noise, which is what pixels of a block differ by
  /// beyond its mean. Moved images agree where they show nothing: there it does no harm to take them as they are.
  ///
  /// - Parameters:
  ///   - reference: Luma, 0…255.
  ///   - floating: Luma of the same size; images of other sizes never agree.
  package static func holds(reference: Plane<Float>, floating: Plane<Float>) -> Bool {
    let (columns, rows) = (reference.width / blockSide, reference.height / blockSide)
    guard reference.size == floating.size, columns > 0, rows > 0 else { return false }
    var means: [Double] = []
    var square = 0.0
    reference.withView { a in
      floating.withView { b in
        for row in 0..<rows {
          for column in 0..<columns {
            var (sum, squares) = (0.0, 0.0)
            for y in row * blockSide..<(row + 1) * blockSide {
              for x in column * blockSide..<(column + 1) * blockSide {
                let difference = Double(b.row(y)[x] - a.row(y)[x])
                sum += difference
                squares += difference * difference
              }
            }
            let mean = sum / Double(blockSide * blockSide)
            means.append(mean)
            square += squares / Double(blockSide * blockSide) - mean * mean
          }
        }
      }
    }
    let offset = means.median ?? 0
    let deviation = max(square / Double(means.count), 0).squareRoot() / Double(blockSide)
    let limit = roundingTolerance + noiseFactor * deviation
    let others = means.count { abs($0 - offset) > limit }
    return abs(offset) <= maximumOffset && Double(others) <= maximumShare * Double(means.count)
  }
}
