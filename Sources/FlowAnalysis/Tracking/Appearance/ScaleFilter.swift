// The size of an object, by what it shows.
//
// Danelljan et al., "Accurate scale estimation for robust visual tracking", BMVC 2014, doi:10.5244/C.28.65 (DSST):
// features of the box at many scales, and a filter that answers with a Gaussian over the scales. Deviation: the filter
// is the ridge regression to that Gaussian itself, in its dual form, rather than its approximation by circular shifts:
// with a few scales and hundreds of features that is a small system, and the first and last scale are not taken for
// neighbours.

import Imaging
import Registration

/// A linear function of what a box shows, whose value tells how well the box's size fits. The
/// constants were chosen by hand.
struct ScaleFilter: Sendable {
  /// The number of scales on each side of the last one.
  private static let stepsPerSide = 8
  /// The ratio of two neighbouring scales.
  private static let step = 1.025
  /// The standard deviation of the wanted answers, in steps.
  private static let deviation = 1.5
  /// The weight of the filter's length against its errors, in shares of the features' energy.
  private static let ridge = 0.01
  /// The number of cells of a box, about.
  private static let cellCount = 40.0

  private let columns: Int
  private let rows: Int
  private let hasColor: Bool
  private var weights: [Double] = []
  private var offset = 0.0

  /// - Parameters:
  ///   - box: Its sides tell the number of cells in each direction.
  ///   - hasColor: Whether to look at colour.
  init(_ box: BoundingBox, hasColor: Bool) {
    self.hasColor = hasColor
    let side = (box.area / Self.cellCount).squareRoot()
    columns = max(2, min(16, Int((box.width / side).rounded())))
    rows = max(2, min(16, Int((box.height / side).rounded())))
  }

  /// The scales that are looked at, from small to large.
  private static let factors: [Double] = {
    var result = [1.0]
    for _ in 0..<stepsPerSide { result = [result[0] / step] + result + [result[result.count - 1] * step] }
    return result
  }()

  private func features(_ image: AppearanceImage, _ box: BoundingBox, scale: Double) -> [Float] {
    let pitch = SIMD2(
      box.width * scale / Double(columns * CellFeatures.cellSize),
      box.height * scale / Double(rows * CellFeatures.cellSize))
    return CellFeatures(image, hasColor: hasColor, center: box.center, pitch: pitch, columns: columns, rows: rows)
      .values
  }

  /// Returns the factor by which the box should grow; nil where none answers.
  func estimate(_ image: AppearanceImage, _ box: BoundingBox) -> Double? {
    guard !weights.isEmpty else { return nil }
    let factors = Self.factors
    let answers = factors.map { factor in
      var sum = offset
      let features = features(image, box, scale: factor)
      for index in features.indices { sum += weights[index] * Double(features[index]) }
      return sum
    }
    guard let best = answers.indices.max(by: { answers[$0] < answers[$1] }), answers[best] > 0 else { return nil }
    // An answer of 1 is what was learned; of less the less is to be believed.
    let trust = min(answers[best], 1)
    guard best > 0, best + 1 < answers.count else { return 1 + (factors[best] - 1) * trust }
    // The vertex of the parabola through the highest answer and its neighbours.
    let (a, b, c) = (answers[best - 1], answers[best], answers[best + 1])
    let curvature = a - 2 * b + c
    let shift = curvature < 0 ? min(max((a - c) / (2 * curvature), -0.5), 0.5) : 0
    return 1 + (factors[best] * (1 + shift * (Self.step - 1)) - 1) * trust
  }

  /// Takes on what the box shows.
  /// - Parameter rate: The share of what is new, 0…1; the first time all is.
  mutating func learn(_ image: AppearanceImage, _ box: BoundingBox, rate: Double) {
    guard let (fresh, freshOffset) = Self.fit(Self.factors.map { features(image, box, scale: $0) }) else { return }
    let rate = weights.isEmpty ? 1 : rate
    if weights.isEmpty { weights = [Double](repeating: 0, count: fresh.count) }
    for index in weights.indices { weights[index] += (fresh[index] - weights[index]) * rate }
    offset += (freshOffset - offset) * rate
  }

  /// The ridge regression of a Gaussian over the scales on the samples at these scales; nil where they are all the
  /// same.
  private static func fit(_ samples: [[Float]]) -> (weights: [Double], offset: Double)? {
    let (count, length) = (samples.count, samples[0].count)
    var mean = [Double](repeating: 0, count: length)
    for sample in samples {
      for index in 0..<length { mean[index] += Double(sample[index]) / Double(count) }
    }
    let centered = samples.map { sample in (0..<length).map { Double(sample[$0]) - mean[$0] } }
    var matrix = [Double](repeating: 0, count: count * count)
    var energy = 0.0
    for i in 0..<count {
      for j in 0...i {
        var sum = 0.0
        for index in 0..<length { sum += centered[i][index] * centered[j][index] }
        matrix[i * count + j] = sum
      }
      energy += matrix[i * count + i] / Double(count)
    }
    guard energy > 0 else { return nil }
    for i in 0..<count { matrix[i * count + i] += ridge * energy }
    let answers = (0..<count).map { gaussian(Double($0 - stepsPerSide), sigma: deviation) }
    let level = answers.reduce(0, +) / Double(count)
    guard let factor = NormalEquations(count: count, matrix: matrix).factor() else { return nil }
    let shares = factor.solve(answers.map { $0 - level })
    var weights = [Double](repeating: 0, count: length)
    for i in 0..<count {
      for index in 0..<length { weights[index] += shares[i] * centered[i][index] }
    }
    var offset = level
    for index in 0..<length { offset -= weights[index] * mean[index] }
    return (weights, offset)
  }
}
