// Images of one size brought to another.

/// The way from the size of frames to that at which they are analysed. Used by one thread.
package enum ImageScaling {
  /// Images are of that size.
  case unchanged
  /// Larger images become smaller: each pixel is the mean of what it covers.
  case means(AreaAverage)
  /// Smaller images become larger: bilinear interpolation to a size.
  case enlargement(PixelSize)

  /// - Parameters:
  ///   - source: The size of what goes in; at least one pixel.
  ///   - target: The size of what comes out; both sides of it are longer than `source`'s, or neither.
  package init(from source: PixelSize, to target: PixelSize) {
    if source == target {
      self = .unchanged
    } else if target.width >= source.width, target.height >= source.height {
      self = .enlargement(target)
    } else {
      self = .means(AreaAverage(source: source, target: target))
    }
  }

  /// Returns an image at the new size.
  package func scaled(_ image: Plane<Float>) -> Plane<Float> {
    switch self {
    case .unchanged: return image
    case .means(let average): return image.withView(average.means)
    case .enlargement(let size):
      var target = Plane<Float>(width: size.width, height: size.height)
      image.resize(into: &target, multiplyingBy: 1, parallelism: .serial)
      return target
    }
  }

  /// Returns an image of samples of 8 bits at the new size.
  package func scaled(_ image: PlaneView<UInt8>) -> Plane<Float> {
    guard case .means(let average) = self else { return scaled(Plane(converting: image, parallelism: .serial)) }
    return average.means(of: image)
  }
}
