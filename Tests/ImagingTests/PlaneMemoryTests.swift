import Testing

@testable import Imaging

@Suite struct PlaneMemoryTests {
  @Test func aBlockIsGivenToOnePlaneAtATime() {
    let memory = PlaneMemory()
    let size = 1 << 20
    let first = memory.take(byteCount: size)
    let second = memory.take(byteCount: size)
    #expect(first != second)
    memory.giveBack(first, byteCount: size)
    let third = memory.take(byteCount: size)
    #expect(third == first)
    let fourth = memory.take(byteCount: size)
    #expect(fourth != first && fourth != second)
    for block in [second, third, fourth] { memory.giveBack(block, byteCount: size) }
  }

  @Test func blocksOfOtherSizesAreNotMixedUp() {
    let memory = PlaneMemory()
    let block = memory.take(byteCount: 1 << 20)
    memory.giveBack(block, byteCount: 1 << 20)
    let larger = memory.take(byteCount: 2 << 20)
    #expect(larger != block)
    #expect(memory.take(byteCount: 1 << 20) == block)
    memory.giveBack(larger, byteCount: 2 << 20)
    memory.giveBack(block, byteCount: 1 << 20)
  }

  @Test func aNewPlaneIsZeroEvenInUsedMemory() {
    do {
      let used = Plane<Float>(size: PixelSize(width: 400, height: 300), repeating: 7)
      #expect(used[10, 10] == 7)
    }
    let plane = Plane<Float>(width: 400, height: 300)
    #expect(plane == Plane<Float>(width: 400, height: 300) { _, _ in 0 })
  }
}
