import Imaging

@testable import VideoIO

extension Plane {
  /// All pixels, row by row.
  var pixels: [Scalar] {
    withView { view in (0..<view.height).flatMap { y in (0..<view.width).map { view.row(y)[$0] } } }
  }
}
