// A line of a file of statistics: what it may hold.

import Imaging
import MotionDetection

/// Reads the statistics of a frame from a line, which may hold anything.
enum StatisticsLine {
  /// The range of ages and lags, in frames: up to a year at 30 frames a second.
  static let ageRange = 0...1_000_000_000
  /// The range of coordinates and sides of boxes, in pixels: twice what an image may have.
  static let boxRange = -(1 << 31)...1 << 31

  /// Returns the statistics that a line holds.
  /// - Throws: `MotionDetectionError` `invalidStatistics` that says which column is at fault.
  static func frame(_ line: Substring, zoneCount: Int, tripLines: [TripLine]) throws -> FrameStatistics {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    let zoneColumns = DetectionStatistics.zoneColumns.count
    let count = 7 + zoneCount * zoneColumns + (tripLines.isEmpty ? 0 : 1)
    guard fields.count == count else { throw fault("\(fields.count) fields, not \(count)") }
    let number = try whole(fields[0], "frame", in: FrameNumbers.range)
    guard let state = FrameState(rawValue: String(fields[4])) else { throw fault("state is none that is known") }
    let light = try finite(fields[5], "light")
    guard let isSettling = ["0": false, "1": true][fields[6]] else { throw fault("settling is neither 0 nor 1") }
    let zones = try (0..<zoneCount).map { index in
      let start = 7 + index * zoneColumns
      return try zone(Array(fields[start..<start + zoneColumns]), number: index + 1)
    }
    let crossings = try tripLines.isEmpty ? [] : crossings(fields[count - 1], tripLines)
    return FrameStatistics(
      frame: number, time: try time(fields[2], fields[3]), state: state, lightShare: light, isSettling: isSettling,
      zones: zones, crossings: crossings)
  }

  private static func fault(_ text: String) -> MotionDetectionError { MotionDetectionError(.invalidStatistics, text) }

  private static func whole(_ field: Substring, _ column: String, in range: ClosedRange<Int>) throws -> Int {
    guard let value = Int(field) else { throw fault("\(column) is no whole number") }
    guard range.contains(value) else {
      throw fault("\(column) is \(value), not \(range.lowerBound)…\(range.upperBound)")
    }
    return value
  }

  private static func finite(_ field: Substring, _ column: String) throws -> Double {
    guard let value = Double(field), value.isFinite else { throw fault("\(column) is no finite number") }
    return value
  }

  private static func time(_ ticks: Substring, _ timeBase: Substring) throws -> MediaTime {
    guard let value = Int64(ticks) else { throw fault("ticks is no whole number") }
    let base = timeBase.split(separator: "/").compactMap { Int32($0) }
    guard base.count == 2, base[0] > 0, base[1] > 0 else { throw fault("timebase is no positive fraction") }
    return MediaTime(value: value, timeBase: Rational(base[0], base[1]))
  }

  private static func crossings(_ field: Substring, _ tripLines: [TripLine]) throws -> [LineCrossing] {
    try field.split(separator: ";").map { item in
      let parts = item.split(separator: ":")
      guard parts.count == 2, let number = Int(parts[0]), (1...tripLines.count).contains(number),
        let direction = LineCrossing.Direction(rawValue: String(parts[1]))
      else { throw fault("crossings are damaged") }
      return LineCrossing(line: tripLines[number - 1].name, direction: direction)
    }
  }

  private static func zone(_ fields: [Substring], number: Int) throws -> ZoneMotion {
    let columns = DetectionStatistics.zoneColumns.map { "\($0)\(number)" }
    func finite(_ index: Int) throws -> Double { try self.finite(fields[index], columns[index]) }
    func count(_ index: Int) throws -> Int { try whole(fields[index], columns[index], in: ageRange) }
    var zone = ZoneMotion(
      score: try finite(0), moving: try finite(1), age: try count(8), lag: try count(9), u: try finite(10),
      v: try finite(11), boxes: try boxes(fields[12], columns[12]))
    (zone.present, zone.alive, zone.stopped) = (try finite(2), try finite(3), try finite(4))
    (zone.dynamicBackgroundShare, zone.undecided, zone.insects) = (try finite(5), try finite(6), try finite(7))
    return zone
  }

  private static func boxes(_ field: Substring, _ column: String) throws -> [MotionBox] {
    try field.split(separator: ";").map { text in
      let sides = try text.split(separator: " ").map { try whole($0, column, in: boxRange) }
      guard sides.count == 4 else { throw fault("\(column) has \(sides.count) numbers for a box, not 4") }
      return MotionBox(x: sides[0], y: sides[1], width: sides[2], height: sides[3])
    }
  }
}
