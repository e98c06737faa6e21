import Foundation

/// Keeps gigabytes of output from driving everything else out of the system's page cache: what was written is sent to
/// the disk at once, and its pages are given up a few pairs later, when they are there. That is also faster, because
/// the same pages are then filled again and again. Used by one thread.
struct PageCache {
  private struct Written {
    var path: String
    var range: Range<Int>
  }

  private var pending: [Written] = []
  /// Parts that may wait for the disk: some ten megabytes at 768×576.
  private static let capacity = 4

  /// Takes note of a part of a file that has been written. Failures do not matter: the kernel writes it back later.
  mutating func add(_ path: String, _ range: Range<Int>) {
    pending.append(Written(path: path, range: range))
    // Of pages that are not on the disk yet, this advice begins to write them; the second time it gives them up.
    advise(Written(path: path, range: range))
    if pending.count > Self.capacity { advise(pending.removeFirst()) }
  }

  private func advise(_ written: Written) {
    #if os(Linux)
      let descriptor = open(written.path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      posix_fadvise(descriptor, off_t(written.range.lowerBound), off_t(written.range.count), POSIX_FADV_DONTNEED)
      close(descriptor)
    #endif
  }
}
