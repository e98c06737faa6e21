import TestSupport
import Testing

@testable import Imaging

@Suite struct ScratchRowsTests {
  /// Memory that others have written to comes back as zeros, each block on a cache line.
  @Test func rowsAreZerosAgainAndAgain() {
    for _ in 0..<3 {
      for (count, width, margin) in [(1, 1, 0), (3, 100, 16), (24, 160, 16), (40, 2000, 16), (0, 0, 0)] {
        let rows = ScratchRows(count: count, width: width, margin: margin)
        #expect(UInt(bitPattern: rows.base) % 64 == 0)
        for index in 0..<count {
          for x in -margin..<width + margin {
            #expect(rows.row(index)[x] == 0)
            rows.row(index)[x] = 7
          }
        }
      }
    }
  }

  /// Rows that live at the same time share no memory, whichever threads take them.
  @Test func rowsOfManyThreadsAreTheirOwn() {
    Parallelism(threadCount: 4).forEach(count: 200) { number in
      let first = ScratchRows(count: 2, width: 300)
      let second = ScratchRows(count: 2, width: 300)
      for x in 0..<300 {
        first.row(1)[x] = Float(number)
        second.row(1)[x] = Float(-number)
      }
      let isKept = (0..<300).allSatisfy { first.row(1)[$0] == Float(number) && second.row(1)[$0] == Float(-number) }
      #expect(isKept, "rows \(number)")
    }
  }

  /// What is given back to the heap is taken from it anew.
  @Test func keptBlocksCanBeGivenBack() {
    for _ in 0..<3 {
      for byteCount in [1, 1000, 1025, 5000, 1 << 17, (1 << 17) + 1, 1 << 20] {
        let block = ScratchMemory.shared.take(byteCount: byteCount)
        block.initializeMemory(as: UInt8.self, repeating: 1, count: byteCount)
        ScratchMemory.shared.giveBack(block, byteCount: byteCount)
      }
      ScratchMemory.shared.releaseAll()
    }
  }
}
