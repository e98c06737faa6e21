import Testing

@testable import Imaging

@Suite struct SaturatingTests {
  @Test func sumsAndDifferencesEndWithTheNumbers() {
    #expect(Int64.max.addingSaturated(1) == .max && Int64.min.addingSaturated(-1) == .min)
    #expect(Int64.min.subtractingSaturated(1) == .min && Int64.max.subtractingSaturated(-1) == .max)
    // There is no such number as −Int64.min.
    #expect(Int64(0).subtractingSaturated(.min) == .max)
    #expect(Int.max.addingSaturated(.max) == .max && Int.min.subtractingSaturated(.max) == .min)
    #expect(5.addingSaturated(-7) == -2 && 5.subtractingSaturated(7) == -2)
  }

  @Test func numbersWithoutASignEndAtZero() {
    #expect(UInt64.max.addingSaturated(1) == .max && UInt64(3).subtractingSaturated(5) == 0)
  }

  @Test func fractionsBecomeTheNearestNumber() {
    #expect(Int(saturating: 1e300) == .max && Int(saturating: -.infinity) == .min && Int(saturating: .nan) == 0)
    #expect(Int(saturating: 2.9) == 2 && Int(saturating: -2.9) == -2)
  }
}
