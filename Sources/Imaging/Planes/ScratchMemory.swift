// Memory of scratch rows, kept for the next ones.

import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Blocks that scratch rows gave back, by their size. A stage of an engine takes and gives back the same few again and
/// again; the heap, asked for what begins on a cache line, splits its blocks and joins them each time.
final class ScratchMemory: Sendable {
  static let shared = ScratchMemory()

  /// The sizes of blocks, as powers of two. Larger ones come from the heap. Chosen by hand.
  private static let exponents = 10..<18
  /// The number of blocks of a size that are kept: what some threads take in a stage.
  private static let blockLimit = 32

  private struct Blocks: @unchecked Sendable {
    // SAFETY: a block in the list belongs to the list alone.
    var starts: [UnsafeMutableRawPointer] = []
  }

  /// For each exponent the blocks of that size.
  private let kept = exponents.map { _ in KeptBlocks() }

  private final class KeptBlocks: Sendable {
    let blocks = Mutex(Blocks())
  }

  private init() {}

  /// Returns a block that begins on a cache line; it holds anything.
  func take(byteCount: Int) -> UnsafeMutableRawPointer {
    guard let index = Self.index(byteCount) else { return FrameMemory.allocate(byteCount: byteCount) }
    let start = kept[index].blocks.withLock { $0.starts.popLast() }
    return start ?? FrameMemory.allocate(byteCount: 1 << (Self.exponents.lowerBound + index))
  }

  /// Keeps a block that `take` gave out for the same number of bytes, unless there are enough of them.
  func giveBack(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    guard let index = Self.index(byteCount) else { return free(start) }
    let isKept = kept[index].blocks.withLock { blocks in
      guard blocks.starts.count < Self.blockLimit else { return false }
      blocks.starts.append(start)
      return true
    }
    if !isKept { free(start) }
  }

  /// Gives all kept blocks back to the heap.
  func releaseAll() {
    for size in kept {
      let starts = size.blocks.withLock { blocks in
        defer { blocks.starts = [] }
        return blocks.starts
      }
      for start in starts { free(start) }
    }
  }

  /// Returns the place of the smallest size that holds so many bytes; nil: none does.
  private static func index(_ byteCount: Int) -> Int? {
    let exponent = max(Int.bitWidth - (byteCount - 1).leadingZeroBitCount, exponents.lowerBound)
    return exponent < exponents.upperBound ? exponent - exponents.lowerBound : nil
  }
}
