// The part that registrations of one pair have in common, whatever family of maps they look for.

import Imaging

/// Two prepared images with the tiles in which they are compared, and the large shift that a search may start from.
/// Made once, it serves any number of estimates: how often it is used changes the speed only. Used by one thread.
package final class RegistrationPair {
  /// The image that maps lead to.
  package let reference: RegistrationImage
  /// The image that maps start from.
  package let floating: RegistrationImage
  private let parallelism: Parallelism

  /// A pair of images of any sizes; nothing is computed yet.
  package init(reference: RegistrationImage, floating: RegistrationImage, parallelism: Parallelism) {
    self.reference = reference
    self.floating = floating
    self.parallelism = parallelism
  }

  /// A Boolean value that tells whether either image has too few pixels for a single tile with its surroundings.
  var isTooSmall: Bool {
    min(reference.size.width, reference.size.height, floating.size.width, floating.size.height) < Tile.side + 4
  }

  /// The tiles of the floating image against the reference, which must not be too small.
  private(set) lazy var alignment = Alignment(
    template: floating, target: reference, selfCorrelation: selfCorrelation, parallelism: parallelism)

  /// How much the reference looks like itself at another position.
  private(set) lazy var selfCorrelation = SelfCorrelation(of: reference)

  /// The shift that a phase correlation of a coarse level finds, unless it is none.
  private(set) lazy var largeShift: Homography? = {
    let levels = zip(reference.levels, floating.levels)
    let level =
      Array(levels).lastIndex {
        max($0.0.width, $0.0.height, $0.1.width, $0.1.height) >= Self.correlationSide
      } ?? 0
    let peak = PhaseCorrelation.singleShift(reference: reference.levels[level], floating: floating.levels[level])
    let scale = Double(1 << level)
    // Whole pixels of the level, so that the start, and with it the result, does not hang on the last bit of the
    // transform.
    let (x, y) = (peak.x.rounded() * scale, peak.y.rounded() * scale)
    return x == 0 && y == 0 ? nil : .translation(x: x, y: y)
  }()

  /// The maps that a search begins at: no motion, and the large shift.
  var starts: [Homography] { [.identity] + [largeShift].compactMap(\.self) }

  /// The minimum longer side of the level that is correlated, in pixels; chosen by hand.
  private static let correlationSide = 96
}
