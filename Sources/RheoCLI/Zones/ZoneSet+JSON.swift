import Rheo

extension ZoneSet {
  /// The zones file, as ``ZoneSet/init(json:)`` reads it; fields in a fixed order, those that are nil left out.
  var json: JSONText {
    .object([("zones", .array(zones.map(\.json))), ("tripLines", .array(tripLines.map(\.json)))])
  }

  /// Returns the set with all polygons, ends and areas as fractions of an image.
  /// - Parameter size: The size of the image in pixels, both sides 1 or more.
  /// - Throws: ``MotionDetectionError`` `invalidZones` for what lies outside of the image.
  func normalized(in size: PixelSize) throws -> ZoneSet {
    try ZoneSet(zones.map { $0.normalized(in: size) }, tripLines: tripLines.map { $0.normalized(in: size) })
  }
}

extension Zone {
  fileprivate var json: JSONText {
    let fields: [(String, JSONText?)] = [
      ("name", .string(name)), ("units", units.map { .string($0.rawValue) }),
      ("mode", mode.map { .string($0.rawValue) }), ("polygon", .numbers(polygon)),
      ("threshold", threshold.map(JSONText.number)), ("minimumArea", minimumArea.map(JSONText.number)),
      ("maximumArea", maximumArea.map(JSONText.number)), ("directions", directions.map(JSONText.numbers)),
      ("anchor", anchor.map { .string($0.rawValue) }),
    ]
    return .object(fields.compactMap { name, value in value.map { (name, $0) } })
  }

  fileprivate func normalized(in size: PixelSize) -> Zone {
    guard effectiveUnits == .pixels else { return self }
    var zone = self
    zone.units = nil
    zone.polygon = polygon.map { $0.normalized(in: size) }
    zone.minimumArea = minimumArea.map { $0 / Double(size.area) }
    zone.maximumArea = maximumArea.map { $0 / Double(size.area) }
    return zone
  }
}

extension TripLine {
  fileprivate var json: JSONText {
    let fields: [(String, JSONText?)] = [
      ("name", .string(name)), ("from", .numbers(from)), ("to", .numbers(to)),
      ("units", units.map { .string($0.rawValue) }), ("direction", direction.map { .string($0.rawValue) }),
    ]
    return .object(fields.compactMap { name, value in value.map { (name, $0) } })
  }

  fileprivate func normalized(in size: PixelSize) -> TripLine {
    guard effectiveUnits == .pixels else { return self }
    var line = self
    line.units = nil
    line.from = from.normalized(in: size)
    line.to = to.normalized(in: size)
    return line
  }
}

extension JSONText {
  fileprivate static func numbers(_ lists: [[Double]]) -> JSONText { .array(lists.map(numbers)) }
  fileprivate static func numbers(_ list: [Double]) -> JSONText { .array(list.map(number)) }
}

extension [Double] {
  /// A point [x, y] in pixels as fractions of an image's sides; what lies outside is moved to its edge.
  fileprivate func normalized(in size: PixelSize) -> [Double] {
    zip(self, [size.width, size.height]).map { Swift.min(Swift.max($0 / Double($1), 0), 1) }
  }
}
