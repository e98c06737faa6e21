// Ends a read that blocks.

import CFFmpeg
import Foundation
import Imaging
import Synchronization

/// Lets FFmpeg's blocking calls on an input end: when that was asked for, or when nothing has come for too long.
///
/// FFmpeg asks from whatever thread waits, its own among them.
final class InputGuard: Sendable {
  /// The nanoseconds that a call may wait; nil: for ever.
  private let patience: UInt64?
  private let isInterrupted: @Sendable () -> Bool
  /// The time at which the call that is under way has waited for too long, in nanoseconds of the monotonic clock.
  private let deadline = Atomic<UInt64>(.max)

  /// - Parameter patience: The seconds that a call may wait; nil: for ever. Below 0, and where it is NaN, none; beyond
  ///   three centuries, as long as the clock counts.
  init(patience: Double?, isInterrupted: @escaping @Sendable () -> Bool) {
    self.patience = patience.map { UInt64(max(0, Int(saturating: $0 * 1e9))) }
    self.isInterrupted = isInterrupted
  }

  /// Starts the clock anew: a call begins.
  func begin() {
    guard let patience else { return }
    deadline.store(Self.now.addingSaturated(patience), ordering: .relaxed)
  }

  /// A Boolean value that tells whether the call that is under way has to end.
  var isOver: Bool { isInterrupted() || Self.now >= deadline.load(ordering: .relaxed) }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// The callback with which FFmpeg asks whether a call has to end. The guard must outlive the context.
  var callback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { Unmanaged<InputGuard>.fromOpaque($0!).takeUnretainedValue().isOver ? 1 : 0 },
      opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
