import OpticalFlow
import TestSupport
import Testing

@Suite struct FarnebackParametersTests {
  @Test func textOverridesSomeParameters() throws {
    let base = FarnebackParameters(iterations: 7)
    let parameters = try FarnebackParameters(
      overriding: base, with: "pyramid-scale=0.8:levels=10:window=21:window-kind=gaussian:neighborhood=7:sigma=1.5")
    let expected = FarnebackParameters(
      pyramidScale: 0.8, levels: 10, windowSize: 21, windowKind: .gaussian, iterations: 7, polynomialNeighborhood: 7,
      polynomialSigma: 1.5)
    #expect(parameters == expected)
    #expect(try FarnebackParameters(overriding: base, with: "") == base)
    #expect(try FarnebackParameters(overriding: .default, with: expected.text) == expected)
  }

  @Test(arguments: [
    ("windw=3", ParameterError.Code.unknownKey, ["windw", "pyramid-scale", "window-kind"]),
    ("window=0", .notAllowed, ["window=0", "1…255"]),
    ("window=7.5", .notAllowed, ["window=7.5", "1…255"]),
    ("levels=-1", .notAllowed, ["levels=-1", "0…20"]),
    ("pyramid-scale=1", .notAllowed, ["pyramid-scale=1", "0.1…0.95"]),
    ("sigma=nan", .notAllowed, ["sigma=nan", "0.3…10"]),
    ("window-kind=round", .notAllowed, ["window-kind=round", "box or gaussian"]),
    ("iterations", .malformed, ["iterations", "key=value"]),
    ("iterations=3::levels=2", .malformed, ["key=value"]),
    ("iterations=", .notAllowed, ["1…100"]),
  ])
  func mistakesAreNamed(text: String, code: ParameterError.Code, fragments: [String]) {
    let error = thrown(ParameterError.self) { try FarnebackParameters(overriding: .default, with: text) }
    #expect(error?.code == code)
    for fragment in fragments { #expect(error?.message.contains(fragment) == true, "\(error?.message ?? "")") }
  }

  @Test func valuesOutOfRangeAreRefusedByTheEngine() {
    let wrong = [
      FarnebackParameters(pyramidScale: 0), FarnebackParameters(pyramidScale: .nan), FarnebackParameters(levels: 21),
      FarnebackParameters(windowSize: 256), FarnebackParameters(iterations: 0),
      FarnebackParameters(polynomialNeighborhood: 16), FarnebackParameters(polynomialSigma: -1),
    ]
    for parameters in wrong {
      #expect(throws: ParameterError.self) { try FarnebackEngine(parameters: parameters) }
    }
  }

  @Test func everyKeyHasHelpAndARange() {
    #expect(
      FarnebackParameters.keys.map(\.name) == [
        "pyramid-scale", "levels", "window", "window-kind", "iterations", "neighborhood", "sigma",
      ])
    #expect(FarnebackParameters.keys.allSatisfy { !$0.help.isEmpty && !$0.allowedValues.isEmpty })
  }
}
