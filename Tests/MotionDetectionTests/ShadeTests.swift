import Imaging
import TestSupport
import Testing

@testable import MotionDetection

private let size = PixelSize(width: 320, height: 180)

@Suite struct GainResidualTests {
  private static let grid = CellGrid(size: size)

  /// The residual of a change that comes after 1.6 seconds.
  private static func residual(
    cells: [Int], noise: Float = 1, blur: Float = 1, seed: UInt64,
    _ change: (_ x: Int, _ y: Int, _ value: Float) -> Float
  ) -> GainResidual.Residual? {
    let ground = Texture(seed: seed)
    var random = SplitMix64(seed: seed)
    func image(_ value: (Int, Int, Float) -> Float) -> Plane<Float> {
      Plane(width: size.width, height: size.height) { x, y in
        let grain = noise * (Float.random(in: -1...1, using: &random) + Float.random(in: -1...1, using: &random))
        return value(x, y, 0.5 * ground.value(Double(x), Double(y))) + grain
      }
    }
    var meter = GainResidual(grid: grid)
    for step in 0...3 { meter.append(image { $2 }, blur: blur, seconds: 0.4 * Double(step)) }
    let now = image(change)
    meter.append(now, blur: blur, seconds: 1.6)
    return meter.residual(of: cells, in: now, blur: blur, seconds: 1.6)
  }

  /// The cells of a rectangle of pixels.
  private static func cells(x: Range<Int>, y: Range<Int>) -> [Int] {
    let side = MotionParameters.cellSide
    return (0..<grid.count).filter { x.contains($0 % grid.columns * side) && y.contains($0 / grid.columns * side) }
  }

  /// A shadow that begins within so many pixels.
  private static func shadow(at edge: Float, width: Float) -> (Int, Int, Float) -> Float {
    { x, _, value in value * (1 - 0.5 * min(max((edge - Float(x)) / width, 0), 1)) }
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func aShadowOverATextureLeavesLittle(seed: UInt64) throws {
    let cells = Self.cells(x: 100..<140, y: 40..<140)
    let residual = try #require(Self.residual(cells: cells, seed: seed, Self.shadow(at: 140, width: 30)))
    #expect(residual.shareOfSmall < 0.15)
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func aShadowAtTheBorderLeavesLittle(seed: UInt64) throws {
    let cells = Self.cells(x: 0..<16, y: 0..<16) + Self.cells(x: 304..<320, y: 164..<180)
    let residual = try #require(Self.residual(cells: cells, seed: seed) { $2 * (0.5 + 0.001 * Float($0 + $1)) })
    #expect(residual.shareOfSmall < 0.15)
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func aBodyLeavesMuch(seed: UInt64) throws {
    let coat = Texture(seed: seed + 5)
    let (x, y) = (100..<124, 60..<120)
    let residual = try #require(
      Self.residual(cells: Self.cells(x: x, y: y), seed: seed) { column, row, value in
        x.contains(column) && y.contains(row) ? 0.5 * coat.value(Double(column), Double(row)) : value
      })
    #expect(residual.share > 0.4)
  }

  /// A plain body has edges alone.
  @Test func aPlainBodyLeavesMoreThanAShadow() throws {
    let (x, y) = (100..<124, 60..<120)
    let residual = try #require(
      Self.residual(cells: Self.cells(x: x, y: y), seed: 3) { x.contains($0) && y.contains($1) ? 20 : $2 })
    func isShade(_ residual: GainResidual.Residual, _ width: Float) -> Bool {
      ShadeMap.isShade(residual, width: width, isSlow: true)
    }
    #expect(!isShade(residual, 3))
    let weak = GainResidual.Residual(share: 0.2, shareOfSmall: 0.2)
    #expect(isShade(weak, 3) && isShade(weak, 0) && !isShade(weak, 1.8))
  }

  /// In a camera out of focus a body's edges are wide: the square is as much wider.
  @Test func theSquareGrowsWithTheBlur() throws {
    let cells = Self.cells(x: 100..<140, y: 40..<140)
    let narrow = try #require(Self.residual(cells: cells, seed: 3, Self.shadow(at: 122, width: 8)))
    let wide = try #require(Self.residual(cells: cells, blur: 2.5, seed: 3, Self.shadow(at: 122, width: 8)))
    #expect(wide.share > 1.5 * narrow.share)
  }

  @Test func noiseAloneIsNotMeasured() {
    #expect(Self.residual(cells: Self.cells(x: 100..<140, y: 40..<140), seed: 3) { $2 } == nil)
  }
}

@Suite struct ShadeMapTests {
  struct Passage {
    var isBody = false
    var isNight = false
    var speed: Float = 8
    var width: Float = 6
    var isShade = false
  }

