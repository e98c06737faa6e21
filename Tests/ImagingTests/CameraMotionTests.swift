import Imaging
import TestSupport
import Testing

@Suite struct CameraMotionTests {
  private static let map = Homography([1.02, 0.01, -3.5, -0.015, 0.99, 2.25, 1e-5, -2e-5, 1])

  private func field(_ width: Int, _ height: Int) -> FlowField {
    FlowField(width: width, height: height) { x, y in
      x % 7 == 3 && y % 5 == 2 ? (.nan, .nan) : (Float(x % 13) - 6, Float(y % 11) * 0.5)
    }
  }

  @Test(arguments: [(1, 1), (17, 3), (130, 77), (1920, 9)]) func whatRemainsIsTheDifference(width: Int, height: Int) {
    let given = field(width, height)
    var flow = given
    flow.subtract(motionOf: Self.map)
    for y in 0..<height {
      for x in 0..<width {
        let position = Self.map.apply(x: Double(x), y: Double(y))
        guard given.isKnown(x: x, y: y) else {
          #expect(!flow.isKnown(x: x, y: y))
          continue
        }
        #expect(abs(Double(given.u[x, y]) - (position.x - Double(x)) - Double(flow.u[x, y])) < 2e-5)
        #expect(abs(Double(given.v[x, y]) - (position.y - Double(y)) - Double(flow.v[x, y])) < 2e-5)
      }
    }
  }

  @Test func theScaleOfAMapDoesNotCount() {
    var (one, other) = (field(40, 30), field(40, 30))
    one.subtract(motionOf: Self.map)
    other.subtract(motionOf: Homography(Self.map.elements.map { $0 * 2 }))
    #expect(one.bits == other.bits)
  }

  @Test(arguments: [1, 2, 3, 7]) func anyNumberOfThreadsGivesTheSame(threads: Int) {
    var (one, other) = (field(211, 173), field(211, 173))
    one.subtract(motionOf: Self.map, parallelism: .serial)
    other.subtract(motionOf: Self.map, parallelism: Parallelism(threadCount: threads))
    #expect(one.bits == other.bits)
  }
}
