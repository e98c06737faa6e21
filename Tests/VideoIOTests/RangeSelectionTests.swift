import Imaging
import Testing

@testable import VideoIO

@Suite struct RangeSelectionTests {
  private static let base = Rational(1, 1000)
  /// 25 frames a second from 1.4 s on.
  private static let regular = (0..<100).map { Int64(1400 + 40 * $0) }

  private func delivered(_ range: MediaRange, of times: [Int64] = regular) -> [Int] {
    var selection = RangeSelection(range)
    var numbers: [Int] = []
    for (number, time) in times.enumerated() {
      switch selection.decide(MediaTime(value: time, timeBase: Self.base)) {
      case .skip: continue
      case .stop: return numbers
      case .deliver:
        #expect(selection.frameNumber == number)
        numbers.append(number)
      }
    }
    return numbers
  }

  @Test func everythingIsDeliveredByDefault() {
    #expect(delivered(.all) == Array(0..<100))
  }

  @Test func secondsCountFromTheFirstFrame() {
    #expect(delivered(MediaRange(start: .seconds(1), end: .seconds(2))) == Array(25..<50))
    #expect(delivered(MediaRange(start: .seconds(0))) == Array(0..<100))
  }

  @Test func aStartBetweenTwoFramesBeginsWithTheLaterOne() {
    #expect(delivered(MediaRange(start: .seconds(0.05), frameCount: 1)) == [2])
  }

  @Test func decimalFractionsFindTheFrameTheyName() {
    // 30000/1001 frames a second: 0.9009 s is frame 27 only when half a tick is forgiven.
    let times = (0..<60).map { Int64($0) * 1001 }
    var selection = RangeSelection(MediaRange(start: .seconds(0.9009), frameCount: 1))
    let first = times.firstIndex {
      if case .deliver = selection.decide(MediaTime(value: $0, timeBase: Rational(1, 30000))) { true } else { false }
    }
    #expect(first == 27)
  }

  @Test func framesCountFromZeroAndTheEndIsLeftOut() {
    #expect(delivered(MediaRange(start: .frame(3), end: .frame(7))) == [3, 4, 5, 6])
    #expect(delivered(MediaRange(start: .frame(97))) == [97, 98, 99])
    #expect(delivered(MediaRange(start: .frame(100))).isEmpty)
  }

  @Test func aDurationCountsFromTheFirstDeliveredFrame() {
    #expect(delivered(MediaRange(start: .frame(10), duration: 0.2)) == [10, 11, 12, 13, 14])
    #expect(delivered(MediaRange(duration: 0.001)) == [0])
  }

  @Test func everyNthFrameCountsFromTheStart() {
    #expect(delivered(MediaRange(start: .frame(5), end: .frame(15), every: 4)) == [5, 9, 13])
    #expect(delivered(MediaRange(frameCount: 3, every: 10)) == [0, 10, 20])
  }

  @Test func theFirstLimitReachedEndsTheRange() {
    #expect(delivered(MediaRange(end: .frame(9), duration: 1, frameCount: 4)).count == 4)
    #expect(delivered(MediaRange(end: .frame(2), duration: 1, frameCount: 4)).count == 2)
    #expect(delivered(MediaRange(end: .frame(50), duration: 0.08, frameCount: 4)).count == 2)
  }

  @Test func irregularTimesAreTakenAsTheyAre() {
    let times: [Int64] = [0, 10, 500, 501, 502, 900, 2000]
    #expect(delivered(MediaRange(start: .seconds(0.4), end: .seconds(0.9)), of: times) == [2, 3, 4])
  }

  @Test func theOutputIsShiftedOnlyWhenTheRangeHasAStart() {
    for (range, shift) in [(MediaRange(end: .frame(3)), nil), (MediaRange(start: .frame(2)), Int64(1480))] {
      var selection = RangeSelection(range)
      for time in Self.regular.prefix(4) { _ = selection.decide(MediaTime(value: time, timeBase: Self.base)) }
      #expect(selection.shift?.value == shift)
    }
  }

  @Test func theShareOfARangeIsAGuessThatFollowsTheRange() {
    func share(_ range: MediaRange) -> Double? { RangeSelection(range).share(of: 10, frames: 250) }
    #expect(share(.all) == 250)
    #expect(share(MediaRange(start: .seconds(2), end: .seconds(4))) == 50)
    #expect(share(MediaRange(start: .frame(200))) == 50)
    #expect(share(MediaRange(duration: 1, every: 5)) == 5)
    #expect(share(MediaRange(frameCount: 7)) == 7)
    #expect(share(MediaRange(start: .seconds(99))) == 1)
  }
}
