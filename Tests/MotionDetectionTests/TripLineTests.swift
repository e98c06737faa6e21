import Foundation
import Imaging
import MotionDetection
import Testing

@Suite struct TripLineTests {
  /// Analysed at 160×80: cells of 4 pixels, 40 columns; the full image is four times as large.
  private static let grid = CellGrid(size: PixelSize(width: 160, height: 80))
  private static let fullSize = PixelSize(width: 640, height: 320)
  /// A line from the lower edge up the middle.
  private static let gate = TripLine(name: "gate", from: [0.5, 1], to: [0.5, 0])

  /// Returns a component of 2×2 cells with its upper left one at (column, row) that has come by (u, v)·age pixels.
  private static func component(
    _ column: Int, _ row: Int, _ u: Float, _ v: Float, age: Int = 10
  ) -> [MotionObservation.MovingCell] {
    [(0, 0), (1, 0), (0, 1), (1, 1)].map { x, y in
      .init(cell: (row + y) * 40 + column + x, u: u, v: v, age: age)
    }
  }

  private static func observation(_ movingCells: [MotionObservation.MovingCell]) -> MotionObservation {
    MotionObservation(
      grid: grid, motionMask: [Bool](repeating: false, count: grid.count), movingCells: movingCells, lightShare: 0,
      unrelatedShare: 0)
  }

  private static func meter(_ lines: [TripLine], zones: [Zone] = []) throws -> LineCrossingCounter {
    LineCrossingCounter(zones: try ZoneSet(zones, tripLines: lines), grid: grid, size: fullSize)
  }

  /// Returns what crosses when a component walks from column to column, a frame each 0.04 s.
  private static func walk(
    _ columns: [Int], _ line: TripLine = gate, row: Int = 8, zones: [Zone] = []
  ) throws -> [LineCrossing.Direction] {
    var meter = try meter([line], zones: zones)
    let step: Float = columns.count > 1 && columns[1] < columns[0] ? -2 : 2
    return columns.enumerated().flatMap { index, column in
      meter.measure(observation(component(column, row, step, 0)), seconds: Double(index) * 0.04).crossings.map(
        \.direction)
    }
  }

  @Test func leftAndRightAreThoseOfOneWhoLooksAlongTheLine() throws {
    let (right, left) = (Array(10...30), Array((10...30).reversed()))
    #expect(try Self.walk(right) == [.leftToRight])
    #expect(try Self.walk(left) == [.rightToLeft])
    let back = TripLine(name: "gate", from: [320, 0], to: [320, 320], units: .pixels)
    #expect(try Self.walk(right, back) == [.rightToLeft])
  }

  @Test func onlyTheDirectionsThatAreAskedForCount() throws {
    var line = Self.gate
    line.direction = .rightToLeft
    #expect(try Self.walk(Array(10...30), line).isEmpty)
    #expect(try Self.walk(Array((10...30).reversed()), line) == [.rightToLeft])
  }

  @Test func aLineEndsAtItsEnds() throws {
    #expect(try Self.walk(Array(10...30), TripLine(name: "low", from: [0.5, 1], to: [0.5, 0.7])).isEmpty)
  }

  @Test func whatIsExcludedCrossesNothing() throws {
    let zone = Zone(name: "tree", mode: .exclude, polygon: [[0.4, 0], [1, 0], [1, 1], [0.4, 1]])
    #expect(try Self.walk(Array(10...30), zones: [zone]).isEmpty)
  }

  @Test func componentsFarApartOnTheLineOrInTimeAreCountedEach() throws {
    var meter = try Self.meter([Self.gate])
    let both = Self.component(20, 3, 2, 0) + Self.component(20, 14, 2, 0)
    #expect(meter.measure(Self.observation(both), seconds: 0).crossings.count == 2)
    #expect(meter.measure(Self.observation(both), seconds: 0.5).crossings.isEmpty)
    #expect(meter.measure(Self.observation(both), seconds: 1.2).crossings.count == 2)
  }

  /// Returns a component of so many cells with its upper left one at (column, row) that has come by (u, v)·age pixels.
  private static func large(
    _ column: Int, _ row: Int, _ width: Int, _ height: Int, _ u: Float, _ v: Float, age: Int = 10
  ) -> [MotionObservation.MovingCell] {
    (0..<width * height).map { index in
      .init(cell: (row + index / width) * 40 + column + index % width, u: u, v: v, age: age)
    }
  }

