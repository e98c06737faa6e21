import TestSupport
import Testing

@testable import MotionDetection
@testable import Rheo

/// The seconds for which cells moved, from frames that the test makes up.
@Suite struct HeatMapTests {
  private static let size = PixelSize(width: 320, height: 180)
  private static let ground = RGBA8(200, 100, 50)

  /// A cell moves in the frames of each list; motion of less than 0.2 s is no event.
  private func map(_ moving: [Int: ClosedRange<Int>], frames: Int = 100) throws -> MotionHeatMap {
    let zones = ZoneSet.everywhere
    var detector = EventDetector(zones: zones, parameters: EventParameters())
    var recorder = HeatMapRecorder(size: Self.size, privacy: nil)
    let image = Plane<RGBA8>(width: Self.size.width, height: Self.size.height) { _, _ in Self.ground }
    let grid = CellGrid(size: Self.size)
    for t in 0..<frames {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      var mask = CellMask(grid: grid)
      for (cell, range) in moving where range.contains(t) { mask.contains[cell] = true }
      let score = mask.contains.contains(true) ? 1.0 : 0
      let statistics = FrameStatistics(
        frame: t, time: time, state: .normal, lightShare: 0,
        zones: [ZoneMotion(score: score, moving: score, age: 0, u: 0, v: 0, boxes: [])])
      let ended = detector.append(statistics)
      recorder.append(
        try VideoFrame(image: image, number: t, presentationTime: time),
        ZoneAnalyzer.Measurement(statistics: statistics, counted: mask), ended: ended, detector)
    }
    recorder.finish(detector.finish())
    return try #require(recorder.map)
  }

  private func seconds(_ map: MotionHeatMap, _ cell: Int) -> Float {
    map.seconds[cell % map.seconds.width, cell / map.seconds.width]
  }

  @Test func secondsOfEventsAreSummedUpForEachCell() throws {
    let map = try map([7: 10...29, 500: 15...24, 900: 60...61])
    #expect(map.seconds.size == PixelSize(width: 80, height: 45) && map.cellSize == SIMD2(4, 4))
    #expect(abs(seconds(map, 7) - 0.8) < 1e-5 && abs(seconds(map, 500) - 0.4) < 1e-5)
    // Too short for an event.
    #expect(seconds(map, 900) == 0 && seconds(map, 8) == 0)
  }

  @Test func anEventThatGoesOnAtTheEndCounts() throws {
    let map = try map([7: 80...99])
    #expect(abs(seconds(map, 7) - 0.8) < 1e-5)
  }

  @Test func coloursStandForSecondsAndTheRestIsGrey() throws {
    let columns = 10..<20
    let cells = Dictionary(uniqueKeysWithValues: columns.map { (20 * 80 + $0, 10...(9 + 8 * ($0 - 9))) })
    let image = try map(cells).image()
    #expect(image.size == Self.size)
    let row = columns.map { image[4 * $0 + 1, 4 * 20 + 2] }
    let lightness = row.map { 0.2126 * Double($0.r) + 0.7152 * Double($0.g) + 0.0722 * Double($0.b) }
    #expect(zip(lightness, lightness.dropFirst()).allSatisfy { $0 < $1 }, "\(lightness)")
    let end = try #require(row.last)
    #expect(end.r > 180 && end.r > end.b, "\(end)")
    let still = image[40, 20]
    #expect(still.r == still.g && still.g == still.b && still.r < 100 && still.r > 30 && still.a == 255)
    // The key: its bar begins dark and ends bright.
    let key = (0..<image.width).map { image[$0, image.height - 30] }
    #expect(key.contains { Int($0.r) - Int($0.b) > 60 })
    #expect(try map(cells).image(longestSide: 160).size == PixelSize(width: 160, height: 90))
  }

  @Test func withoutEventsNothingIsColoured() throws {
    let image = try map([:]).image()
    let isGrey = image.withView { view in
      (0..<100).allSatisfy { y in (0..<view.width).allSatisfy { view.row(y)[$0].r == view.row(y)[$0].b } }
    }
    #expect(isGrey)
  }

  @Test func masksOfOtherSizesAreResampled() {
    let (small, large) = (CellGrid(size: PixelSize(width: 160, height: 90)), CellGrid(size: Self.size))
    var mask = CellMask(grid: small)
    mask.contains[3 * small.columns + 5] = true
    let boxes = mask.resampled(to: large).rectangles(in: Self.size)
    #expect(
      boxes.map(\.y) == [24, 28] && boxes.allSatisfy { $0.x == 40 && $0.width == 8 && $0.height == 4 }, "\(boxes)")
    #expect(mask.rectangles(in: Self.size) == [MotionBox(x: 40, y: 24, width: 8, height: 8)])
  }
}
