import Testing

@testable import VideoIO

@Suite struct InputGuardTests {
  /// Any number may be set through the options of a reader; those that no clock has were traps.
  @Test(arguments: [-.infinity, -1e300, -1, -0.0, .nan] as [Double]) func whatIsNoTimeIsNotWaited(patience: Double) {
    let guarded = InputGuard(patience: patience, isInterrupted: { false })
    #expect(!guarded.isOver)
    guarded.begin()
    #expect(guarded.isOver)
  }

  @Test(arguments: [3600, 1e10, 1e300, .infinity] as [Double]) func whatIsLongIsWaitedFor(patience: Double) {
    let guarded = InputGuard(patience: patience, isInterrupted: { false })
    for _ in 0..<3 {
      guarded.begin()
      #expect(!guarded.isOver)
    }
  }

  @Test func whoIsInterruptedDoesNotWait() {
    let guarded = InputGuard(patience: nil, isInterrupted: { true })
    guarded.begin()
    #expect(guarded.isOver)
  }
}