  /// What passes over a texture by two pixels a frame is shade if it darkens it with a wide edge, and seems slow, or
  /// has soft edges at night.
  @Test(arguments: [
    Passage(speed: 2, width: 3, isShade: true), Passage(isBody: true, speed: 2, width: 3), Passage(width: 3), Passage(),
    Passage(isNight: true, isShade: true), Passage(isBody: true, isNight: true), Passage(isNight: true, width: 3),
  ])
  func aSlowGainIsShade(passage: Passage) {
    let (grid, texture) = (CellGrid(size: size), Texture(seed: 3))
    let ground = Plane(width: size.width, height: size.height) { x, y in 0.7 * texture.value(Double(x), Double(y)) }
    let coat = Texture(seed: 8)
    var map = ShadeMap(grid: grid)
    var found: [ShadeMap.Shade?] = []
    for t in 0..<60 {
      let front = 40 + 2 * Float(t)
      let image = Plane(width: size.width, height: size.height) { x, y -> Float in
        let part = front - Float(x)
        if passage.isBody { return (0..<24).contains(part) ? 0.7 * coat.value(Double(x), Double(y)) : ground[x, y] }
        return ground[x, y] * (1 - 0.5 * min(max(part / 24 + 0.5, 0), 1))
      }
      let column = Int(front) / MotionParameters.cellSide
      let component = (15..<25).flatMap { row in
        (column - 2...column + 2).map {
          MotionObservation.MovingCell(cell: row * grid.columns + $0, u: passage.speed, v: 0, age: 5)
        }
      }
      found = map.advance(
        [component], widths: [passage.width], in: image, blur: 1, isNight: passage.isNight, seconds: Double(t) / 25)
    }
    #expect((found[0]?.isShade ?? false) == passage.isShade)
    #expect(found[0].map { $0.isBody == (passage.isBody && passage.isNight) } ?? true)
  }
}

/// Shadows and clouds that drift, and bodies that go the same ways.
@Suite struct CloudTests {
  /// Returns the events of a video of 25 frames a second.
  private static func events(frameCount: Int = 250, _ value: (_ x: Int, _ y: Int, _ t: Int) -> Float) throws
    -> [MotionEvent]
  {
    let detector = try MotionDetector(size: size)
    var ended: [MotionEvent] = []
    func note(_ updates: [MotionDetector.Update]) {
      for case .ended(let event) in updates { ended.append(event) }
    }
    for t in 0..<frameCount {
      let image = Plane(width: size.width, height: size.height) { x, y in value(x, y, t) }
      note(try detector.detect(image, at: MediaTime(value: Int64(t), timeBase: Rational(1, 25))))
    }
    note(detector.finish())
    return ended
  }

  /// How much something that is as wide as it is high covers a pixel, 0…1.
  private static func cover(_ x: Int, _ y: Int, center: SIMD2<Float>, radius: Float, edge: Float) -> Float {
    let way = SIMD2(Float(x), Float(y)) - center
    return min(max((radius - (way * way).sum().squareRoot()) / edge + 0.5, 0), 1)
  }

  /// - Parameters:
  ///   - edge: The width of the edge of what passes, in pixels.
  ///   - value: What it does to the ground.
  private static func eventsOfPassing(
    seed: UInt64, edge: Float, _ value: (_ ground: Float, _ cover: Float) -> Float
  ) throws -> [MotionEvent] {
    let texture = Texture(seed: seed)
    let ground = Plane(width: size.width, height: size.height) { x, y in 0.7 * texture.value(Double(x), Double(y)) }
    return try events { x, y, t in
      let center = SIMD2(1.6 * Float(t) - 60, 90)
      return value(ground[x, y], cover(x, y, center: center, radius: 45, edge: edge))
    }
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func theShadowOfACloudIsNoEvent(seed: UInt64) throws {
    let found = try Self.eventsOfPassing(seed: seed, edge: 24) { $0 * (1 - 0.45 * $1) }
    #expect(found.isEmpty, "\(found.map { ($0.start.frame, $0.end.frame) })")
  }

  @Test(arguments: [3, 4, 5] as [UInt64])
  func aDarkBodyOnItsWayIsAnEvent(seed: UInt64) throws {
    let found = try Self.eventsOfPassing(seed: seed, edge: 1.5) { $0 + (25 - $0) * $1 }
    #expect(
      found.contains { $0.start.frame < 60 && $0.end.frame > 180 }, "\(found.map { ($0.start.frame, $0.end.frame) })")
  }

  /// - Parameters:
  ///   - row: The row of its center.
  ///   - tone: Its grey level.
  ///   - edge: The width of its edge, in pixels.
  private static func eventsOfDrifting(row: Float, tone: Float, edge: Float = 3, seed: UInt64) throws -> [MotionEvent] {
    let texture = Texture(seed: seed)
    let ground = Plane(width: size.width, height: size.height) { x, y in
      y < 80 ? 150 : 30 + 0.3 * texture.value(Double(x), Double(y))
    }
    return try events { x, y, t in
      let center = SIMD2(100 + 0.6 * Float(t), row)
      var part: Float = 0
      for (dx, dy, radius) in [(-14, 2, 12), (0, -3, 16), (15, 3, 11)] as [(Float, Float, Float)] {
        part = max(part, cover(x, y, center: center + SIMD2(dx, dy), radius: radius, edge: edge))
      }
      return ground[x, y] + (tone - ground[x, y]) * part
    }
  }

  @Test(arguments: [3, 4] as [UInt64])
  func aCloudIsNoEvent(seed: UInt64) throws {
    let found = try Self.eventsOfDrifting(row: 36, tone: 235, seed: seed)
    #expect(found.isEmpty, "\(found.map { ($0.start.frame, $0.end.frame) })")
  }

  @Test(arguments: [3, 4] as [UInt64])
  func aDarkBodyInTheSkyIsAnEvent(seed: UInt64) throws {
    #expect(!(try Self.eventsOfDrifting(row: 36, tone: 40, edge: 1.5, seed: seed)).isEmpty)
  }

  /// What is bright as the sky, but on the ground, is none.
  @Test(arguments: [3, 4] as [UInt64])
  func aBrightBodyOnTheGroundIsAnEvent(seed: UInt64) throws {
    #expect(!(try Self.eventsOfDrifting(row: 130, tone: 235, seed: seed)).isEmpty)
  }
}
