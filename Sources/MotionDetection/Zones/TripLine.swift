import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// A directed line of the image whose crossings are counted.
///
/// Left and right are those of someone who stands at `from` and looks to `to`, with the image before them on the floor.
/// The left side of a line from the lower to the upper edge is the left half of the image; that of a line from left to
/// right is above it.
public struct TripLine: Sendable, Hashable, Codable {
  /// The crossings that count.
  public enum Direction: String, Sendable, Hashable, Codable {
    /// Crossings in both directions count.
    case both
    /// Crossings that end on the right count.
    case leftToRight = "left-to-right"
    /// Crossings that end on the left count.
    case rightToLeft = "right-to-left"
  }

  /// The name in events; not empty, and no zone or other line of the set has it.
  public var name: String
  /// The end at which one stands who looks along the line, as [x, y].
  public var from: [Double]
  /// The end that one who stands at ``from`` looks to, as [x, y].
  public var to: [Double]
  /// The units of the ends: pixels of the full-size image, or fractions of its sides. Nil: normalised.
  public var units: Zone.Units?
  /// The direction in which a crossing counts. Nil: both.
  public var direction: Direction?

  /// A line that is not checked yet: see ``validate()``.
  public init(
    name: String, from: [Double], to: [Double], units: Zone.Units? = nil, direction: Direction? = nil
  ) {
    self.name = name
    self.from = from
    self.to = to
    self.units = units
    self.direction = direction
  }

  /// ``units``, or what stands for nil.
  public var effectiveUnits: Zone.Units { units ?? .normalized }

  /// Returns whether a crossing in a direction counts.
  func counts(_ crossing: LineCrossing.Direction) -> Bool {
    switch direction ?? .both {
    case .both: true
    case .leftToRight: crossing == .leftToRight
    case .rightToLeft: crossing == .rightToLeft
    }
  }

  /// The distance of ends, in the units of the line, below which they are one point; chosen by hand.
  private static let minimumLength = 1e-6

  /// Checks the name and the ends.
  /// - Throws: ``MotionDetectionError`` `invalidZones`.
  public func validate() throws {
    func fail(_ what: String) -> MotionDetectionError {
      MotionDetectionError(.invalidZones, "trip line '\(name)': \(what)")
    }
    guard !name.isEmpty else { throw MotionDetectionError(.invalidZones, "a trip line has an empty name") }
    guard [from, to].allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isFinite) }) else {
      throw fail("each end is [x, y]")
    }
    let way = SIMD2(to[0] - from[0], to[1] - from[1])
    guard max(abs(way.x), abs(way.y)) >= Self.minimumLength else { throw fail("its ends are one point") }
    if let far = (from + to).first(where: { abs($0) > Zone.maximumCoordinate }) {
      throw fail("ends are \(Zone.maximumCoordinateText), not \(far)")
    }
    if effectiveUnits == .normalized, let outside = (from + to).first(where: { !(-0.01...1.01).contains($0) }) {
      throw fail("normalised ends are 0…1, not \(outside); for pixels say \"units\": \"pixels\"")
    }
  }
}

/// A crossing of a trip line.
public struct LineCrossing: Sendable, Hashable, Codable {
  /// The direction of a crossing, see ``TripLine``.
  public enum Direction: String, Sendable, Hashable, CaseIterable, Codable {
    /// The crossing ended on the right.
    case leftToRight = "left-to-right"
    /// The crossing ended on the left.
    case rightToLeft = "right-to-left"
  }

  /// The line's name.
  public var line: String
  /// The direction of the crossing.
  public var direction: Direction

  /// A crossing of a line by its name.
  public init(line: String, direction: Direction) {
    self.line = line
    self.direction = direction
  }
}
