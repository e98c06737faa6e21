// How much a residual counts in a fit that single wrong values must not bend.

/// The residual, in standard deviations of normal errors, from which Tukey's biweight is 0: 95 % efficient for them.
package let biweightCutoff = 4.685
/// The standard deviation of normal errors per median of their absolute values: 1 / Φ⁻¹(¾).
package let deviationPerMedian = 1.4826

/// Tukey's biweight (Beaton & Tukey, Technometrics 16, 1974, doi:10.1080/00401706.1974.10489171).
///
/// - Parameter ratio: The residual in units of the cutoff.
/// - Returns: 1 for what fits, 0 from a ratio of 1 on.
package func biweight(_ ratio: Double) -> Double {
  let left = max(1 - ratio * ratio, 0)
  return left * left
}
