import FlowAnalysis
import Imaging
import TestSupport
import Testing

@Suite struct TexturedPointsTests {
  /// Bright squares on a dark ground: corners can be followed, edges and plain ground cannot.
  private let squares = Plane<Float>(width: 120, height: 90) { x, y in
    (30..<50).contains(x) && (20..<40).contains(y) || (80..<100).contains(x) && (50..<70).contains(y) ? 200 : 40
  }

  @Test func cornersAreFound() {
    let points = TexturedPoints(maximumCount: 50, minimumDistance: 8).points(in: squares)
    let corners: [SIMD2<Double>] = [
      [30, 20], [49, 20], [30, 39], [49, 39], [80, 50], [99, 50], [80, 69], [99, 69],
    ]
    for corner in corners {
      #expect(points.contains { distance($0, corner) < 6 }, "\(corner)")
    }
    for point in points { #expect(corners.contains { distance($0, point) < 12 }, "\(point)") }
  }

  @Test func pointsKeepTheirDistance() {
    let image = Texture(seed: 3).image(width: 160, height: 120)
    let search = TexturedPoints(maximumCount: 200, minimumDistance: 10)
    let first = search.points(in: image)
    #expect(first.count > 20)
    for (index, point) in first.enumerated() {
      for other in first[..<index] { #expect(distance(point, other) >= 10) }
    }
    let more = search.points(in: image, awayFrom: Array(first.prefix(10)))
    for point in more { for taken in first.prefix(10) { #expect(distance(point, taken) >= 10) } }
    #expect(
      TexturedPoints(maximumCount: 7).points(in: image)
        == Array(TexturedPoints(maximumCount: 200).points(in: image).prefix(7)))
  }

  @Test func aPlainImageHasNone() {
    #expect(
      TexturedPoints(maximumCount: 9).points(in: Plane(size: PixelSize(width: 40, height: 30), repeating: 90)).isEmpty)
    #expect(TexturedPoints(maximumCount: 0).points(in: squares).isEmpty)
  }

  private func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
  }
}
