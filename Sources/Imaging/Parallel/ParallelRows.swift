// The only file that spreads work over processor cores.

import FlowKernels
import Synchronization

/// The number of threads that the drivers may use. It never changes a result: the work is cut into stripes whose number
/// and borders depend on the image alone, and each stripe writes its own rows.
public struct Parallelism: Sendable, Hashable {
  /// Threads that a driver may use, the caller's among them; 1 or more.
  public let threadCount: Int

  /// - Parameter threadCount: 1 or more; 0 means one per core.
  public init(threadCount: Int = 0) {
    precondition(threadCount >= 0, "\(threadCount) threads")
    self.threadCount = threadCount > 0 ? threadCount : Self.coreCount
  }

  /// The name of the kernel variant that this process uses.
  package static var kernelVariant: String { ProcessorLevel.current.name }

  /// All on the caller's thread.
  public static let serial = Parallelism(threadCount: 1)
  /// Processor cores that are online, as the system tells; 1 or more.
  public static let coreCount: Int = max(1, activeProcessorCount())

  /// This parallelism, or serial for an image so small that handing rows to another thread costs more than it saves: a
  /// hand-over takes some microseconds, a pass over this many pixels about as long.
  package func adapted(to size: PixelSize) -> Parallelism { size.area < Self.minimumArea ? .serial : self }
  /// The number of pixels from which several threads are worth a hand-over.
  private static let minimumArea = 1500

  /// Rows in a stripe, at most: small enough to balance the load, large enough to amortise the hand-over.
  package static let defaultStripeHeight = 32

  /// Calls `body` once for each stripe of rows, each on one thread, and returns when all are done. The stripes are of
  /// much the same height, and their number divides by four, so that no thread is left without work at the end. They
  /// run in any order: `body` may write to its own rows only.
  package func forEachStripe(
    rows: Int, atMost limit: Int = defaultStripeHeight, _ body: @Sendable (Range<Int>) -> Void
  ) {
    let count = 4 * ((rows + 4 * limit - 1) / (4 * limit))
    forEachStripe(rows: rows, stripeHeight: max(1, (rows + count - 1) / max(count, 1)), body)
  }

  /// Calls `body` once for each stripe of exactly `stripeHeight` rows (the last may be shorter), each on one thread,
  /// and returns when all are done. The stripes run in any order: `body` may write to its own rows only.
  package func forEachStripe(rows: Int, stripeHeight: Int, _ body: @Sendable (Range<Int>) -> Void) {
    let stripeCount = (rows + stripeHeight - 1) / stripeHeight
    forEach(count: stripeCount) { index in
      body(index * stripeHeight..<min(rows, (index + 1) * stripeHeight))
    }
  }

  /// Calls `body` once for each stripe of `stripeHeight` rows (the last may be shorter), with the number of a slot
  /// below ``threadCount`` that no other call has at the time: for memory that a thread uses for one stripe after the
  /// other.
  package func forEachStripeInSlot(
    rows: Int, stripeHeight: Int, _ body: @Sendable (_ rows: Range<Int>, _ slot: Int) -> Void
  ) {
    let next = StripeCounter()
    let stripeCount = (rows + stripeHeight - 1) / stripeHeight
    forEach(count: min(threadCount, stripeCount)) { slot in
      while case let index = next.take(), index < stripeCount {
        body(index * stripeHeight..<min(rows, (index + 1) * stripeHeight), slot)
      }
    }
  }

  /// Calls `body(0)` … `body(count - 1)`, on up to `threadCount` threads, and returns when all are done.
  package func forEach(count: Int, _ body: @Sendable (Int) -> Void) {
    let workers = min(threadCount, count)
    guard workers > 1 else {
      for index in 0..<max(count, 0) { body(index) }
      return
    }
    WorkerPool.shared.run(count: count, helperCount: workers - 1, body)
  }
}

/// Hands out stripes to whoever is free.
private final class StripeCounter: Sendable {
  private let next = Atomic<Int>(0)
  func take() -> Int { next.wrappingAdd(1, ordering: .relaxed).oldValue }
}

#if canImport(Glibc)
  import Glibc
  private func activeProcessorCount() -> Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
#elseif canImport(Musl)
  import Musl
  private func activeProcessorCount() -> Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
#else
  import Darwin
  private func activeProcessorCount() -> Int { sysconf(_SC_NPROCESSORS_ONLN) }
#endif
