import TestSupport
import Testing

@testable import Imaging

@Suite struct DisjointRectanglesTests {
  @Test func theUnionHoldsBoth() {
    let (a, b) = (PixelRect(x: 2, y: 5, width: 3, height: 4), PixelRect(x: 4, y: 1, width: 6, height: 2))
    #expect(a.union(b) == PixelRect(x: 2, y: 1, width: 8, height: 8))
    #expect(a.union(b).contains(a) && a.union(b).contains(b))
    #expect(!a.contains(b) && a.contains(a))
  }

  /// Rectangles that meet at an edge share no pixel.
  @Test func neighboursDoNotOverlap() {
    let rect = PixelRect(x: 2, y: 2, width: 3, height: 3)
    #expect(rect.overlaps(PixelRect(x: 4, y: 4, width: 1, height: 1)))
    #expect(!rect.overlaps(PixelRect(x: 5, y: 2, width: 3, height: 3)))
    #expect(!rect.overlaps(PixelRect(x: 2, y: 5, width: 3, height: 3)))
  }

  /// Two that a third one joins become one, even where neither overlaps the other; what they become may reach more.
  @Test func whatOverlapsBecomesOne() {
    let (left, right) = (PixelRect(x: 0, y: 0, width: 4, height: 4), PixelRect(x: 8, y: 6, width: 4, height: 4))
    let corner = PixelRect(x: 9, y: 0, width: 2, height: 2)
    let between = PixelRect(x: 3, y: 3, width: 6, height: 4)
    #expect(PixelRect.disjoint([left, right, corner]) == [left, right, corner])
    #expect(PixelRect.disjoint([left, right, corner, between]) == [PixelRect(x: 0, y: 0, width: 12, height: 10)])
  }

  /// The order in which they come changes nothing but the order of what comes out.
  @Test func disjointRectanglesHoldAll() {
    var random = FixedRandom(seed: 11)
    for _ in 0..<200 {
      let rects = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        PixelRect(
          x: .random(in: 0..<60, using: &random), y: .random(in: 0..<60, using: &random),
          width: .random(in: 1..<12, using: &random), height: .random(in: 1..<12, using: &random))
      }
      let result = PixelRect.disjoint(rects)
      #expect(rects.allSatisfy { rect in result.contains { $0.contains(rect) } })
      for (index, rect) in result.enumerated() {
        #expect(!result[(index + 1)...].contains(where: rect.overlaps))
      }
      #expect(Set(PixelRect.disjoint(rects.shuffled(using: &random))) == Set(result))
    }
  }
}
