import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// A named polygon of the image in which motion counts, or does not.
public struct Zone: Sendable, Hashable, Codable {
  /// The units in which lengths are measured.
  public enum Units: String, Sendable, Hashable, Codable {
    /// Pixels of the full-size image.
    case pixels
    /// Fractions of the image's sides.
    case normalized
  }
  /// The purpose of a zone.
  public enum Mode: String, Sendable, Hashable, Codable {
    /// Motion counts here. Without such a zone it counts everywhere.
    case include
    /// Motion does not count here.
    case exclude
    /// Motion does not count here, and the area is not to be looked at.
    case privacy
  }
  /// The reference that the polygon is fixed to.
  public enum Anchor: String, Sendable, Hashable, Codable {
    /// The frame, whatever it shows.
    case image = "picture"
    /// The scene as the first image, or after a cut the first image of the new scene, shows it there. The zone goes
    /// with the camera's motion, which is summed up from pair to pair and may drift.
    case scene
  }

  /// The name in events; not empty, and no other zone of the set has it.
  public var name: String
  /// The units of the polygon and the areas: pixels of the full-size image, or fractions of its sides. Nil: normalised.
  public var units: Units?
  /// The purpose of the zone; nil: `include`.
  public var mode: Mode?
  /// The corners of the polygon as [x, y].
  public var polygon: [[Double]]
  /// The percentage of the image that must travel here; nil: that of the whole detection.
  public var threshold: Double?
  /// The minimum area of one moving component: square pixels, or a fraction of the image's area; nil: any.
  public var minimumArea: Double?
  /// The maximum area of one moving component, in the unit of ``minimumArea``; nil: any.
  public var maximumArea: Double?
  /// Ranges of directions in degrees, 0 right, 90 down, that count; nil: all. A range may pass 360.
  public var directions: [[Double]]?
  /// The reference that the polygon is fixed to; nil: the image.
  public var anchor: Anchor?

  /// A zone; what is left out is as a zones file without it.
  public init(
    name: String, units: Units? = nil, mode: Mode? = nil, polygon: [[Double]], threshold: Double? = nil,
    minimumArea: Double? = nil, maximumArea: Double? = nil, directions: [[Double]]? = nil, anchor: Anchor? = nil
  ) {
    self.name = name
    self.units = units
    self.mode = mode
    self.polygon = polygon
    self.threshold = threshold
    self.minimumArea = minimumArea
    self.maximumArea = maximumArea
    self.directions = directions
    self.anchor = anchor
  }

  /// The units that are meant.
  public var effectiveUnits: Units { units ?? .normalized }
  /// The mode that is meant.
  public var effectiveMode: Mode { mode ?? .include }

  /// The maximum coordinate, in pixels: beyond it numbers are no positions any more. Chosen by hand.
  static let maximumCoordinate = 1e6
  /// The range of coordinates, in words for messages.
  static let maximumCoordinateText = "-1000000…1000000 pixels"

