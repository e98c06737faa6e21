import Imaging
import Testing

@Suite struct FrameGapDetectorTests {
  private func interval(to ticks: Int64, lasting duration: Int64 = 40, step: Int = 1) -> FrameGapDetector.Interval? {
    let base = Rational(1, 1000)
    return FrameGapDetector.interval(
      from: MediaTime(value: 1000, timeBase: base), lasting: duration, to: MediaTime(value: ticks, timeBase: base),
      step: step)
  }

  @Test func declaredDurationsTellGaps() throws {
    #expect(try !#require(interval(to: 1100)).isGap)
    #expect(try #require(interval(to: 1101)).isGap)
    #expect(try !#require(interval(to: 1180, step: 3)).isGap)
    #expect(try #require(interval(to: 1181, step: 3)).isGap)
    #expect(try !#require(interval(to: 900)).isGap)
    #expect(try !#require(interval(to: .min)).isGap)
    #expect(interval(to: 9000, lasting: 0) == nil)
  }

  /// Returns a detector that has seen `count` frames from 5 s on, `pace` seconds apart.
  private func detector(pace: Double, count: Int) -> FrameGapDetector {
    var detector = FrameGapDetector()
    for number in 0..<count {
      let interval = detector.interval(at: 5 + pace * Double(number))
      #expect((interval == nil) == (number == 0) && interval?.isGap != true)
    }
    return detector
  }

  @Test func thePaceOfTheFramesTellsGaps() {
    var detector = detector(pace: 1, count: 21)
    // Four times the usual second.
    let late = detector.interval(at: 28.5)
    #expect(late.map { abs($0.limit - 4) < 1e-9 && !$0.isGap } == true)
    let later = detector.interval(at: 34)
    #expect(later?.isGap == true)
  }

  @Test(arguments: [(7.2, false), (7.4, true)])
  func gapsOfFastVideosLastAMoment(next: Double, isGap: Bool) {
    // The last frame is at 5.8 s.
    var detector = detector(pace: 0.04, count: 21)
    let interval = detector.interval(at: next)
    #expect(interval?.isGap == isGap)
  }
}
