import Imaging
import MotionDetection
import Testing

@Suite struct MaskZoneTests {
  private static let grid = CellGrid(size: PixelSize(width: 160, height: 80))
  /// Half as large as the analysed image.
  private static func mask(_ isWhite: (Int, Int) -> Bool) -> Plane<Float> {
    Plane<Float>(width: 80, height: 40) { x, y in isWhite(x, y) ? 250 : 20 }
  }

  /// The cells in which motion counts, zone by zone.
  private static func cells(_ zones: ZoneSet) -> [[Int]] {
    let meter = ZoneMeter(zones: zones, grid: grid, size: PixelSize(width: 640, height: 320))
    var found = [[Int]](repeating: [], count: zones.zones.count)
    for cell in 0..<grid.count {
      let movingCell = MotionObservation.MovingCell(cell: cell, u: 1, v: 0, age: 5)
      let observation = MotionObservation(
        grid: grid, motionMask: [Bool](repeating: false, count: grid.count), movingCells: [movingCell], lightShare: 0,
        unrelatedShare: 0)
      for (index, motion) in meter.measure(observation).enumerated() where motion.score > 0 {
        found[index].append(cell)
      }
    }
    return found
  }

  /// The cells whose middle is white: a cell is two pixels of the mask wide.
  private static func white(_ isWhite: (Int, Int) -> Bool) -> [Int] {
    (0..<grid.count).filter { isWhite(2 * ($0 % 40) + 1, 2 * ($0 / 40) + 1) && isWhite(2 * ($0 % 40), 2 * ($0 / 40)) }
  }

  @Test func eachWhiteAreaIsAZoneOfItsShape() throws {
    let upper: (Int, Int) -> Bool = { x, y in (10..<30).contains(x) && (4..<16).contains(y) }
    // A ring with an island in its hole.
    let ring: (Int, Int) -> Bool = { x, y in
      (40..<76).contains(x) && (6..<36).contains(y) && !((46..<70).contains(x) && (12..<30).contains(y))
    }
    let island: (Int, Int) -> Bool = { x, y in (54..<62).contains(x) && (18..<24).contains(y) }
    let zones = try ZoneSet(mask: Self.mask { upper($0, $1) || ring($0, $1) || island($0, $1) })
    #expect(zones.measuredNames == ["mask 1", "mask 2", "mask 3"])
    #expect(Self.cells(zones) == [Self.white(upper), Self.white(ring), Self.white(island)])
  }

  @Test func specksAreNoZones() throws {
    let mask = Plane<Float>(width: 320, height: 160) { x, y in
      x < 3 && y < 3 || x > 200 && y < 80 ? 255 : 0
    }
    #expect(try ZoneSet(mask: mask).measuredNames == ["mask"])
  }

  @Test func aBlackMaskIsRefused() {
    #expect(throws: MotionDetectionError.self) { try ZoneSet(mask: Self.mask { _, _ in false }) }
  }
}
