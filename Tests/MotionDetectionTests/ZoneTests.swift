import Foundation
import Imaging
import MotionDetection
import Testing

@Suite struct ZoneTests {
  /// Analysed at 64×32: cells of 4 pixels, 16 columns; the full image is ten times as large.
  private static let grid = CellGrid(size: PixelSize(width: 64, height: 32))
  private static let fullSize = PixelSize(width: 640, height: 320)

  /// A component of 2×2 cells at column 4, row 2 that moves right, and one of 1×2 cells at column 12, row 5 that moves
  /// up.
  private static var observation: MotionObservation {
    func movingCell(_ column: Int, _ row: Int, _ u: Float, _ v: Float) -> MotionObservation.MovingCell {
      .init(cell: row * 16 + column, u: u, v: v, age: 5)
    }
    let movingCells = [
      movingCell(4, 2, 1, 0), movingCell(5, 2, 1, 0), movingCell(4, 3, 1, 0), movingCell(5, 3, 1, 0),
      movingCell(12, 5, 0, -2), movingCell(12, 6, 0, -2),
    ]
    var motionMask = [Bool](repeating: false, count: grid.count)
    for movingCell in movingCells { motionMask[movingCell.cell] = true }
    return MotionObservation(
      grid: grid, motionMask: motionMask, movingCells: movingCells, lightShare: 0, unrelatedShare: 0)
  }

  private func measure(_ zones: [Zone]) throws -> [ZoneMotion] {
    ZoneMeter(zones: try ZoneSet(zones), grid: Self.grid, size: Self.fullSize).measure(Self.observation)
  }

  private static let left = [[0.0, 0], [0.5, 0], [0.5, 1], [0, 1]]
  private static let percent = 100.0 / 128

  @Test func withoutZonesTheImageCounts() throws {
    let motion = try #require(try measure([]).first)
    #expect(motion.score == 6 * Self.percent && motion.moving == 6 * Self.percent)
    #expect(
      motion.boxes == [
        MotionBox(x: 160, y: 80, width: 80, height: 80), MotionBox(x: 480, y: 200, width: 40, height: 80),
      ])
    #expect(abs(motion.u - 40.0 / 6) < 1e-6 && abs(motion.v + 40.0 / 6) < 1e-6)
  }

  @Test func aZoneCountsWhatLiesInIt() throws {
    let zones = [
      Zone(name: "a", polygon: Self.left),
      Zone(name: "b", units: .pixels, polygon: [[320, 0], [640, 0], [640, 320], [320, 320]]),
    ]
    #expect(try measure(zones).map(\.score) == [4 * Self.percent, 2 * Self.percent])
  }

  @Test(arguments: [Zone.Mode.exclude, .privacy])
  func excludedAreasDoNotCount(mode: Zone.Mode) throws {
    #expect(try measure([Zone(name: "a", mode: mode, polygon: Self.left)]).map(\.score) == [2 * Self.percent])
    let both = [
      Zone(name: "in", polygon: [[0, 0], [1, 0], [1, 1], [0, 1]]), Zone(name: "out", mode: mode, polygon: Self.left),
    ]
    #expect(try measure(both).map(\.score) == [2 * Self.percent])
  }

  @Test func areasAndDirectionsSelectComponents() throws {
    let all = [[0.0, 0], [1, 0], [1, 1], [0, 1]]
    func score(_ zone: Zone) throws -> Double { try measure([zone])[0].score / Self.percent }
    #expect(try score(Zone(name: "z", polygon: all, minimumArea: 3.0 / 128)) == 4)
    #expect(try score(Zone(name: "z", polygon: all, maximumArea: 3.0 / 128)) == 2)
    #expect(
      try score(Zone(name: "z", units: .pixels, polygon: all.map { [640 * $0[0], 320 * $0[1]] }, minimumArea: 4000))
        == 4)
    #expect(try score(Zone(name: "z", polygon: all, directions: [[-20, 20]])) == 4)
    #expect(try score(Zone(name: "z", polygon: all, directions: [[340, 380]])) == 4)
    #expect(try score(Zone(name: "z", polygon: all, directions: [[260, 280]])) == 2)
    #expect(try score(Zone(name: "z", polygon: all, directions: [[60, 120]])) == 0)
    #expect(try score(Zone(name: "z", polygon: all, directions: [[0, 360]])) == 6)
  }

  @Test func aFileIsRead() throws {
    let text = """
      {"zones": [{"name": "door", "units": "pixels", "polygon": [[1, 2], [30, 2], [30, 40.5]], "threshold": 0.5,
        "directions": [[0, 90]], "anchor": "picture"},
       {"name": "tree", "mode": "exclude", "polygon": [[0,0],[1,0],[1,1]]}]}
      """
    let zones = try ZoneSet(json: Data(text.utf8))
    #expect(zones.zones.map(\.name) == ["door", "tree"] && zones.measuredNames == ["door"])
    #expect(zones.zones[0].threshold == 0.5 && zones.zones[0].effectiveUnits == .pixels)
    #expect(zones.zones[1].effectiveUnits == .normalized && zones.zones[1].effectiveMode == .exclude)
    // Some editors put a mark ahead of the text.
    #expect(try ZoneSet(json: Data([0xEF, 0xBB, 0xBF] + text.utf8)) == zones)
  }

  @Test(arguments: [
    (#"{"zones": [{"polygon": [[0,0],[1,0],[1,1]]}]}"#, "name"),
    (#"{"zones": [{"name": "a", "polygon": [[0,0],[1,0]]}]}"#, "3 corners"),
    (#"{"zones": [{"name": "a", "polygon": [[0,0],[1,0,2],[1,1]]}]}"#, "[x, y]"),
    (#"{"zones": [{"name": "a", "polygon": [[0,0],[100,0],[1,1]]}]}"#, "pixels"),
    (#"{"zones": [{"name": "a", "mode": "watch", "polygon": [[0,0],[1,0],[1,1]]}]}"#, "mode"),
    (#"{"zones": [{"name": "a", "polygon": [[0,0],[1,0],[1,1]], "threshold": 101}]}"#, "threshold"),
    (#"{"zones": [{"name": "a", "polygon": [[0,0],[1,0],[1,1]], "mode": "privacy", "anchor": "scene"}]}"#, "anchored"),
    (
      #"{"zones": [{"name": "a", "polygon": [[0,0],[1,0],[1,1]]}, {"name": "a", "polygon": [[0,0],[1,0],[1,1]]}]}"#,
      "two"
    ),
    (#"{"zones": [], "tripLines": [{"name": "gate", "from": [0,0], "to": [0,0]}]}"#, "gate"),
    (#"{"polygons": []}"#, "zones"), (#"{"zones": "#, "cannot be read"),
  ])
  func wrongFilesAreRefused(text: String, word: String) {
    #expect {
      _ = try ZoneSet(json: Data(text.utf8))
    } throws: { error in
      let error = error as? MotionDetectionError
      return error?.code == .invalidZones && error?.message.contains(word) == true
    }
  }
}
