// The usual height of objects where they stand.

import Imaging

/// The height of what moves as a line over the row of its feet: in a fixed camera's view people grow towards the lower
/// border (Hoiem, Efros & Hebert 2008, doi:10.1007/s11263-008-0137-5, of which only the linear relation is taken).
///
/// The line is learned from what moves alone; nil as long as that has no common height. The constants were chosen on
/// `vtest.avi`.
struct SizeModel {
  private struct Sample {
    var foot: Double
    var height: Double
    var aspect: Double
  }

  private var samples: [Sample] = []
  private var next = 0
  private var line: (offset: Double, slope: Double)?
  /// The usual ratio of width to height of what has the usual height; nil: unknown.
  private(set) var aspect: Double?
  private var random = SplitMix64(seed: 0x5EED_512E)

  /// The number of samples that are kept, the last ones.
  private static let capacity = 2000
  /// The minimum number of samples for a line to be fitted.
  private static let minimumCount = 60
  /// The number of pairs of samples that RANSAC tries.
  private static let trialCount = 60
  /// The relative difference of a height up to which it agrees with a line.
  private static let tolerance = 0.13
  /// The share of the samples that must agree with a line.
  private static let minimumInlierShare = 0.5
  /// The minimum distance of the rows of two samples that make a line, in pixels.
  private static let minimumDistance = 5.0

  /// Takes a box of something upright that moves alone.
  mutating func add(_ box: BoundingBox) {
    let sample = Sample(foot: box.bottom, height: box.height, aspect: box.width / box.height)
    if samples.count < Self.capacity {
      samples.append(sample)
    } else {
      samples[next] = sample
      next = (next + 1) % Self.capacity
    }
  }

  /// The usual height of what has its feet in a row; nil: unknown.
  func height(foot: Double) -> Double? {
    line.map { max(4, $0.offset + $0.slope * foot) }
  }

  /// Fits the line anew: RANSAC, then least squares over what agrees.
  mutating func fit() {
    (line, aspect) = (nil, nil)
    guard samples.count >= Self.minimumCount else { return }
    var best: (count: Int, offset: Double, slope: Double)?
    for _ in 0..<Self.trialCount {
      let (first, second) = (
        samples[random.index(below: samples.count)], samples[random.index(below: samples.count)]
      )
      guard abs(first.foot - second.foot) >= Self.minimumDistance else { continue }
      let slope = (second.height - first.height) / (second.foot - first.foot)
      guard slope >= 0 else { continue }
      let offset = first.height - slope * first.foot
      let count = samples.count { abs(offset + slope * $0.foot - $0.height) < Self.tolerance * $0.height }
      if count > best?.count ?? 0 { best = (count, offset, slope) }
    }
    guard let best, Double(best.count) >= Self.minimumInlierShare * Double(samples.count) else { return }
    var (count, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for sample in samples
    where abs(best.offset + best.slope * sample.foot - sample.height) < Self.tolerance * sample.height {
      count += 1
      x += sample.foot
      y += sample.height
      xx += sample.foot * sample.foot
      xy += sample.foot * sample.height
    }
    let determinant = count * xx - x * x
    guard determinant > 1e-6 * count * count else { return }
    let slope = (count * xy - x * y) / determinant
    line = ((y - slope * x) / count, slope)
    aspect = samples.map(\.aspect).median
  }
}
