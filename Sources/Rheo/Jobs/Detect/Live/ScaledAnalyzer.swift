import Imaging

/// An analysis of images whose size may change on the way: then it begins anew. Used by one thread.
final class ScaledAnalyzer<Survey> {
  private let make: (PixelSize) -> Survey
  private var current: (size: PixelSize, survey: Survey)?

  /// - Parameter make: Makes an analysis of images of a size.
  init(_ make: @escaping (PixelSize) -> Survey) { self.make = make }

  /// Returns the analysis for images of this size, a new one when the size has changed.
  func survey(for size: PixelSize) -> Survey {
    if let current, size == current.size { return current.survey }
    let survey = make(size)
    current = (size, survey)
    return survey
  }
}
