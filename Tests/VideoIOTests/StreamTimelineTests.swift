import Imaging
import Testing

@testable import VideoIO

@Suite struct StreamTimelineTests {
  private static let base = Rational(1, 1000)

  private func time(_ value: Int64, _ base: Rational = base) -> MediaTime { MediaTime(value: value, timeBase: base) }

  @Test func aConnectionGoesOnAsMuchLaterAsItArrives() {
    var timeline = StreamTimeline()
    let start = ContinuousClock.now
    #expect(timeline.offset == nil && timeline.resume(with: time(0), start) == nil)
    #expect(timeline.time(of: time(90)) == time(90))
    timeline.last = (time(90), start)
    #expect(timeline.time(of: time(130)) == time(130))
    // Its times have another base and begin anew.
    #expect(timeline.resume(with: time(1800, Rational(1, 90_000)), start + .seconds(2)) == 2)
    #expect(timeline.time(of: time(1800, Rational(1, 90_000))) == time(2090) && timeline.offset == time(2070))
    timeline.last = (time(2090), start + .seconds(2))
    #expect(timeline.resume(with: time(0), start + .seconds(2)) == 0)
    #expect(timeline.time(of: time(0)) == time(2091))
  }

  /// In the ticks of the first connection such times do not exist, and sums of those that stand for them neither: each
  /// was a trap.
  @Test(arguments: [.min, -(1 << 60), 1 << 60, .max - 9] as [Int64])
  func timesThatTheFirstConnectionCannotCountFollowTickByTick(ticks: Int64) throws {
    let start = ContinuousClock.now
    for latest in [-(1 << 62), 440_000_000, 1 << 62] as [Int64] {
      var timeline = StreamTimeline()
      timeline.last = (time(latest, Rational(1, 1_000_000_000)), start)
      #expect(timeline.resume(with: time(ticks, Rational(1, 1)), start + .seconds(2)) == 2)
      for number in 0..<5 as Range<Int64> {
        let last = try #require(timeline.last).time
        let next = timeline.time(of: time(ticks + number, Rational(1, 1)))
        #expect(next > last)
        timeline.last = (next, start + .seconds(2))
      }
    }
  }

  /// From one end of the numbers to the other: their distance is none of them.
  @Test func timesThatLeapFromEndToEndRise() throws {
    let start = ContinuousClock.now
    var timeline = StreamTimeline()
    timeline.last = (time(0, Rational(1, 1_000_000_000)), start)
    _ = timeline.resume(with: time(-(1 << 60), Rational(1, 1)), start)
    for ticks in [-(1 << 60), 1 - (1 << 60), 1 << 60, 1 + (1 << 60), 2 + (1 << 60)] as [Int64] {
      let last = try #require(timeline.last).time
      timeline.last = (timeline.time(of: time(ticks, Rational(1, 1))), start)
      #expect(try #require(timeline.last).time > last)
    }
  }

  @Test func damageIsListedOnceAndWithTheTimesOfTheWholeStream() {
    var damage = StreamDamage()
    let gaps = (0..<3).map { MediaGap(seconds: $0 == 0 ? nil : Double($0), frameNumber: $0, reason: "\($0)") }
    damage.append(LimitedList(Array(gaps.prefix(2))), offset: 10, frameNumber: 7)
    #expect(damage.latestGap(in: LimitedList(gaps))?.reason == "2")
    #expect(damage.latestGap(in: LimitedList(Array(gaps.prefix(2)))) == nil)
    damage.append(LimitedList(gaps), offset: 10, frameNumber: 8)
    #expect(damage.gaps.map(\.seconds) == [nil, 11, 12] && damage.gaps.map(\.frameNumber) == [7, 7, 8])
    damage.skip(LimitedList(gaps + gaps))
    damage.append(LimitedList(gaps + gaps), offset: 10, frameNumber: 9)
    #expect(damage.gaps.count == 3)
  }

  /// A watch may last for years: each gap took memory until its end.
  @Test func ofTheDamageOfALongWatchTheFirstThousandAreKept() {
    var damage = StreamDamage()
    var connection = LimitedList<MediaGap>()
    for number in 0..<2500 {
      connection.append(MediaGap(seconds: Double(number), frameNumber: number, reason: "\(number)"))
      if number % 7 == 0 { damage.append(connection, offset: 10, frameNumber: number) }
      if number == 1200 { #expect(damage.latestGap(in: connection)?.reason == "1200") }
    }
    damage.append(connection, offset: 10, frameNumber: 2500)
    damage.noteBreak("broke", missing: 1, seconds: 2520, frameNumber: 2500)
    damage.skip(LimitedList())
    damage.append(
      LimitedList([MediaGap(seconds: 0, frameNumber: 0, reason: "again")]), offset: 2530, frameNumber: 2501)
    #expect(damage.gaps.count == 1001 && damage.gaps[999].reason == "999" && damage.gaps[999].seconds == 1009)
    #expect(damage.gaps[1000].reason == "1502 more gaps from here on are not listed")
  }

  @Test func damageShortlyBeforeABreakIsAPartOfIt() {
    var damage = StreamDamage()
    let gaps = [3, 9.5].map { MediaGap(seconds: $0, frameNumber: 1, reason: "damaged") }
    damage.append(LimitedList(gaps), offset: 0, frameNumber: 1)
    damage.noteBreak("broke", missing: 0.1234, seconds: 9.8, frameNumber: 2)
    damage.forget(upTo: 10)
    damage.noteBreak("gone", missing: nil, seconds: 10, frameNumber: 3)
    #expect(damage.gaps.map(\.reason) == ["damaged", "broke; 0.123 s are missing", "gone"])
    #expect(damage.gaps.map(\.seconds) == [3, 9.8, 10])
  }

  /// What FFmpeg looked at before the first frame was decoded is no part of the break.
  @Test func aFrameCameBeforeItWasDecoded() {
    let opening = ContinuousClock.now
    let decoded = opening + .seconds(0.6)
    func arrival(_ ticks: Int64, since start: Int64?) -> Double {
      let start = start.map { MediaTime(value: $0, timeBase: Rational(1, 100)) }
      let own = MediaTime(value: ticks, timeBase: Rational(1, 100))
      return (StreamTimeline.arrival(of: own, decoded: decoded, since: start, opening: opening) - opening) / .seconds(1)
    }
    #expect(abs(arrival(140, since: 140)) < 1e-9)
    #expect(abs(arrival(165, since: 140) - 0.25) < 1e-9)
    // No later than it was there, and no earlier than the connection.
    #expect(abs(arrival(900, since: 140) - 0.6) < 1e-9)
    #expect(abs(arrival(100, since: 140)) < 1e-9)
    #expect(abs(arrival(165, since: nil) - 0.6) < 1e-9)
  }
}