  /// Checks the polygon, the threshold, the areas and the directions.
  ///
  /// - Throws: ``MotionDetectionError`` `invalidZones`.
  public func validate() throws {
    func fail(_ what: String) -> MotionDetectionError {
      MotionDetectionError(.invalidZones, "zone '\(name)': \(what)")
    }
    guard !name.isEmpty else { throw MotionDetectionError(.invalidZones, "a zone has an empty name") }
    guard polygon.count >= 3 else { throw fail("a polygon has 3 corners or more, not \(polygon.count)") }
    guard polygon.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isFinite) }) else {
      throw fail("each corner is [x, y]")
    }
    if let far = polygon.joined().first(where: { abs($0) > Self.maximumCoordinate }) {
      throw fail("corners are \(Self.maximumCoordinateText), not \(far)")
    }
    if effectiveUnits == .normalized, let outside = polygon.joined().first(where: { !(-0.01...1.01).contains($0) }) {
      throw fail("normalised corners are 0…1, not \(outside); for pixels say \"units\": \"pixels\"")
    }
    if let threshold, !EventParameters.thresholdRange.contains(threshold) {
      throw fail("the threshold is 0…100 percent, not \(threshold)")
    }
    for area in [minimumArea, maximumArea].compactMap(\.self) where !(area >= 0) {
      throw fail("areas are 0 or more, not \(area)")
    }
    if effectiveUnits == .normalized, let area = [minimumArea, maximumArea].compactMap(\.self).first(where: { $0 > 1 })
    {
      throw fail("areas are 0…1 of the image, not \(area); for pixels say \"units\": \"pixels\"")
    }
    if let minimumArea, let maximumArea, minimumArea > maximumArea {
      throw fail("minimumArea \(minimumArea) is more than maximumArea \(maximumArea)")
    }
    guard !isFlat else { throw fail("its corners lie on one line") }
    if let directions, !directions.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isFinite) }) {
      throw fail("each range of directions is [from, to] in degrees")
    }
    if anchor == .scene, effectiveMode == .privacy {
      throw fail("a privacy zone is anchored to the image: what must not be seen cannot depend on a registration")
    }
  }

  /// A Boolean value that tells whether all corners lie on one line.
  private var isFlat: Bool {
    let first = SIMD2(polygon[0][0], polygon[0][1])
    let ways = polygon.map { SIMD2($0[0], $0[1]) - first }
    guard let longest = ways.max(by: { ($0 * $0).sum() < ($1 * $1).sum() }) else { return true }
    let square = (longest * longest).sum()
    return ways.allSatisfy { abs(longest.x * $0.y - longest.y * $0.x) <= 1e-9 * square }
  }

  /// Returns by how many degrees motion misses the directions that count; nil when all count.
  func direction(u: Float, v: Float) -> RuleResult? {
    guard let directions, !directions.isEmpty else { return nil }
    let angle = atan2(Double(v), Double(u)) * 180 / .pi
    let misses = directions.map { range in
      let span = range[1] - range[0]
      if abs(span) >= 360 { return 0.0 }
      let turn = (angle - range[0]).truncatingRemainder(dividingBy: 360)
      let width = span.truncatingRemainder(dividingBy: 360)
      let (past, whole) = (turn < 0 ? turn + 360 : turn, width < 0 ? width + 360 : width)
      return past <= whole ? 0 : min(past - whole, 360 - past)
    }
    return RuleResult(.direction, misses.min() ?? 0, limit: 0)
  }
}

/// The zones and trip lines of a camera.
public struct ZoneSet: Sendable, Hashable {
  /// All zones, in the order of the file.
  public var zones: [Zone]
  /// All trip lines, in the order of the file.
  public var tripLines: [TripLine]

  /// The maximum number of zones: no painted mask has more areas, see ``init(mask:)``.
  public static let maximumZoneCount = 4000
  /// The maximum number of trip lines.
  public static let maximumTripLineCount = 250
  /// The maximum number of the corners of all polygons.
  public static let maximumCornerCount = 100_000

  /// Motion counts everywhere.
  public static let everywhere = ZoneSet(unchecked: [])
  /// The name of the image as a whole where there is no zone to include.
  public static let imageName = "picture"

  private init(unchecked zones: [Zone]) {
    self.zones = zones
    tripLines = []
  }

  /// Zones that have been checked.
  ///
  /// - Throws: ``MotionDetectionError`` `invalidZones`, also for names that occur twice, and for more zones, lines or
  ///   corners than there may be.
  public init(_ zones: [Zone], tripLines: [TripLine] = []) throws {
    try Self.require(zones.count, "zones", atMost: Self.maximumZoneCount)
    try Self.require(tripLines.count, "trip lines", atMost: Self.maximumTripLineCount)
    try Self.require(
      zones.reduce(0) { $0 + $1.polygon.count }, "corners in all zones", atMost: Self.maximumCornerCount)
    for zone in zones { try zone.validate() }
    for line in tripLines { try line.validate() }
    var names: Set<String> = []
    for name in zones.map(\.name) + tripLines.map(\.name) where !names.insert(name).inserted {
      throw MotionDetectionError(.invalidZones, "two zones or lines are called '\(name)'")
    }
    self.zones = zones
    self.tripLines = tripLines
  }

