// The length of a motion or a way in the image.

extension SIMD2 where Scalar: FloatingPoint {
  /// The Euclidean length.
  var length: Scalar { (self * self).sum().squareRoot() }
}
