import Imaging
import Testing

@Suite struct WarpingTests {
  private static let ramp = Plane<Float>(width: 23, height: 17) { x, y in Float(3 * x + 7 * y) }

  @Test(arguments: Interpolation.allCases)
  func theIdentityCopiesExactly(interpolation: Interpolation) {
    let plane = Plane<Float>(width: 9, height: 7) { x, y in Float((x * 31 + y * 57) % 101) }
    #expect(plane.warped(by: .identity, size: plane.size, interpolation: interpolation, fill: -1) == plane)
    let tiny = Plane<Float>(size: PixelSize(width: 1, height: 1), repeating: 5)
    #expect(tiny.warped(by: .identity, size: tiny.size, interpolation: interpolation, fill: -1) == tiny)
  }

  @Test(arguments: Interpolation.allCases)
  func straightRampsStayStraight(interpolation: Interpolation) {
    let moved = Self.ramp.warped(
      by: .translation(x: 2.25, y: -1.5), size: PixelSize(width: 20, height: 12), interpolation: interpolation, fill: -1
    )
    for (x, y) in [(5, 3), (9, 6), (14, 10)] {
      #expect(abs(moved[x, y] - (3 * (Float(x) - 2.25) + 7 * (Float(y) + 1.5))) < 1e-4)
    }
    #expect(moved[1, 5] == -1, "nothing is known left of the image")
  }

  @Test func theMapGoesFromTheImageToTheResult() {
    var plane = Plane<UInt8>(width: 12, height: 10)
    plane[3, 4] = 200
    let map = Homography([2, 0, 1, 0, 1, 3, 0, 0, 1])
    let result = plane.warped(by: map, size: PixelSize(width: 20, height: 20), interpolation: .bilinear, fill: 9)
    let position = map.apply(x: 3, y: 4)
    #expect(result[Int(position.x), Int(position.y)] == 200)
    #expect(result[19, 19] == 9 && result[0, 0] == 9)
  }

  @Test func bordersAreRepeatedOnDemand() {
    let result = Self.ramp.warped(
      by: .translation(x: 5, y: 4), size: Self.ramp.size, border: .replicate, fill: -1)
    #expect(result[0, 0] == Self.ramp[0, 0] && result[2, 10] == Self.ramp[0, 6])
  }

  @Test func channelsStayInTheirRange() {
    let edge = Plane<RGBA8>(width: 8, height: 4) { x, _ in x < 4 ? .black : .white }
    let result = edge.warped(by: .translation(x: 0.4, y: 0), size: edge.size, fill: .clear, parallelism: .serial)
    #expect(result[2, 2] == .black && result[6, 2] == .white)
    #expect(result[4, 2].r > 100 && result[4, 2].r < 200 && result[4, 2].a == 255)
  }

  @Test func aMapWithoutInverseShowsNothing() {
    let flat = Homography([1, 0, 0, 2, 0, 0, 0, 0, 1])
    #expect(Self.ramp.warped(by: flat, size: PixelSize(width: 3, height: 2), fill: 7)[1, 1] == 7)
  }

  @Test func threadsDoNotMatter() {
    let map = Homography([1.1, 0.05, -3, -0.02, 0.95, 2, 1e-3, -2e-3, 1])
    let size = PixelSize(width: 50, height: 90)
    #expect(
      Self.ramp.warped(by: map, size: size, fill: -1)
        == Self.ramp.warped(by: map, size: size, fill: -1, parallelism: Parallelism(threadCount: 3)))
  }
}