  private static func require(_ count: Int, _ what: String, atMost limit: Int) throws {
    guard count <= limit else {
      throw MotionDetectionError(.invalidZones, "\(count) \(what) are too many; \(limit) is the most")
    }
  }

  private struct File: Codable {
    var zones: [Zone]?
    var tripLines: [TripLine]?
  }

  /// The fields of a zones file with their allowed values, for messages.
  private static let fields: JSONOutline.Fields = {
    let units = JSONOutline.Fields.Field("units", "\"normalized\", \"pixels\"")
    let zone = JSONOutline.Fields([
      .init("name", "a text"), units, .init("mode", "\"include\", \"exclude\", \"privacy\""),
      .init("polygon", "a list of three or more corners [x, y]"), .init("threshold", "0…100, percent of the image"),
      .init("minimumArea", "a number, square pixels or a fraction of the image's area"),
      .init("maximumArea", "a number, square pixels or a fraction of the image's area"),
      .init("directions", "a list of ranges [from, to] in degrees"), .init("anchor", "\"picture\", \"scene\""),
    ])
    let line = JSONOutline.Fields([
      .init("name", "a text"), .init("from", "a point [x, y]"), .init("to", "a point [x, y]"), units,
      .init("direction", "\"both\", \"left-to-right\", \"right-to-left\""),
    ])
    return JSONOutline.Fields([.init("zones", "a list of zones", zone), .init("tripLines", "a list of lines", line)])
  }()

  /// Reads a zones file: `{"zones": [{"name": …, "polygon": [[x, y], …]}], "tripLines": [{"name": …, "from": [x, y],
  /// "to": [x, y]}]}`, one of the two or both.
  /// - Throws: ``MotionDetectionError`` `invalidZones` that names the line, the key, its value and what is allowed.
  public init(json: Data) throws {
    let outline: JSONOutline
    let file: File
    do {
      outline = try JSONOutline(json)
      try outline.requireKeys(Self.fields)
      do {
        file = try JSONDecoder().decode(File.self, from: json)
      } catch let error as DecodingError {
        throw outline.fault(error, Self.fields)
      }
    } catch let fault as JSONOutline.Fault {
      throw MotionDetectionError(.invalidZones, "the zones cannot be read: \(fault)")
    }
    guard file.zones != nil || file.tripLines != nil else {
      throw MotionDetectionError(.invalidZones, "the file has neither a field \"zones\" nor \"tripLines\"")
    }
    let checks =
      (file.zones ?? []).enumerated().map { ("zones", $0.offset, $0.element.validate) }
      + (file.tripLines ?? []).enumerated().map { ("tripLines", $0.offset, $0.element.validate) }
    for (key, index, validate) in checks {
      do { try validate() } catch let error as MotionDetectionError {
        let line = outline.line(of: key, index).map { "line \($0): " } ?? ""
        throw MotionDetectionError(error.code, line + error.message)
      }
    }
    try self.init(file.zones ?? [], tripLines: file.tripLines ?? [])
  }

  /// The zones in which motion counts.
  public var included: [Zone] { zones.filter { $0.effectiveMode == .include } }

  /// The names under which motion is measured, in order: the zones', then the trip lines'. With trip lines alone the
  /// rest of the image does not count.
  public var measuredNames: [String] {
    let names = included.map(\.name) + tripLines.map(\.name)
    return names.isEmpty ? [Self.imageName] : names
  }

  /// Returns the score that each of ``measuredNames`` must reach for an event, in percent of the image.
  func thresholds(_ parameters: EventParameters) -> [Double] {
    guard !(included.isEmpty && tripLines.isEmpty) else { return [parameters.threshold] }
    return included.map { $0.threshold ?? parameters.threshold } + tripLines.map { _ in Self.crossingThreshold }
  }

  /// The threshold of a line, in percent of the image: whatever crosses it makes an event.
  private static let crossingThreshold = 1e-6
}
