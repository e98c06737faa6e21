// The observations of registration requests.

import Imaging
import Registration

/// The evidence that a registration is known by; see ``ImageRegistrationObservation``.
public struct RegistrationEvidence: Sendable, Hashable, Codable {
  let result: RegistrationResult
  let requestedModel: TransformModel
  let referenceSize: PixelSize
  let floatingSize: PixelSize
  let previousTime: MediaTime?
  let currentTime: MediaTime?
}

/// An observation of how the floating image (`current`) lies on the reference (`previous`), and how far to trust that.
public protocol ImageRegistrationObservation: AnalysisObservation, Hashable {
  /// The evidence that the registration is known by.
  var evidence: RegistrationEvidence { get }
}

extension ImageRegistrationObservation {
  /// The map from pixels of the floating image to pixels of the reference: origin at the middle of the top left pixel,
  /// y down. Its last element is 1. The identity when nothing is known.
  public var warpTransform: Homography { evidence.result.warpTransform }
  /// The share of the textured points seen in both images that move with `warpTransform`, 0…1.
  public var inlierShare: Double { evidence.result.inlierShare }
  /// The root mean square distance, in pixels, from where `warpTransform` puts the points that `inlierShare` counts to
  /// where they lie.
  public var residual: Double { evidence.result.residual }
  /// The confidence: 0 (nothing in common) … 1 (the images agree everywhere).
  public var confidence: Double { evidence.result.confidence }
  /// The family of maps that was asked for.
  public var requestedModel: TransformModel { evidence.requestedModel }
  /// The family of `warpTransform`: the one asked for, or a simpler one, for `fallbackReason`.
  public var model: TransformModel { evidence.result.model }
  /// The reason why `model` is simpler than the one asked for; nil when it is not.
  public var fallbackReason: FallbackReason? { evidence.result.reason }
  /// The size of the reference, `previous`.
  public var referenceSize: PixelSize { evidence.referenceSize }
  /// The size of the floating image, `current`.
  public var floatingSize: PixelSize { evidence.floatingSize }
  /// The time at which the reference shows.
  public var previousTime: MediaTime? { evidence.previousTime }
  /// The time at which the floating image shows.
  public var currentTime: MediaTime? { evidence.currentTime }

  /// `warpTransform` for coordinates as Apple's Vision has them: fractions of each image's size, origin at the lower
  /// left corner, y up. From the floating image to the reference.
  public var normalizedWarpTransform: Homography {
    warpTransform.lowerLeftNormalized(from: floatingSize, to: referenceSize)
  }

  /// Returns the position in the reference of a pixel of the floating image.
  public func apply(to point: PixelPoint) -> PixelPoint { warpTransform.apply(to: point) }

  /// Returns the position in the reference of a point of the floating image; both in fractions of their image's size,
  /// origin at the top left corner.
  public func apply(to point: NormalizedPoint) -> NormalizedPoint {
    NormalizedPoint(apply(to: point.inPixels(of: floatingSize)), in: referenceSize)
  }

  /// The floating image as it lies on the reference: of the reference's size, `fill` where it shows nothing.
  ///
  /// - Parameters:
  ///   - image: The floating image, or another one of its size.
  ///   - interpolation: How the image is sampled between its pixels.
  ///   - fill: What is seen where the floating image shows nothing.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Throws: ``AnalysisError`` with code `sizeMismatch` for an image of another size than the floating one's.
  public func apply<Scalar: WarpSample>(
    to image: Plane<Scalar>, interpolation: Interpolation = .bicubic, fill: Scalar,
    parallelism: Parallelism = Parallelism()
  ) throws(AnalysisError) -> Plane<Scalar> {
    guard image.size == floatingSize else {
      throw AnalysisError(
        code: .sizeMismatch, message: "the image is \(image.size), the floating one was \(floatingSize)")
    }
    return image.warped(
      by: warpTransform, size: referenceSize, interpolation: interpolation, fill: fill, parallelism: parallelism)
  }
}

/// A registration whose map keeps parallels parallel: a shift, a shift and a turn, or an affine map.
public struct ImageAlignmentObservation: ImageRegistrationObservation, Codable {
  /// The evidence that the registration is known by.
  public let evidence: RegistrationEvidence

  /// `warpTransform` as an affine map: from pixels of the floating image to pixels of the reference.
  public var alignmentTransform: AlignmentTransform { AlignmentTransform(warpTransform) }
}

/// A registration by a projective map, ``ImageRegistrationObservation/warpTransform``.
public struct ImageHomographicAlignmentObservation: ImageRegistrationObservation, Codable {
  /// The evidence that the registration is known by.
  public let evidence: RegistrationEvidence
}

/// x′ = a·x + c·y + tx, y′ = b·x + d·y + ty: the names that Core Graphics gives them.
public struct AlignmentTransform: Sendable, Hashable, Codable {
  /// The factor with which x goes into x′.
  public var a: Double
  /// The factor with which x goes into y′.
  public var b: Double
  /// The factor with which y goes into x′.
  public var c: Double
  /// The factor with which y goes into y′.
  public var d: Double
  /// The shift to the right, in pixels.
  public var tx: Double
  /// The shift down, in pixels.
  public var ty: Double

  /// The first two rows of a map whose third is 0, 0, 1.
  init(_ map: Homography) {
    (a, b, c, d, tx, ty) = (map.a, map.d, map.b, map.e, map.c, map.f)
  }
}
