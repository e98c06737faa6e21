// The colour of an image in fewer samples.

/// Averages colour differences of any resolution down. Keeps its working memory; used by one thread.
package struct ColorReduction {
  private var average: AreaAverage?

  /// A reduction without working memory yet.
  package init() {}

  /// Returns the average from one size to another, the one of before where the sizes are those of before; nil where the
  /// target has more samples or none.
  package mutating func average(from source: PixelSize, to target: PixelSize) -> AreaAverage? {
    guard !target.isEmpty, source.width >= target.width, source.height >= target.height else { return nil }
    if let average, average.source == source, average.target == target { return average }
    average = AreaAverage(source: source, target: target)
    return average
  }

  /// Returns the means of colour differences; nil where the target has more samples or none.
  package mutating func reduce(_ colors: ChrominancePlanes, to target: PixelSize) -> ChrominancePlanes? {
    guard let average = average(from: colors.blueDifference.size, to: target) else { return nil }
    return ChrominancePlanes(
      blueDifference: colors.blueDifference.withView(average.means),
      redDifference: colors.redDifference.withView(average.means))
  }
}
