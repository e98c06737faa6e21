// A rectangle of an image, resampled.

import Imaging

/// The positions of the samples of a regular grid in an image.
struct SamplingGrid: Sendable {
  /// The middle of the grid, in pixels.
  var center: SIMD2<Double>
  /// The distance of two samples, in pixels; across and down.
  var pitch: SIMD2<Double>
  /// Samples in a row.
  var width: Int
  /// Rows of samples.
  var height: Int

  /// One direction: for each sample, the pixels before and after it and the share of the latter.
  private struct Line {
    var before: [Int] = []
    var after: [Int] = []
    var share: [Float] = []

    var indices: Range<Int> { share.indices }

    init(center: Double, pitch: Double, count: Int, parts: Int, limit: Int) {
      before.reserveCapacity(count * parts)
      after.reserveCapacity(count * parts)
      share.reserveCapacity(count * parts)
      for index in 0..<count * parts {
        let offset = (Double(index) + 0.5) / Double(parts) - Double(count) / 2
        // In this order what is not a number becomes 0.
        let position = min(max(0, center + offset * pitch), Double(limit - 1))
        let whole = min(Int(position), max(limit - 2, 0))
        before.append(whole)
        after.append(min(whole + 1, limit - 1))
        share.append(Float(position - Double(whole)))
      }
    }
  }

  /// The samples, row by row: bilinear, and means of several where they lie further apart than pixels do. Beyond the
  /// image its border goes on. Not `PlaneView.bilinear`: the columns and their weights are found once for all rows.
  func samples(of image: Plane<Float>) -> [Float] {
    let parts = (x: Self.parts(pitch.x), y: Self.parts(pitch.y))
    let across = Line(center: center.x, pitch: pitch.x, count: width, parts: parts.x, limit: image.width)
    let down = Line(center: center.y, pitch: pitch.y, count: height, parts: parts.y, limit: image.height)
    let scale = 1 / Float(parts.x * parts.y)
    var output = [Float](repeating: 0, count: width * height)
    image.withView { image in
      for line in down.indices {
        let (upper, lower) = (image.row(down.before[line]), image.row(down.after[line]))
        let fraction = down.share[line]
        let start = line / parts.y * width
        for column in across.indices {
          let (left, right, share) = (across.before[column], across.after[column], across.share[column])
          let top = upper[left] + share * (upper[right] - upper[left])
          let bottom = lower[left] + share * (lower[right] - lower[left])
          output[start + column / parts.x] += (top + fraction * (bottom - top)) * scale
        }
      }
    }
    // In this order what is not a number becomes 0, and no sample traps where it chooses a step.
    for index in output.indices { output[index] = min(max(0, output[index]), Self.maximumValue) }
    return output
  }

  /// The maximum luma or colour difference of an image.
  private static let maximumValue: Float = 255

  /// Returns the number of points whose mean a sample is, in one direction.
  private static func parts(_ pitch: Double) -> Int { max(1, min(maximumParts, Int(pitch.rounded()))) }
  /// The maximum number of points of a sample in one direction; chosen by hand.
  private static let maximumParts = 16
}
