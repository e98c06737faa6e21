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
  private var bins = [Int](repeating: 0, count: 1 << (32 - Self.droppedBits))

  /// Lengths fall into bins by the upper bits of their 32-bit pattern, which leaves ten bits of the mantissa: a
  /// percentile is right to a thousandth, and a long series needs no more memory than one field.
  private static let droppedBits = 13

  /// Statistics of nothing yet; see ``add(_:)``.
  public init() {}

  /// Vectors with two numbers.
  public var knownCount: Int { vectorCount - unknownCount }
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
    var count = 0
    for (index, bin) in bins.enumerated() {
      count += bin
      guard count >= rank else { continue }
      let (low, high) = (UInt32(index) << Self.droppedBits, UInt32(index + 1) << Self.droppedBits)
      return index == 0 ? 0 : min((Double(Float(bitPattern: low)) + Double(Float(bitPattern: high))) / 2, longest)
    }
    return longest
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
    bins[Int(Float(length).bitPattern >> Self.droppedBits)] += 1
  }
}

// Of the bins only those that count something are stored.
extension FlowStatistics: Codable {
  private enum CodingKeys: String, CodingKey {
    case fieldCount, vectorCount, unknownCount, horizontalRange, verticalRange, longest, sum, bins
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
    for (index, count) in try values.decode([Int: Int].self, forKey: .bins) {
      guard bins.indices.contains(index) else {
        throw DecodingError.dataCorruptedError(forKey: .bins, in: values, debugDescription: "there is no bin \(index)")
      }
      bins[index] = count
    }
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
    let counts = bins.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) }
    try values.encode([Int: Int](uniqueKeysWithValues: counts), forKey: .bins)
  }
}
