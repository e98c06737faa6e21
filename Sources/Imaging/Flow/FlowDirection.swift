#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The direction of most of a field's motion.
public struct FlowDirection: Sendable, Hashable, Codable {
  /// The component to the right of the mean vector of what goes there, times its share of the motion, in pixels.
  public let x: Double
  /// The component downwards of that vector, in pixels.
  public let y: Double
  /// The share of the motion, as length of vectors, that goes there, 0…1.
  public let share: Double
  /// The angle in degrees: 0 to the right, 90 down, −180…180.
  public var degrees: Double { atan2(y, x) * 180 / .pi }

  /// The number of sectors, 11.25° each; the direction is that of the three neighbours with the most motion.
  private static let sectorCount = 32
  /// The tangents of 11.25°, 22.5° and 33.75°.
  private static let tangents: [Float] = [0.198_912_37, 0.414_213_56, 0.668_178_64]

  /// Finds the direction of a field; nil when nothing moves.
  ///
  /// - Parameter minimumLength: Shorter vectors, in pixels, do not count.
  init?(of flow: FlowField, minimumLength: Float) {
    var sectors = [(u: Double, v: Double, length: Double)](repeating: (0, 0, 0), count: Self.sectorCount)
    var total = 0.0
    flow.u.withView { uView in
      flow.v.withView { vView in
        for y in 0..<uView.height {
          let (uRow, vRow) = (uView.row(y), vView.row(y))
          for x in 0..<uView.width {
            let (u, v) = (uRow[x], vRow[x])
            let length = (u * u + v * v).squareRoot()
            // Also false for NaN.
            guard length >= minimumLength, length > 0 else { continue }
            let sector = Self.sector(u, v)
            sectors[sector].u += Double(u)
            sectors[sector].v += Double(v)
            sectors[sector].length += Double(length)
            total += Double(length)
          }
        }
      }
    }
    guard total > 0 else { return nil }
    func three(_ middle: Int) -> (u: Double, v: Double, length: Double) {
      [middle + Self.sectorCount - 1, middle, middle + 1].reduce((0, 0, 0)) { sum, index in
        let one = sectors[index % Self.sectorCount]
        return (sum.0 + one.u, sum.1 + one.v, sum.2 + one.length)
      }
    }
    var best = three(0)
    for middle in 1..<Self.sectorCount where three(middle).length > best.length { best = three(middle) }
    let count = Double(flow.size.area)
    x = best.u / count
    y = best.v / count
    share = best.length / total
  }

  /// Returns the sector that a vector points to, counted from the right, clockwise on the screen.
  private static func sector(_ u: Float, _ v: Float) -> Int {
    let (a, b) = (abs(u), abs(v))
    let ratio = min(a, b) / max(a, b)
    let within = tangents.reduce(0) { $0 + (ratio >= $1 ? 1 : 0) }
    let inQuadrant = b <= a ? within : 7 - within
    return switch (u >= 0, v >= 0) {
    case (true, true): inQuadrant
    case (false, true): 15 - inQuadrant
    case (false, false): 16 + inQuadrant
    case (true, false): 31 - inQuadrant
    }
  }
}

extension FlowField {
  /// Returns the direction of most of the motion; nil when nothing moves.
  ///
  /// - Parameter minimumLength: Shorter vectors, in pixels, do not count.
  public func dominantDirection(minimumLength: Float = 0.1) -> FlowDirection? {
    FlowDirection(of: self, minimumLength: minimumLength)
  }

  /// The statistics of this field: how much is known and how far it moves.
  public var statistics: FlowStatistics {
    var statistics = FlowStatistics()
    statistics.add(self)
    return statistics
  }
}
