// Images in whatever form a program has them.

import Imaging

/// An image that handlers take, in whatever form a program has it.
///
/// A `Plane<Float>` of luma is one. `VideoFrame`, the `URL` of a file and the `Data` of an encoded image are, too, with
/// `import Rheo`. Pixels in anyone's memory, RGBA and NV12 among them, become a plane:
///
///     try handler.perform(request, on: Plane.luma(of: bytes, layout: .nv12, size: size, stride: stride), at: time)
public protocol ImageSource: Sendable {
  /// The time at which the image shows; nil for an image that does not know it.
  var knownTime: MediaTime? { get }

  /// Returns the luma of the image, `width × height`, 0…255.
  /// - Throws: ``AnalysisError`` with code `unreadableImage`.
  func luma(parallelism: Parallelism) throws(AnalysisError) -> Plane<Float>
}

extension ImageSource {
  /// No time is known, unless the image says so.
  public var knownTime: MediaTime? { nil }
}

extension Plane: ImageSource where Scalar == Float {
  /// The plane itself.
  public func luma(parallelism: Parallelism) -> Plane<Float> { self }
}