  @Test func whatSlidesAlongTheLineIsNotCounted() throws {
    // Six cells wide on the line, and 0.3 pixels a frame to the right for two seconds: 15 of its 24 pixels would be
    // enough.
    var meter = try Self.meter([Self.gate])
    var crossings: [LineCrossing] = []
    for step in 0..<45 {
      let component = Self.large(17, 1 + step / 4, 6, 4, 0.3, 1, age: 25)
      crossings += meter.measure(Self.observation(component), seconds: Double(step) * 0.04).crossings
    }
    #expect(crossings.isEmpty)
  }

  @Test func whatIsLongIsCountedOnceWhenAGoodPartIsAcross() throws {
    // Ten cells long, 2 pixels a frame: 24 of its 40 pixels are across after 12 frames; ways are 20 pixels long.
    var meter = try Self.meter([Self.gate])
    var counted: [Int] = []
    for step in 0..<40 {
      let component = Self.large(8 + step / 2, 6, 10, 3, 2, 0)
      let (motions, crossings) = meter.measure(Self.observation(component), seconds: Double(step) * 0.04)
      counted += crossings.map { _ in step }
      #expect(motions[0].score > 0 || counted.isEmpty || step > counted[0] + 20)
    }
    #expect(counted.count == 1)
    // Its front is at the line, 20 cells from the left, in frame 4.
    #expect((8...20).contains(try #require(counted.first)), "\(counted)")
  }

  @Test func whatLeansOverTheLineAndComesBackIsNotCounted() throws {
    var meter = try Self.meter([Self.gate])
    var crossings: [LineCrossing] = []
    // Eight cells wide: 10 pixels over the line in two seconds, then back.
    for step in 0..<100 {
      let isBack = step >= 50
      let across = (isBack ? 100 - step : step) / 20
      let component = Self.large(12 + across, 6, 8, 4, isBack ? -0.2 : 0.2, 0, age: 25)
      crossings += meter.measure(Self.observation(component), seconds: Double(step) * 0.04).crossings
    }
    #expect(crossings.isEmpty)
  }

  @Test func whatTravelsBesideTheLineOrStopsOnItDoesNotCross() throws {
    var meter = try Self.meter([Self.gate])
    for step in 0..<10 {
      let beside = Self.component(21, 2 + step, 0.1, 2) + Self.component(17, 2 + step, -0.1, 2)
      let (motions, crossings) = meter.measure(Self.observation(beside), seconds: Double(step) * 0.04)
      #expect(crossings.isEmpty && motions == [.none])
    }
  }

  @Test(arguments: [
    #"{"tripLines": [{"name": "a", "from": [0, 0], "to": [0, 0]}]}"#,
    #"{"tripLines": [{"name": "a", "from": [0, 0], "to": [2, 0]}]}"#,
    #"{"tripLines": [{"name": "a", "from": [0], "to": [1, 0]}]}"#,
    #"{"tripLines": [{"name": "", "from": [0, 1], "to": [1, 0]}]}"#,
    #"{"tripLines": [{"name": "a", "from": [0, 1], "to": [1, 0], "direction": "up"}]}"#,
    #"{"zones": [{"name": "a", "polygon": [[0, 0], [1, 0], [1, 1]]}], "#
      + #""tripLines": [{"name": "a", "from": [0, 1], "to": [1, 0]}]}"#,
  ])
  func wrongLinesAreRefused(text: String) {
    #expect(throws: MotionDetectionError.self) { try ZoneSet(json: Data(text.utf8)) }
  }

  @Test func linesAreMeasuredAfterTheZones() throws {
    let text =
      #"{"zones": [{"name": "z", "polygon": [[0, 0], [1, 0], [1, 1]]}], "#
      + #""tripLines": [{"name": "a", "from": [0, 1], "to": [1, 0]}]}"#
    #expect(try ZoneSet(json: Data(text.utf8)).measuredNames == ["z", "a"])
    #expect(try ZoneSet([], tripLines: [Self.gate]).measuredNames == ["gate"])
  }
}
