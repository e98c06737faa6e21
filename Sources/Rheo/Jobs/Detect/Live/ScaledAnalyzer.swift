import Imaging

/// An analysis of images whose size may change on the way: then it begins anew. Used by one thread.
final class ScaledAnalyzer<Survey> {
  private let make: (PixelSize) -> Survey
  private var current: (size: PixelSize, survey: Survey)?

  /// - Parameter make: An analysis of images of this size.
  init(_ make: @escaping (PixelSize) -> Survey) { self.make = make }

  /// The analysis for an image of this size.
  func survey(for size: PixelSize) -> Survey {
    if let current, size == current.size { return current.survey }
    let survey = make(size)
    current = (size, survey)
    return survey
  }
}
