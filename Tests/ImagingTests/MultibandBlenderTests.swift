import TestSupport
import Testing

@testable import Imaging

@Suite struct MultibandBlenderTests {
  private static let size = PixelSize(width: 130, height: 90)

  /// A patch over the whole result that is seen where `isSeen` holds.
  private func patch(
    _ blender: MultibandBlender, _ color: (Int, Int) -> Float, isSeen: (Int, Int) -> Bool
  ) -> (Plane<WeightedColor>, PixelRect) {
    let rect = blender.patch(around: PixelRect(x: 0, y: 0, width: Self.size.width, height: Self.size.height))
    let plane = Plane<WeightedColor>(width: rect.size.width, height: rect.size.height) { x, y in
      let value = color(x, y)
      return WeightedColor(value, value / 2, -value, isSeen(x, y) && Self.size.contains(x: x, y: y) ? 1 : 0)
    }
    return (plane, rect)
  }

  @Test(arguments: 1...6) func oneImageStaysAsItIs(levelCount: Int) {
    let texture = Texture(seed: 3)
    let blender = MultibandBlender(size: Self.size, levelCount: levelCount)
    let (plane, rect) = patch(blender, { texture.value(Double($0), Double($1)) }, isSeen: { _, _ in true })
    blender.add(plane, x: rect.x, y: rect.y)
    let result = blender.blended()
    for y in 0..<Self.size.height {
      for x in 0..<Self.size.width {
        #expect(abs(result[x, y].x - plane[x, y].x) < 1e-3 && abs(result[x, y].z - plane[x, y].z) < 1e-3)
        #expect(result[x, y].w > 0)
      }
    }
  }

  @Test func aStepOfBrightnessBecomesASlope() {
    let blender = MultibandBlender(size: Self.size, levelCount: 5)
    for (value, isLeft) in [(100, true), (140, false)] as [(Float, Bool)] {
      let (plane, rect) = patch(blender, { _, _ in value }, isSeen: { x, _ in (x < 65) == isLeft })
      blender.add(plane, x: rect.x, y: rect.y)
    }
    let row = blender.blended()
    let values = (0..<Self.size.width).map { row[$0, 45].x }
    #expect(abs(values[0] - 100) < 1 && abs(values[129] - 140) < 1)
    for (left, right) in zip(values, values.dropFirst()) {
      #expect(right - left > -0.01 && right - left < 4, "\(left) \(right)")
    }
  }

  @Test func finestDetailsKeepASharpBorder() {
    let blender = MultibandBlender(size: Self.size, levelCount: 5)
    // Single pixels that alternate, in one image only: no trace of them four pixels away.
    let (checkered, rect) = patch(blender, { ($0 + $1) % 2 == 0 ? 80 : 120 }, isSeen: { x, _ in x < 65 })
    blender.add(checkered, x: rect.x, y: rect.y)
    let (even, _) = patch(blender, { _, _ in 100 }, isSeen: { x, _ in x >= 65 })
    blender.add(even, x: rect.x, y: rect.y)
    let result = blender.blended()
    for x in 69..<Self.size.width { #expect(abs(result[x, 40].x - 100) < 0.5) }
    for x in 5..<60 { #expect(abs(result[x, 40].x - checkered[x, 40].x) < 1.5) }
  }

  @Test func patchesLieOnTheGrainAndHoldTheMargin() {
    let blender = MultibandBlender(size: PixelSize(width: 1000, height: 700), levelCount: 4)
    let rect = blender.patch(around: PixelRect(x: 301, y: 203, width: 99, height: 50))
    #expect(rect.x % 8 == 0 && rect.y % 8 == 0 && rect.size.width % 8 == 0 && rect.size.height % 8 == 0)
    #expect(rect.x <= 301 - 32 && rect.columns.upperBound >= 400 + 32)
    #expect(rect.y <= 203 - 32 && rect.rows.upperBound >= 253 + 32)
  }
}

@Suite struct PixelRectTests {
  @Test(arguments: 1...12) func theLargestRectangleIsThatOfASearch(seed: Int) {
    var random = FixedRandom(seed: UInt64(seed))
    let size = PixelSize(width: 9, height: 7)
    let mask = Plane<UInt8>(width: 9, height: 7) { _, _ in random.next() % 4 > 0 ? 1 : 0 }
    func isFull(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Bool {
      (y..<y + height).allSatisfy { row in (x..<x + width).allSatisfy { mask[$0, row] == 1 } }
    }
    var largest = 0
    for y in 0..<7 {
      for x in 0..<9 {
        for height in 1...7 - y {
          for width in 1...9 - x where width * height > largest && isFull(x, y, width, height) {
            largest = width * height
          }
        }
      }
    }
    let found = PixelRect.largest(size) { mask[$0, $1] == 1 }
    #expect(found?.size.area == largest)
    #expect(found.map { isFull($0.x, $0.y, $0.size.width, $0.size.height) } == true)
  }

  @Test func nothingHasNoRectangle() {
    let size = PixelSize(width: 5, height: 4)
    #expect(PixelRect.largest(size) { _, _ in false } == nil && PixelRect.bounding(size) { _, _ in false } == nil)
    #expect(PixelRect.largest(size) { _, _ in true } == PixelRect(x: 0, y: 0, width: 5, height: 4))
    #expect(
      PixelRect.bounding(size) { x, y in (x == 1 && y == 2) || (x == 3 && y == 3) }
        == PixelRect(x: 1, y: 2, width: 3, height: 2))
  }

  @Test func blocksBecomeTheirMeans() {
    let image = Plane<RGBA8>(width: 7, height: 5) { x, y in RGBA8(UInt8(10 * x), UInt8(20 * y), 9) }
    let small = image.averaged(by: 3)
    #expect(small.size == PixelSize(width: 2, height: 1))
    #expect(small[0, 0] == RGBA8(10, 20, 9) && small[1, 0] == RGBA8(40, 20, 9))
    let plane = Plane<Float>(width: 4, height: 4) { x, y in Float(x + 4 * y) }
    #expect(plane.averaged(by: 2)[1, 1] == 12.5)
  }
}
