import Testing

@testable import VideoIO

@Suite struct DamageLogTests {
  @Test func whatIsSaidTwiceOfAFrameIsListedOnce() {
    var log = DamageLog()
    for (reason, frame) in [("a", 3), ("a", 3), ("b", 3), ("a", 3), ("a", 4)] {
      log.note(reason, seconds: 0.5, frameNumber: frame)
    }
    #expect(log.gaps.map(\.reason) == ["a", "b", "a", "a"])
    #expect(log.gaps.map(\.frameNumber) == [3, 3, 3, 4] && log.gaps.allSatisfy { $0.seconds == 0.5 })
  }

  @Test func ofMoreThanAThousandGapsTheOthersAreCounted() {
    var log = DamageLog()
    for frame in 0..<1000 { log.note("damaged", seconds: Double(frame), frameNumber: frame) }
    #expect(log.gaps.count == 1000 && log.gaps.countText == "1000")
    for frame in 1000..<3000 {
      for _ in 0..<2 { log.note("damaged", seconds: Double(frame), frameNumber: frame) }
    }
    #expect(log.gaps.count == 1001 && log.gaps[999].frameNumber == 999 && log.gaps.countText == "more than 1000")
    #expect(log.gaps[1000].description == "at 1000.0 s, after frame 1000: 2000 more gaps from here on are not listed")
    #expect(log.list.count == 3000 && log.list.last?.frameNumber == 2999)
  }

  /// Who is told of gaps as they come is told of the latest one where they are too many to be kept.
  @Test func gapsFromAnIndexOnAreNew() {
    var list = LimitedList((0..<998).map { $0 })
    #expect(list.elements(from: 996) == [996, 997] && list.elements(from: 998).isEmpty)
    for number in 998..<1010 { list.append(number) }
    #expect(list.elements(from: 998) == [998, 999, 1009] && list.elements(from: 1009) == [1009])
    #expect(list.elements(from: 1010).isEmpty)
    list.remove { $0 < 500 }
    list.append(1010)
    #expect(list.listed.last == 999 && list.omittedCount == 11 && list.firstOmitted == 1000)
  }

  @Test func theEndOfAFileTellsWhatIsMissing() {
    func faults(_ format: String, cut: Bool = false, _ promised: Int, _ read: Int, seekable: Bool = true) -> [String] {
      InputEnd(format: format, isCutOff: cut, promised: promised, read: read, isSeekable: seekable).faults
    }
    #expect(faults("mov,mp4", 10, 10).isEmpty && faults("mov,mp4", 0, 10).isEmpty && faults("matroska", 10, 3).isEmpty)
    #expect(faults("matroska", cut: true, 10, 3) == ["the file ends in the middle of its data"])
    #expect(faults("mov,mp4", 10, 3, seekable: false) == ["the file ends after 3 of 10 frames"])
    #expect(faults("mov,mp4", cut: true, 10, 0).last == "the file ends after 0 of 10 frames")
    let piped = faults("mov,mp4", 10, 0, seekable: false)
    #expect(piped.count == 1 && piped[0].contains("give it as a file"))
  }
}
