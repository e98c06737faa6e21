// Signals that ask for the end.

import Foundation
import Rheo
import Synchronization

/// Lets SIGINT, SIGTERM and SIGHUP end the work early but properly while it lives; the second one ends the program at
/// once.
final class InterruptWatch {
  let interruption = Interruption()

  init() {
    // A reader that goes away, or a limit on the size of files, is a failed write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    SignalThread.begin(interruption)
  }

  deinit { SignalThread.end(interruption) }

  /// Lets signals end the program at once, while none is watched for, without leaving unfinished outputs behind. From
  /// then on a reader that goes away is a failed write.
  static func removeUnfinishedOutputsAtSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    SignalThread.begin(nil)
  }
}

/// The thread that takes note of signals.
///
/// Not Dispatch's: it waits for ever where the system makes no thread for it.
private enum SignalThread {
  /// The interruption that signals set.
  private static let watched = Mutex<Interruption?>(nil)
  private static let numbers = [SIGINT, SIGTERM, SIGHUP]
  /// A Boolean value that tells whether the thread is there; without one, signals end the program as they do any other.
  private static let isRunning = start()

  static func begin(_ interruption: Interruption?) {
    watched.withLock { $0 = interruption }
    guard isRunning else { return }
    for number in numbers { handle(number) }
    // Who starts the program may have blocked signals in the thread that did, and threads hand that on.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  static func end(_ interruption: Interruption) {
    watched.withLock { if $0 === interruption { $0 = nil } }
  }

  /// Sets the handler of a signal, unless the signal was being ignored when the program started, as `nohup` asks for.
  private static func handle(_ number: Int32) {
    var before = sigaction()
    guard sigaction(number, nil, &before) == 0 else { return }
    if number == SIGHUP, unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) == 1 { return }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { SignalPipe.write($0) }
    // Calls that wait for something go on waiting.
    action.sa_flags = SA_RESTART
    sigaction(number, &action, nil)
  }

  private static func start() -> Bool {
    guard let descriptor = SignalPipe.open() else { return false }
    let start: Void? = try? WorkThread.start("signals") {
      while SignalPipe.read(descriptor) { stop() }
    }
    return start != nil
  }

  private static func stop() {
    let isSecond = watched.withLock { interruption in
      guard let interruption, !interruption.isSet else { return true }
      interruption.set()
      return false
    }
    guard isSecond else { return }
    UnfinishedOutputs.removeAll()
    _exit(130)
  }
}

/// The way out of a signal's handler, which may call next to nothing: a byte through a pipe.
private enum SignalPipe {
  // SAFETY: written before the first handler is set, and read from then on.
  nonisolated(unsafe) private static var writing: Int32 = -1

  /// Returns the end to read from; nil when there are no descriptors left.
  static func open() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    writing = ends[1]
    return ends[0]
  }

  static func write(_ number: Int32) {
    let failure = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = Foundation.write(writing, &byte, 1)
    errno = failure
  }

  /// Waits for the next signal.
  static func read(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = Foundation.read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      return count == 1
    }
  }
}
