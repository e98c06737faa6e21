// Arithmetic on numbers that files tell: they may be anything.

extension Int {
  /// Creates the whole number towards zero, or the nearest that exists; 0 for NaN.
  package init(saturating value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value.isNaN ? 0 : value < 0 ? .min : .max)
  }
}

extension FixedWidthInteger {
  /// Returns the sum, or the nearest number that exists.
  package func addingSaturated(_ other: Self) -> Self {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the nearest number that exists.
  package func subtractingSaturated(_ other: Self) -> Self {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other < 0 ? .max : .min) : difference
  }
}
