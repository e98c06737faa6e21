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
