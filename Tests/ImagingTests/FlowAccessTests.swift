import Imaging
import TestSupport
import Testing

/// Looking into flow fields.
@Suite struct FlowAccessTests {
  /// u = x, v = 10·y.
  private static let ramp = FlowField(width: 20, height: 10) { (Float($0), 10 * Float($1)) }

  @Test func vectorsBetweenPixelsAreInterpolated() throws {
    let vector = try #require(Self.ramp.vector(at: PixelPoint(x: 3.25, y: 4.5)))
    #expect(abs(vector.u - 3.25) < 1e-5 && abs(vector.v - 45) < 1e-4)
    #expect(try #require(Self.ramp.vector(at: PixelPoint(x: 19, y: 9))) == (19, 90))
    // Half a pixel around the border pixels belongs to the image.
    #expect(try #require(Self.ramp.vector(at: PixelPoint(x: -0.5, y: 0))) == (0, 0))
    for outside in [PixelPoint(x: -0.6, y: 0), PixelPoint(x: 19.6, y: 0), PixelPoint(x: 3, y: .nan)] {
      #expect(Self.ramp.vector(at: outside) == nil)
    }
  }

  @Test func unknownNeighboursDoNotCount() throws {
    var flow = Self.ramp
    flow[4, 4] = (.nan, .nan)
    #expect(flow.vector(at: PixelPoint(x: 4, y: 4)) == nil)
    let vector = try #require(flow.vector(at: PixelPoint(x: 4.5, y: 4)))
    #expect(vector == (5, 40))
  }

  @Test func otherLayoutsHoldTheSameVectors() {
    let flow = Self.ramp
    let pairs = flow.interleaved()
    let halves = flow.interleavedHalf()
    let planes = flow.planarHalf()
    for (x, y) in [(0, 0), (7, 3), (19, 9)] {
      let (u, v) = flow[x, y]
      #expect(pairs[x, y] == SIMD2(u, v))
      #expect(halves[x, y] == SIMD2(Float16(u), Float16(v)))
      #expect(planes.u[x, y] == Float16(u) && planes.v[x, y] == Float16(v))
    }
    flow.withVectors { u, v in
      #expect(u.row(3)[7] == 7 && v.row(3)[7] == 30 && u.size == flow.size)
    }
    #expect(MemoryLayout<SIMD2<Float>>.stride == 8 && MemoryLayout<SIMD2<Float16>>.stride == 4)
  }

  @Test func aImageMovedByItsFlowLooksLikeTheOneBefore() {
    let texture = Texture(seed: 2)
    let previous = texture.image(width: 60, height: 40)
    let current = texture.image(width: 60, height: 40) { ($0 - 2.5, $1 + 1.25) }
    var flow = FlowField(width: 60, height: 40) { _, _ in (2.5, -1.25) }
    flow[30, 20] = (.nan, .nan)
    for threads in [1, 3] {
      let warped = flow.warp(current, fill: -7, parallelism: Parallelism(threadCount: threads))
      #expect(abs(warped[20, 15] - previous[20, 15]) < 2 && abs(warped[45, 30] - previous[45, 30]) < 2)
      #expect(warped[30, 20] == -7 && warped[59, 20] == -7 && warped[20, 0] == -7)
    }
  }

  @Test(arguments: [(3.0, 0.0, 0.0), (0, 2, 90), (-1, 0, 180), (0, -4, -90), (1, 1, 45), (-1.5, 0.4, 165.07)])
  func theDominantDirectionIsFound(u: Double, v: Double, degrees: Double) throws {
    // Two thirds go there, the others the other way round, more slowly.
    let flow = FlowField(width: 30, height: 20) { x, _ in
      x < 20 ? (Float(u), Float(v)) : (-Float(u) / 2, -Float(v) / 2)
    }
    let direction = try #require(flow.dominantDirection())
    #expect(abs(direction.degrees - degrees) < 0.1 || abs(direction.degrees + 360 - degrees) < 0.1)
    #expect(abs(direction.share - 0.8) < 1e-6)
    #expect(abs(direction.x - u * 2 / 3) < 1e-5 && abs(direction.y - v * 2 / 3) < 1e-5)
  }

  @Test func nothingThatMovesHasNoDirection() {
    #expect(FlowField(size: PixelSize(width: 5, height: 5)).dominantDirection() == nil)
    #expect(FlowField(width: 5, height: 5) { _, _ in (.nan, .nan) }.dominantDirection() == nil)
    #expect(FlowField(width: 5, height: 5) { _, _ in (0.05, 0) }.dominantDirection() == nil)
  }

  @Test func cellsHaveMeanSpreadAndShare() {
    var flow = FlowField(width: 10, height: 6) { x, y in (x < 4 ? 2 : 6, y < 4 ? -1 : 3) }
    for x in 0..<2 { flow[x, 0] = (.nan, .nan) }
    for y in 4..<6 { for x in 8..<10 { flow[x, y] = (.nan, .nan) } }
    let summary = FlowSummary(of: flow, cellSize: 4)
    #expect(summary.mean.size == PixelSize(width: 3, height: 2) && summary.size == flow.size)
    #expect(summary.mean[0, 0] == (2, -1) && summary.deviation[0, 0] == 0)
    #expect(summary.knownShare[0, 0] == 14 / 16 && summary.knownShare[1, 0] == 1)
    #expect(summary.mean[2, 1].u.isNaN && summary.deviation[2, 1].isNaN && summary.knownShare[2, 1] == 0)
    let whole = FlowSummary(of: FlowField(width: 4, height: 1) { x, _ in (x < 2 ? 1 : 3, 0) }, cellSize: 16)
    #expect(whole.mean[0, 0] == (2, 0) && whole.deviation[0, 0] == 1)
  }

  @Test func pointsConvertBetweenConventions() {
    let size = PixelSize(width: 8, height: 4)
    let corner = NormalizedPoint(PixelPoint(x: 0, y: 0), in: size)
    #expect(corner == NormalizedPoint(x: 1 / 16, y: 1 / 8))
    #expect(corner.inPixels(of: size) == PixelPoint(x: 0, y: 0))
    #expect(corner.flippedVertically == NormalizedPoint(x: 1 / 16, y: 7 / 8))
  }

  @Test func mapsConvertToLowerLeftFractionsAndBack() {
    let map = Homography([0.9, 0.1, 12, -0.2, 1.1, -7, 1e-4, -2e-4, 1])
    let (source, target) = (PixelSize(width: 200, height: 100), PixelSize(width: 320, height: 240))
    let fractions = map.lowerLeftNormalized(from: source, to: target)
    let back = Homography(lowerLeftNormalized: fractions, from: source, to: target)
    for (a, b) in zip(map.elements, back.elements) { #expect(abs(a - b) < 1e-9) }
    // A shift down is a shift towards smaller y.
    let down = Homography.translation(x: 0, y: 25).lowerLeftNormalized(from: source, to: source)
    #expect(abs(down.elements[5] + 0.25) < 1e-12 && abs(down.elements[2]) < 1e-12)
  }
}
