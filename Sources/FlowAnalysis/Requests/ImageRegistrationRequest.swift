// Registration requests: how the second image of a pair lies on the first.

import Imaging
import Registration

/// A request that finds one map for the whole image, from the floating image (`current`, the target) to the reference
/// (`previous`, the handler's image). The images may differ in size. A region of interest is cut out of either image,
/// in fractions of its own size; what lies outside is not looked at.
///
/// Revision 1: `ImageRegistration` with its default parameters.
public protocol ImageRegistrationRequest: AnalysisRequest {
  /// The family of maps that is asked for.
  var model: TransformModel { get }
  /// The method by which the map is looked for. Directly, for frames that a short time lies between; by keypoints, for
  /// images from anywhere; or automatically: directly, and by keypoints where that is not sure. That takes ten times as
  /// long, so that along a stream with cuts or blank frames `direct` is the better choice.
  var method: ImageRegistration.Method { get set }
}

extension ImageRegistrationRequest {
  /// The revisions that this release knows: 1.
  public static var supportedRevisions: [Int] { [1] }

  /// The map that both images of a pair support.
  func register(_ pair: FramePair) -> RegistrationEvidence {
    let (reference, floating, images) = pair.registrationPair(region: regionOfInterest)
    var result = ImageRegistration(model: model, method: method, parallelism: pair.parallelism).estimate(images)
    // Where nothing is known, nothing moves, whatever the sizes of the regions.
    if result.model > .identity {
      result.warpTransform =
        (reference.placement * result.warpTransform
        * .translation(
          x: -Double(floating.rect.x), y: -Double(floating.rect.y))).normalized
    }
    return RegistrationEvidence(
      result: result, requestedModel: model, referenceSize: pair.previous.size, floatingSize: pair.current.size,
      previousTime: pair.previousTime, currentTime: pair.currentTime)
  }
}

/// Finds the shift that lays the floating image on the reference.
public struct TranslationalImageRegistrationRequest: ImageRegistrationRequest, Codable {
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The method by which the map is looked for.
  public var method: ImageRegistration.Method
  /// The family of maps.
  public var model: TransformModel { .translation }

  /// A request for the whole images and all frames.
  public init(method: ImageRegistration.Method = .automatic) { self.method = method }

  /// Registers a pair; never fails: what is not supported has a reason and no confidence.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> ImageAlignmentObservation {
    ImageAlignmentObservation(evidence: register(pair))
  }
}

/// Finds the shift and the turn that lay the floating image on the reference.
public struct EuclideanImageRegistrationRequest: ImageRegistrationRequest, Codable {
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The method by which the map is looked for.
  public var method: ImageRegistration.Method
  /// The family of maps.
  public var model: TransformModel { .euclidean }

  /// A request for the whole images and all frames.
  public init(method: ImageRegistration.Method = .automatic) { self.method = method }

  /// Registers a pair; never fails: what is not supported has a reason and no confidence.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> ImageAlignmentObservation {
    ImageAlignmentObservation(evidence: register(pair))
  }
}

/// Finds the affine map (shift, turn, zoom, stretch, shear) that lays the floating image on the reference.
public struct AffineImageRegistrationRequest: ImageRegistrationRequest, Codable {
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The method by which the map is looked for.
  public var method: ImageRegistration.Method
  /// The family of maps.
  public var model: TransformModel { .affine }

  /// A request for the whole images and all frames.
  public init(method: ImageRegistration.Method = .automatic) { self.method = method }

  /// Registers a pair; never fails: what is not supported has a reason and no confidence.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> ImageAlignmentObservation {
    ImageAlignmentObservation(evidence: register(pair))
  }
}

/// Finds the projective map that lays the floating image on the reference.
public struct HomographicImageRegistrationRequest: ImageRegistrationRequest, Codable {
  /// Pins the algorithm and its parameters.
  public var revision = Self.defaultRevision
  /// The part to look at, in fractions of the image.
  public var regionOfInterest = NormalizedRect.full
  /// The spacing of the pairs of a stream's frames that are looked at.
  public var frameSpacing = FrameSpacing.everyFrame
  /// The method by which the map is looked for.
  public var method: ImageRegistration.Method
  /// The family of maps.
  public var model: TransformModel { .homography }

  /// A request for the whole images and all frames.
  public init(method: ImageRegistration.Method = .automatic) { self.method = method }

  /// Registers a pair; never fails: what is not supported has a reason and no confidence.
  public func observe(_ pair: FramePair) throws(AnalysisError) -> ImageHomographicAlignmentObservation {
    ImageHomographicAlignmentObservation(evidence: register(pair))
  }
}
