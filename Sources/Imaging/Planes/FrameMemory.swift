// Memory for whole images: what is too much ends in words, not in a trap.

import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Memory of the size of images. Before the work begins ``require(byteCount:)`` throws where there is none, and so does
/// ``requested(byteCount:)`` for the contents of a file; an allocation that fails in the middle of the work calls the
/// action of ``onFailure(_:)`` and ends the program.
package enum FrameMemory {
  /// Memory that the system does not give.
  package struct Shortage: Error {
    /// The bytes that were asked for.
    package let byteCount: Int
  }

  /// The action before the program ends for want of memory, with the number of bytes that were asked for. It has no
  /// memory to work with.
  private static let action = Mutex<(@Sendable (_ byteCount: Int) -> Void)?>(nil)

  /// Sets the action before the program ends for want of memory: a program with outputs of its own ends itself.
  package static func onFailure(_ action: @escaping @Sendable (_ byteCount: Int) -> Void) {
    self.action.withLock { $0 = action }
  }

  /// Finds out whether so many bytes could be had now. They are asked for in one piece, never touched, and given back.
  /// - Throws: ``Shortage``.
  package static func require(byteCount: Int) throws(Shortage) {
    // `malloc` the optimizer leaves out when nobody looks at the memory.
    guard let memory = aligned(byteCount) else { throw Shortage(byteCount: byteCount) }
    free(memory)
  }

  /// Returns memory that begins on a cache line, for `free` to give back; it holds anything.
  /// - Throws: ``Shortage``.
  package static func requested(byteCount: Int) throws(Shortage) -> UnsafeMutableRawPointer {
    if let memory = aligned(byteCount) { return memory }
    PlaneMemory.shared.releaseAll()
    ScratchMemory.shared.releaseAll()
    guard let memory = aligned(byteCount) else { throw Shortage(byteCount: byteCount) }
    return memory
  }

  /// Returns memory that begins on a cache line, for `free` to give back; it holds anything. Ends the program where
  /// there is none.
  package static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if let memory = try? requested(byteCount: byteCount) { return memory }
    action.withLock { $0 }?(byteCount)
    fatalError("there is no memory for \(byteCount) bytes of an image")
  }

  private static func aligned(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    return posix_memalign(&memory, 64, max(byteCount, 1)) == 0 ? memory : nil
  }
}
