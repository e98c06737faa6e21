import Testing

@testable import VideoIO

/// Lines of FFmpeg's log tell of options without their values.
@Suite struct HiddenValuesTests {
  private func masked(_ line: String, _ values: [String]) -> String {
    var hidden = HiddenValues()
    for value in values { hidden.insert([value]) }
    return hidden.masking(line)
  }

  @Test func valuesAreMaskedWhereverTheyStand() {
    #expect(
      masked("Error setting option key to value hunter2.", ["hunter2"]) == "Error setting option key to value ***.")
    #expect(masked("a hunter2hunter2 b", ["hunter2"]) == "a ****** b")
    #expect(masked("hunter22 hunter2", ["hunter2", "hunter22"]) == "*** ***")
    #expect(masked("nothing of it", ["hunter2", ""]) == "nothing of it")
    #expect(masked("nothing of it", []) == "nothing of it")
  }

  /// A short value is a part of other words.
  @Test func shortValuesAreMaskedWhereTheyAreOnesAlone() {
    let line = "Unable to parse option value \"1\" of 11 in '1', to value 1."
    #expect(masked(line, ["1"]) == "Unable to parse option value \"***\" of 11 in '***', to value ***.")
  }

  @Test func whatIsLeftOfAValueIsMasked() {
    let line = "Invalid chars 'hunter2' at the end of expression '12hunter2'"
    #expect(masked(line, ["12hunter2"]) == "Invalid chars '***' at the end of expression '***'")
    let secret = String(repeating: "hunter2", count: 300)
    for length in [990, 1000, 1023] {
      let line = String(("Error setting option key to value " + secret).prefix(length))
      #expect(masked(line, [secret]) == "Error setting option key to value ***", "\(length)")
    }
    let short = "Error setting option key to value hunter"
    #expect(masked(short, ["hunter2"]) == short)
  }
}
