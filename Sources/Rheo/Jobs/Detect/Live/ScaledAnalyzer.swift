import Imaging

/// An analysis of images whose size may change on the way: then it begins anew. Used by one thread.
final class ScaledAnalyzer<Analyzer> {
  private let make: (PixelSize) -> Analyzer
  private var current: (size: PixelSize, analyzer: Analyzer)?

  /// - Parameter make: Makes an analysis of images of a size.
  init(_ make: @escaping (PixelSize) -> Analyzer) { self.make = make }

  /// Returns the analysis for images of this size, a new one when the size has changed.
  func analyzer(for size: PixelSize) -> Analyzer {
    if let current, size == current.size { return current.analyzer }
    let analyzer = make(size)
    current = (size, analyzer)
    return analyzer
  }
}
