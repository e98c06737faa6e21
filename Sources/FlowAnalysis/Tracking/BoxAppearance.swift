import Imaging

/// A record of what a box shows, on a grid of samples, to tell whether it still shows it.
///
/// As in Kalal's median flow the normalised cross-correlation judges: changes of brightness and contrast do not matter.
struct BoxAppearance: Sendable {
  /// Samples per side; a box of 40 pixels then forgives an error of 2.
  private static let side = 9
  /// Pixels per side that a sample is the mean of.
  private static let detail = 4

  private var values: [Double]

  /// Nil when hardly anything of the box is in the image.
  init?(_ image: Plane<Float>, _ box: BoundingBox) {
    let samples = Self.samples(image, box)
    guard 2 * samples.count(where: { $0 != nil }) >= samples.count else { return nil }
    let known = samples.compactMap(\.self)
    let mean = known.reduce(0, +) / Double(known.count)
    values = samples.map { $0 ?? mean }
  }

  /// Returns how well a box shows the same, −1…1; nil when hardly anything of it is in the image, or all is plain.
  /// - Parameter weight: The weight of the place (x, y), which is in shares of the box's sides.
  func correlation(_ image: Plane<Float>, _ box: BoundingBox, weight: (_ x: Double, _ y: Double) -> Double) -> Double? {
    let samples = Self.samples(image, box)
    var (total, sumA, sumB, aa, ab, bb) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var count = 0
    for (index, sample) in samples.enumerated() {
      guard let b = sample else { continue }
      count += 1
      let a = values[index]
      let w = weight(
        (Double(index % Self.side) + 0.5) / Double(Self.side), (Double(index / Self.side) + 0.5) / Double(Self.side))
      total += w
      sumA += w * a
      sumB += w * b
      aa += w * a * a
      ab += w * a * b
      bb += w * b * b
    }
    guard 4 * count >= samples.count, total > 0 else { return nil }
    let varianceA = aa - sumA * sumA / total
    let varianceB = bb - sumB * sumB / total
    guard varianceA > 1e-6 * total, varianceB > 1e-6 * total else { return nil }
    return (ab - sumA * sumB / total) / (varianceA * varianceB).squareRoot()
  }

  /// Takes on what the box shows now by a share.
  mutating func adapt(to image: Plane<Float>, _ box: BoundingBox, share: Double) {
    for (index, sample) in Self.samples(image, box).enumerated() {
      if let sample { values[index] += (sample - values[index]) * share }
    }
  }

  /// The means of a few pixels each, so that a small error of the box does not matter; nil outside the image.
  private static func samples(_ image: Plane<Float>, _ box: BoundingBox) -> [Double?] {
    image.withView { view in
      (0..<side * side).map { index in
        let (column, row) = (Double(index % side), Double(index / side))
        var (sum, count) = (0.0, 0)
        for dy in 0..<detail {
          let y = box.y - 0.5 + box.height * (row + (Double(dy) + 0.5) / Double(detail)) / Double(side)
          for dx in 0..<detail {
            let x = box.x - 0.5 + box.width * (column + (Double(dx) + 0.5) / Double(detail)) / Double(side)
            guard x > -0.5, y > -0.5, x < Double(view.width) - 0.5, y < Double(view.height) - 0.5 else { continue }
            sum += Double(view.row(Int(y.rounded()))[Int(x.rounded())])
            count += 1
          }
        }
        return count > 0 ? sum / Double(count) : nil
      }
    }
  }
}
