// Working memory of a driver: a few rows of floats with room on both sides for borders.

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Rows of `width` floats with `margin` more on either side. One owner, one thread; freed with its owner.
///
/// Like the rows of a `Plane`, each may be read up to 63 bytes past the right margin.
@usableFromInline
package struct ScratchRows: ~Copyable {
  /// Samples in a row, without the margins.
  package let width: Int
  /// Samples on either side of a row.
  @usableFromInline package let margin: Int
  /// Floats from one row to the next.
  @usableFromInline package let stride: Int
  @usableFromInline let base: UnsafeMutablePointer<Float>
  private let byteCount: Int

  /// Rows of zeros.
  package init(count: Int, width: Int, margin: Int = 0) {
    precondition(count >= 0 && width >= 0 && margin >= 0, "\(count) rows of \(width) with margins of \(margin)")
    self.width = width
    self.margin = margin
    stride = (width + 2 * margin + 15) / 16 * 16 + 16
    byteCount = max(count, 1) * stride * MemoryLayout<Float>.stride
    let raw = ScratchMemory.shared.take(byteCount: byteCount)
    raw.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    base = raw.assumingMemoryBound(to: Float.self)
  }

  deinit { ScratchMemory.shared.giveBack(base, byteCount: byteCount) }

  /// The first sample of row `index`; its left margin lies before it. Valid as long as the owner.
  @inlinable
  package func row(_ index: Int) -> UnsafeMutablePointer<Float> { base + (index * stride + margin) }

  /// Fills the margins of a row with its first and its last sample.
  package func replicateBorders(ofRow index: Int) {
    guard margin > 0, width > 0 else { return }
    let samples = row(index)
    (samples - margin).update(repeating: samples[0], count: margin)
    (samples + width).update(repeating: samples[width - 1], count: margin)
  }

  /// Fills the margins of a row with its mirror image about the first and the last sample (…2 1 | 0 1 2…).
  package func reflectBorders(ofRow index: Int) {
    guard margin > 0, width > 0 else { return }
    let samples = row(index)
    for distance in 1...margin {
      samples[-distance] = samples[reflectedIndex(-distance, count: width)]
      samples[width - 1 + distance] = samples[reflectedIndex(width - 1 + distance, count: width)]
    }
  }
}

/// The sample that stands at `index` when `count` samples are mirrored about the first and the last one, again and
/// again.
@inlinable
package func reflectedIndex(_ index: Int, count: Int) -> Int {
  guard count > 1 else { return 0 }
  let period = 2 * (count - 1)
  let phase = ((index % period) + period) % period
  return phase < count ? phase : period - phase
}
