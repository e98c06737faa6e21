// A frame with what flow needs of it, shared by the threads that compute the flow of its pairs.

import Imaging
import Synchronization

/// A frame without its pixels, but with what an engine computed from them.
///
/// The frame serves the pair that ends with it and the one that begins with it, on any thread; when the last user lets
/// go, its memory returns to the handler that made it.
package final class PreparedFrame: Sendable {
  /// The time at which the frame shows; nil unless the handler was told.
  package let time: MediaTime?
  /// Width and height of the frame in pixels.
  package let size: PixelSize
  let image: PreparedImage
  /// The image that confidence needs of the frame; nil unless the request measures it.
  let confidenceImage: PaddedPlane?
  private let spares: SpareImages

  init(
    _ image: PreparedImage, confidenceImage: PaddedPlane?, size: PixelSize, time: MediaTime?,
    returningTo spares: SpareImages
  ) {
    self.image = image
    self.confidenceImage = confidenceImage
    self.size = size
    self.time = time
    self.spares = spares
  }

  deinit { spares.put(image) }
}

/// Prepared images that nobody needs any more, kept for their memory.
final class SpareImages: Sendable {
  /// The maximum number of images that are kept: a frame waits for the next one while the following two are being
  /// prepared.
  private static let limit = 3

  private let images = Mutex<[PreparedImage]>([])

  func put(_ image: PreparedImage) {
    images.withLock { if $0.count < Self.limit { $0.append(image) } }
  }

  func take() -> PreparedImage? { images.withLock { $0.popLast() } }
}
