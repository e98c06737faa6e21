import CFFmpeg
import Imaging
import Testing

@testable import VideoIO

@Suite struct FrameClockTests {
  private static let base = Rational(1, 1000)

  private func times(_ ticks: [Int64?], rate: Rational? = Rational(25, 1)) -> (times: [Int64], repairs: Int) {
    var clock = FrameClock()
    let times = ticks.map { clock.time(of: $0 ?? RHEO_NO_TIME, timeBase: Self.base, frameRate: rate).value }
    return (times, clock.repairedCount)
  }

  @Test func timesThatRiseStayAsTheyAre() {
    #expect(times([-80, 0, 1, 500, 90_000]) == ([-80, 0, 1, 500, 90_000], 0))
  }

  @Test func aMissingTimeIsAFrameLater() {
    #expect(times([nil, 40, nil, nil, 200]) == ([0, 40, 80, 120, 200], 2))
    #expect(times([7, nil], rate: nil) == ([7, 8], 1))
  }

  @Test func timesThatDoNotRiseAreTheNextPossibleOnes() {
    #expect(times([100, 100, 60, 140]) == ([100, 101, 102, 140], 2))
  }

  @Test func timesThatBeginAnewGoOnByTheWallClock() {
    var clock = FrameClock()
    clock.followsRestarts = true
    let start = ContinuousClock.now
    let frames: [(ticks: Int64, seconds: Double)] = [(5000, 0), (5040, 0.04), (0, 2.54), (40, 2.58), (20, 2.6)]
    let times = frames.map { frame in
      clock.time(
        of: frame.ticks, timeBase: Self.base, frameRate: nil, arrival: start + .milliseconds(Int(frame.seconds * 1000))
      ).value
    }
    // The last one falls back by less than what a restart does.
    #expect(times == [5000, 5040, 7540, 7580, 7581])
    #expect(clock.restartCount == 1 && clock.repairedCount == 1 && clock.last?.value == 7581)
  }
}
