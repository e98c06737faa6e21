// The one place where work is spread over processor cores.

import Dispatch
import FlowKernels
import Synchronization

/// How many threads the drivers may use. It never changes a result: the work is cut into stripes whose number and
/// borders depend on the picture alone, and each stripe writes its own rows.
public struct Parallelism: Sendable, Hashable {
  public let threadCount: Int

  /// - Parameter threadCount: 1 or more; 0 means one per core.
  public init(threadCount: Int = 0) {
    precondition(threadCount >= 0, "\(threadCount) threads")
    self.threadCount = threadCount > 0 ? threadCount : Self.coreCount
  }

  /// The name of the kernel variant that this process uses.
  public static var kernelVariant: String { ProcessorLevel.current.name }

  public static let serial = Parallelism(threadCount: 1)
  public static let coreCount: Int = max(1, activeProcessorCount())

  /// The same, or serial for a picture so small that handing rows to another thread costs more than it saves: a
  /// hand-over takes some 20 µs, a pass over this many pixels about as long.
  public func adapted(to size: PixelSize) -> Parallelism { size.area < Self.leastArea ? .serial : self }
  private static let leastArea = 40_000

  /// Rows in a stripe: small enough to balance the load, large enough to amortise the hand-over.
  public static let defaultStripeHeight = 32

  /// Calls `body` once for each stripe of `stripeHeight` rows (the last may be shorter), each stripe on one thread,
  /// and returns when all are done. Stripes run in any order: `body` may write to its own rows only.
  public func forEachStripe(
    rows: Int, stripeHeight: Int = defaultStripeHeight, _ body: @Sendable (Range<Int>) -> Void
  ) {
    let stripeCount = (rows + stripeHeight - 1) / stripeHeight
    forEach(count: stripeCount) { index in
      body(index * stripeHeight..<min(rows, (index + 1) * stripeHeight))
    }
  }

  /// Calls `body(0)` … `body(count - 1)`, on up to `threadCount` threads, and returns when all are done.
  public func forEach(count: Int, _ body: @Sendable (Int) -> Void) {
    let workers = min(threadCount, count)
    guard workers > 1 else {
      for index in 0..<max(count, 0) { body(index) }
      return
    }
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        body(index)
      }
    }
  }
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
