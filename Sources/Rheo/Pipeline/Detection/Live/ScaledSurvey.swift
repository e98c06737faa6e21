import Imaging

/// A survey of pictures whose size may change on the way: then it begins anew. Used by one thread.
final class ScaledSurvey<Survey> {
  private let make: (PixelSize) -> Survey
  private var current: (size: PixelSize, survey: Survey)?

  /// - Parameter make: A survey of pictures of this size.
  init(_ make: @escaping (PixelSize) -> Survey) { self.make = make }

  /// The survey for a picture of this size.
  func survey(for size: PixelSize) -> Survey {
    if let current, size == current.size { return current.survey }
    let survey = make(size)
    current = (size, survey)
    return survey
  }
}
