// Memory of planes, kept for the next one.

import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Large blocks that planes gave back. A video needs planes of the same few sizes again and again; fresh memory from
/// the system costs a page fault for every 4 KiB, which for a full-size field takes longer than writing it.
final class PlaneMemory: Sendable {
  static let shared = PlaneMemory()

  /// The minimum size of a block, in bytes: smaller ones come from the heap without page faults. Chosen by hand.
  private static let minimumByteCount = 1 << 17
  /// The number of blocks that are kept: what a step of the pipeline takes and gives back within a frame.
  private static let blockLimit = 8

  private struct Block: @unchecked Sendable {
    // SAFETY: a block in the list belongs to the list alone.
    let start: UnsafeMutableRawPointer
    let byteCount: Int
  }

  /// The oldest first.
  private let blocks = Mutex<[Block]>([])

  deinit {
    for block in blocks.withLock({ $0 }) { free(block.start) }
  }

  /// A block that starts on a cache line; it holds anything.
  func take(byteCount: Int) -> UnsafeMutableRawPointer {
    let kept =
      byteCount < Self.minimumByteCount
      ? nil
      : blocks.withLock { blocks in
        blocks.lastIndex { $0.byteCount == byteCount }.map { blocks.remove(at: $0) }
      }
    return kept?.start ?? FrameMemory.allocate(byteCount: byteCount)
  }

  /// Keeps a block that `take` gave out, and lets the oldest go when there are too many.
  func giveBack(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount >= Self.minimumByteCount else { return free(start) }
    let block = Block(start: start, byteCount: byteCount)
    let oldest = blocks.withLock { blocks in
      blocks.append(block)
      return blocks.count > Self.blockLimit ? blocks.removeFirst() : nil
    }
    free(oldest?.start)
  }

  /// Gives all kept blocks back to the system.
  func releaseAll() {
    let blocks = blocks.withLock { blocks in
      defer { blocks = [] }
      return blocks
    }
    for block in blocks { free(block.start) }
  }
}
