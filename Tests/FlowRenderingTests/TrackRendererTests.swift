import Imaging
import Testing

@testable import FlowRendering

@Suite struct TrackRendererTests {
  private let size = PixelSize(width: 96, height: 80)

  /// Draws on a gray image.
  private func drawn(_ marks: [[TrackMark]]) throws -> Plane<UInt8> {
    let renderer = try TrackRenderer(size: size)
    var plane = Plane<UInt8>(size: size, repeating: 100)
    for frame in marks {
      plane.fill(100)
      try plane.withMutableView { view in
        try renderer.render(
          frame,
          over: MutableImageView(
            size: size, format: ImageFormat(colorModel: .gray, isFullRange: true),
            planes: [.init(base: UnsafeMutableRawPointer(view.base), stride: view.stride)]))
      }
    }
    return plane
  }

  private func changed(_ plane: Plane<UInt8>) -> [(x: Int, y: Int)] {
    (0..<size.area).map { ($0 % size.width, $0 / size.width) }.filter { plane[$0.0, $0.1] != 100 }
  }

  @Test func nothingIsDrawnWithoutMarks() throws {
    #expect(changed(try drawn([[]])).isEmpty)
    let gone = TrackMark(id: 1, box: BoundingBox(x: 500, y: 500, width: 10, height: 10), trail: [])
    #expect(changed(try drawn([[gone], []])).isEmpty)
  }

  @Test func aBoxIsDrawnAlongItsEdges() throws {
    let plane = try drawn([[TrackMark(id: 1, box: BoundingBox(x: 30, y: 40, width: 40, height: 25), trail: [])]])
    for x in 32..<68 { #expect(plane[x, 64] != 100) }
    for y in 42..<62 { #expect(plane[30, y] != 100 && plane[69, y] != 100) }
    #expect(plane[50, 52] == 100 && plane[20, 70] == 100)
    // Its number stands above.
    #expect(changed(plane).contains { $0.y < 36 })
  }

  @Test func aTrailLeadsToThePoint() throws {
    let trail = (0..<20).map { SIMD2(20 + 2 * Double($0), 50.0) }
    let plane = try drawn([[TrackMark(id: 3, box: nil, trail: trail)]])
    for x in 30..<58 { #expect(plane[x, 50] != 100) }
    #expect(plane[40, 60] == 100 && plane[10, 50] == 100)
  }

  @Test func marksReachOverTheBorder() throws {
    let marks = [
      TrackMark(id: 1, box: BoundingBox(x: -20, y: -10, width: 60, height: 30), trail: [[-50, 5], [10, 5]]),
      TrackMark(id: 2, box: BoundingBox(x: 80, y: 70, width: 60, height: 30), trail: [[90, 75], [300, 900]]),
      TrackMark(id: 3, box: nil, trail: [[.nan, 5]]), TrackMark(id: -4, box: nil, trail: [[-500, 5]]),
    ]
    #expect(!changed(try drawn([marks])).isEmpty)
  }

  @Test func theSameMarksAreTheSameBytes() throws {
    let mark = TrackMark(
      id: 5, box: BoundingBox(x: 12.3, y: 20.7, width: 30, height: 31.5), trail: [[20, 20], [30, 41]])
    #expect(try drawn([[mark]]) == drawn([[], [mark, mark], [mark]]))
  }

  @Test func uncertainMarksArePaler() throws {
    func strength(_ confidence: Double) throws -> Int {
      let box = BoundingBox(x: 30, y: 40, width: 40, height: 25)
      let plane = try drawn([[TrackMark(id: 2, box: box, trail: [], confidence: confidence)]])
      return changed(plane).reduce(0) { $0 + abs(Int(plane[$1.x, $1.y]) - 100) }
    }
    #expect(try strength(0.1) < strength(1))
  }
}
