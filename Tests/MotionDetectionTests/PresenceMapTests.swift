import Imaging
import Testing

@testable import MotionDetection

/// Who came is present while they show signs of life; what they leave behind, and a written clock there, shows none.
@Suite struct PresenceMapTests {
  private static let size = PixelSize(width: 320, height: 180)
  private static let grid = CellGrid(size: size)
  /// The time from one average to the next, in seconds.
  private static let interval = 0.32
  /// The columns and rows of the body, of what stays behind and of the clock, in pixels.
  private static let body = (x: 100..<132, y: 40..<120)
  private static let rest = (x: 96..<140, y: 120..<136)
  private static let clock = (x: 120..<136, y: 124..<132)

  /// A ground with texture, and on it a body, a rest and a clock, each if there is one.
  /// - Parameters:
  ///   - bodyShift: How far the body's texture is shifted; nil: no body.
  ///   - digit: What the clock shows; nil: no clock.
  private static func image(bodyShift: Int?, hasRest: Bool, digit: Int?) -> Plane<Float> {
    Plane(size: size) { (target: MutablePlaneView<Float>) in
      for y in 0..<size.height {
        for x in 0..<size.width {
          var value = Float(90 + (x / 5 * 37 + y / 5 * 61) % 40)
          if hasRest, rest.x.contains(x), rest.y.contains(y) { value += Float(20 + (x / 3 + y / 3) % 2 * 30) }
          if let bodyShift, body.x.contains(x), body.y.contains(y) {
            value = Float(170 + ((x + bodyShift) / 4 * 53 + y / 4 * 29) % 50)
          }
          if let digit, clock.x.contains(x), clock.y.contains(y) {
            value = (x / 2 * 7 + y / 2 * 5 + digit * 3) % 4 < 2 ? 250 : 20
          }
          target.row(y)[x] = value
        }
      }
    }
  }

  /// Somebody arrives after 20 seconds, moves a little, and leaves after 30.
  /// - Returns: The time at which somebody was last present, in seconds; nil: never.
  private static func lastPresence(hasLife: Bool = true, leavesRest: Bool, hasClock: Bool) -> Double? {
    var (map, last) = (PresenceMap(grid: grid), nil as Double?)
    for index in 0..<220 {
      let seconds = Double(index) * interval
      let isThere = (20..<30).contains(seconds)
      let image = image(
        bodyShift: isThere ? (hasLife ? index % 2 * 3 : 0) : nil, hasRest: leavesRest && seconds >= 20,
        digit: hasClock ? Int(seconds) : nil)
      if (19.5..<21).contains(seconds) || (29.5..<30.5).contains(seconds) { map.note(movingCells, seconds: seconds) }
      map.advance(image, isDynamic: [Bool](repeating: false, count: grid.count), seconds: seconds)
      if map.isPresent.contains(true) { last = seconds }
    }
    return last
  }

  private static let movingCells = grid.cells(x: body.x, y: body.y.lowerBound..<rest.y.upperBound).map {
    MotionObservation.MovingCell(cell: $0, u: 2, v: 0, age: 10)
  }

  /// They leave until 30.5 s; a written clock that they covered counts as theirs for 2.5 s more.
  @Test(arguments: [(false, 31), (true, 33)])
  func whoStandsIsPresentUntilTheyLeave(hasClock: Bool, end: Double) throws {
    let last = try #require(Self.lastPresence(leavesRest: false, hasClock: hasClock))
    #expect((29.5...end).contains(last), "\(last) s")
  }

  /// A written clock that lies in what was left behind goes on, and is nobody.
  @Test(arguments: [false, true])
  func whatStaysBehindBecomesBackground(hasClock: Bool) throws {
    let last = try #require(Self.lastPresence(leavesRest: true, hasClock: hasClock))
    #expect((29.5...44).contains(last), "\(last) s")
  }

  @Test func theBackgroundIsSeenWhereNobodyIs() {
    var map = PresenceMap(grid: Self.grid)
    let empty = Self.image(bodyShift: nil, hasRest: false, digit: nil)
    let visited = Self.image(bodyShift: 0, hasRest: false, digit: nil)
    func share(_ image: Plane<Float>, noise: Float = 4) -> Double {
      let cells = Self.grid.cells(x: Self.body.x, y: Self.body.y)
      let seen = image.withView { image in cells.count { map.contrast(of: $0, in: image, noise: noise) <= 1 } }
      return Double(seen) / Double(cells.count)
    }
    #expect(share(empty) == 0, "nothing is known")
    for index in 0..<30 {
      map.advance(
        empty, isDynamic: [Bool](repeating: false, count: Self.grid.count), seconds: Double(index) * Self.interval)
    }
    #expect(share(empty) == 1)
    #expect(share(visited) == 0)
    var brighter = empty
    brighter.withMutableView { image in
      for y in 0..<image.height { for x in 0..<image.width { image.row(y)[x] += 6 } }
    }
    #expect(share(brighter) == 0, "light is not told from what came")
    #expect(share(brighter, noise: 20) == 1)
  }

  @Test func whoShowsNoLifeIsOverAfterAWhile() throws {
    let last = try #require(Self.lastPresence(hasLife: false, leavesRest: false, hasClock: false))
    #expect(last < 33, "\(last) s")
  }
}

extension CellGrid {
  /// Returns the cells whose centres lie in some columns and rows.
  fileprivate func cells(x: Range<Int>, y: Range<Int>) -> [Int] {
    (0..<count).filter { x.contains(Int(center($0).x)) && y.contains(Int(center($0).y)) }
  }
}
