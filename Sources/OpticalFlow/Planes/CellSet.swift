/// Some of the cells of a level.
struct CellSet {
  /// The number of cells in a word, one bit each.
  private static let wordLength = 64
  private var words: [UInt64]

  /// No cell out of `count`.
  init(count: Int) { words = [UInt64](repeating: 0, count: (count + Self.wordLength - 1) / Self.wordLength) }

  /// Cells by their bits, in words of 16.
  init(count: Int, _ body: (UnsafeMutablePointer<UInt16>) -> Void) {
    self.init(count: count)
    words.withUnsafeMutableBytes { bytes in
      if let start = bytes.bindMemory(to: UInt16.self).baseAddress { body(start) }
    }
    for i in words.indices { words[i] = words[i].littleEndian }
  }

  func contains(_ cell: Int) -> Bool { words[cell / Self.wordLength] >> UInt64(cell % Self.wordLength) & 1 == 1 }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Returns the number of cells that are not in `other`.
  func count(without other: CellSet) -> Int {
    words.withUnsafeBufferPointer { words in
      other.words.withUnsafeBufferPointer { others in
        var count = 0
        for i in 0..<min(words.count, others.count) { count &+= (words[i] & ~others[i]).nonzeroBitCount }
        return count
      }
    }
  }

  mutating func formUnion(_ other: CellSet) {
    for i in words.indices { words[i] |= other.words[i] }
  }

  /// Calls `body` with each cell, in rising order.
  func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index * Self.wordLength + rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }
}
