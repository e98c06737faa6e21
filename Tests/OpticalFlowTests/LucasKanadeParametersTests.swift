import OpticalFlow
import TestSupport
import Testing

@Suite struct LucasKanadeParametersTests {
  @Test func textOverridesSomeParameters() throws {
    let base = LucasKanadeParameters(iterations: 7)
    let text =
      "pyramid-scale=0.8:levels=10:window=31:window-kind=gaussian:window-shift=0.25:sampling=bicubic:median=5"
      + ":regularization=2"
    let parameters = try LucasKanadeParameters(overriding: base, with: text)
    let expected = LucasKanadeParameters(
      pyramidScale: 0.8, levels: 10, windowSize: 31, windowKind: .gaussian, windowShift: 0.25, iterations: 7,
      sampling: .bicubic, median: .large, regularization: 2)
    #expect(parameters == expected)
    #expect(try LucasKanadeParameters(overriding: base, with: "") == base)
    #expect(try LucasKanadeParameters(overriding: .default, with: expected.text) == expected)
  }

  @Test(arguments: [
    ("window=2", ["window=2", "3…255"]), ("levels=51", ["levels=51", "0…50"]),
    ("pyramid-scale=1", ["pyramid-scale=1", "0.1…0.95"]), ("window-shift=1.5", ["window-shift=1.5", "0.0…1.0"]),
    ("window-kind=round", ["window-kind=round", "box or gaussian"]),
    ("sampling=nearest", ["sampling=nearest", "bilinear or bicubic"]), ("median=4", ["median=4", "off or 3 or 5"]),
    ("regularization=0", ["regularization=0", "0.001…1000"]), ("iterations=0", ["iterations=0", "1…100"]),
  ])
  func valuesOutOfRangeAreNamed(text: String, fragments: [String]) {
    let error = thrown(ParameterError.self) { try LucasKanadeParameters(overriding: .default, with: text) }
    #expect(error?.code == .notAllowed)
    for fragment in fragments { #expect(error?.message.contains(fragment) == true, "\(error?.message ?? "")") }
  }

  @Test func valuesOutOfRangeAreRefusedByTheEngine() {
    let wrong = [
      LucasKanadeParameters(pyramidScale: .nan), LucasKanadeParameters(windowSize: 1),
      LucasKanadeParameters(windowShift: -0.1), LucasKanadeParameters(regularization: 0),
    ]
    for parameters in wrong {
      #expect(throws: ParameterError.self) { try LucasKanadeEngine(parameters: parameters) }
    }
  }

  @Test func presetsAreWithinRange() {
    for preset in [LucasKanadeParameters.low, .medium, .high, .veryHigh] {
      #expect(throws: Never.self) { try preset.validate() }
    }
  }
}
