/// Statistics of a flow field, or a series of them: how much is known, and how far it moves.
public struct FlowStatistics: Sendable {
  /// Fields added so far.
  public private(set) var fieldCount = 0
  /// Vectors of all fields, known or not.
  public private(set) var vectorCount = 0
  /// Vectors with a component that is NaN.
  public private(set) var unknownCount = 0
  /// The smallest and the largest components, in pixels; nil when no vector is known.
  public private(set) var horizontalRange: ClosedRange<Float>?
  /// The smallest and the largest vertical components, in pixels; nil when no vector is known.
  public private(set) var verticalRange: ClosedRange<Float>?
  /// The length of the longest vector, in pixels; 0 when none is known.
  public private(set) var longest = 0.0
  private var sum = (u: 0.0, v: 0.0, length: 0.0)
  /// The number of vectors of ``movingLength`` and more in each of eight directions: right, down and right, down, down
  /// and left, left, up and left, up, up and right.
  public private(set) var directionCounts = [Int](repeating: 0, count: 8)
  private var lengths = LengthHistogram()

  /// The length from which on a vector counts in ``directionCounts``, in pixels.
  public static let movingLength: Float = 1

  /// Statistics of nothing yet; fields are added one by one.
  public init() {}

  /// Vectors with two numbers.
  public var knownCount: Int { vectorCount - unknownCount }
  /// The number of known vectors of ``movingLength`` and more.
  public var movingCount: Int { directionCounts.reduce(0, +) }
  /// 0…1; NaN before the first field.
  public var unknownShare: Double { Double(unknownCount) / Double(vectorCount) }
  /// The mean of the known vectors, in pixels; nil when none is known.
  public var meanVector: (u: Double, v: Double)? {
    knownCount > 0 ? (sum.u / Double(knownCount), sum.v / Double(knownCount)) : nil
  }
  /// The mean length of the known vectors, in pixels; nil when none is known.
  public var meanLength: Double? { knownCount > 0 ? sum.length / Double(knownCount) : nil }

  /// The length, in pixels, that `share` (0…1) of the known vectors do not exceed, to a thousandth; nil when none is
  /// known.
  public func lengthPercentile(_ share: Double) -> Double? {
    guard knownCount > 0 else { return nil }
    let rank = max(Int((Double(knownCount) * min(max(share, 0), 1)).rounded(.up)), 1)
    return min(lengths.length(atRank: rank) ?? longest, longest)
  }

  /// Adds a field.
  public mutating func add(_ flow: FlowField) {
    fieldCount += 1
    vectorCount += flow.size.area
    flow.u.withView { u in
      flow.v.withView { v in
        for y in 0..<u.height {
          let (uRow, vRow) = (u.row(y), v.row(y))
          for x in 0..<u.width { add(uRow[x], vRow[x]) }
        }
      }
    }
  }

  /// Adds the fields of other statistics.
  public mutating func add(_ other: FlowStatistics) {
    fieldCount += other.fieldCount
    vectorCount += other.vectorCount
    unknownCount += other.unknownCount
    horizontalRange = Self.union(horizontalRange, other.horizontalRange)
    verticalRange = Self.union(verticalRange, other.verticalRange)
    longest = max(longest, other.longest)
    sum = (sum.u + other.sum.u, sum.v + other.sum.v, sum.length + other.sum.length)
    for index in directionCounts.indices { directionCounts[index] += other.directionCounts[index] }
    lengths.add(other.lengths)
  }

  private static func union(_ a: ClosedRange<Float>?, _ b: ClosedRange<Float>?) -> ClosedRange<Float>? {
    guard let a, let b else { return a ?? b }
    return min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
  }

  /// The tangent of 22.5°, half of the angle of a direction.
  private static let halfSector: Float = 0.414_213_56

  /// Returns which of eight directions a vector has.
  private static func direction(_ u: Float, _ v: Float) -> Int {
    let (a, b) = (abs(u), abs(v))
    if b < halfSector * a { return u > 0 ? 0 : 4 }
    if a < halfSector * b { return v > 0 ? 2 : 6 }
    return v > 0 ? (u > 0 ? 1 : 3) : (u > 0 ? 7 : 5)
  }

  private mutating func add(_ u: Float, _ v: Float) {
    guard !u.isNaN, !v.isNaN else {
      unknownCount += 1
      return
    }
    let length = (Double(u) * Double(u) + Double(v) * Double(v)).squareRoot()
    sum = (sum.u + Double(u), sum.v + Double(v), sum.length + length)
    longest = max(longest, length)
    horizontalRange = min(horizontalRange?.lowerBound ?? u, u)...max(horizontalRange?.upperBound ?? u, u)
    verticalRange = min(verticalRange?.lowerBound ?? v, v)...max(verticalRange?.upperBound ?? v, v)
    lengths.add(Float(length))
    if Float(length) >= Self.movingLength { directionCounts[Self.direction(u, v)] += 1 }
  }
}

// Of the bins only those that count something are stored.
extension FlowStatistics: Codable {
  private enum CodingKeys: String, CodingKey {
    case fieldCount, vectorCount, unknownCount, horizontalRange, verticalRange, longest, sum, directionCounts, bins
  }

  /// Reads statistics that were stored.
  /// - Throws: `DecodingError` for what no field makes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    fieldCount = try values.decode(Int.self, forKey: .fieldCount)
    vectorCount = try values.decode(Int.self, forKey: .vectorCount)
    unknownCount = try values.decode(Int.self, forKey: .unknownCount)
    horizontalRange = try values.decodeIfPresent(ClosedRange<Float>.self, forKey: .horizontalRange)
    verticalRange = try values.decodeIfPresent(ClosedRange<Float>.self, forKey: .verticalRange)
    longest = try values.decode(Double.self, forKey: .longest)
    let sum = try values.decode(SIMD3<Double>.self, forKey: .sum)
    self.sum = (sum.x, sum.y, sum.z)
    directionCounts = try values.decode([Int].self, forKey: .directionCounts)
    guard directionCounts.count == 8,
      let lengths = LengthHistogram(counts: try values.decode([Int: Int].self, forKey: .bins))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .bins, in: values, debugDescription: "there is no such bin, or not eight directions")
    }
    self.lengths = lengths
  }

  /// Stores the sums, the extremes and the bins.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(fieldCount, forKey: .fieldCount)
    try values.encode(vectorCount, forKey: .vectorCount)
    try values.encode(unknownCount, forKey: .unknownCount)
    try values.encodeIfPresent(horizontalRange, forKey: .horizontalRange)
    try values.encodeIfPresent(verticalRange, forKey: .verticalRange)
    try values.encode(longest, forKey: .longest)
    try values.encode(SIMD3(sum.u, sum.v, sum.length), forKey: .sum)
    try values.encode(directionCounts, forKey: .directionCounts)
    try values.encode(lengths.counts, forKey: .bins)
  }
}
