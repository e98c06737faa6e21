// The result of a registration, and how far to trust it.

import Imaging

/// The map of one image onto another, with how far it can be trusted.
public struct RegistrationResult: Sendable, Hashable, Codable {
  /// Maps pixels of the floating image to pixels of the reference; its last element is 1.
  public var warpTransform: Homography
  /// The family that `warpTransform` was fitted in: the one asked for, or a simpler one (see `reason`).
  public var model: TransformModel
  /// The share of the textured tiles or blocks seen in both images that move with `warpTransform`, 0…1.
  public var inlierShare: Double
  /// The root mean square distance, in pixels, between the points that move with `warpTransform` and their images under
  /// it.
  public var residual: Double
  /// The confidence: 0 (nothing in common) … 1 (the images agree everywhere).
  public var confidence: Double
  /// The reason for which `model` is simpler than the one asked for; nil when it is not.
  public var reason: FallbackReason?

  /// A result for registrations of your own.
  public init(
    warpTransform: Homography, model: TransformModel, inlierShare: Double, residual: Double, confidence: Double,
    reason: FallbackReason? = nil
  ) {
    self.warpTransform = warpTransform
    self.model = model
    self.inlierShare = inlierShare
    self.residual = residual
    self.confidence = confidence
    self.reason = reason
  }
}

/// The reason for which a registration gave a simpler map than the one asked for.
public enum FallbackReason: String, Sendable, Hashable, CaseIterable, Codable {
  /// An image is too small to hold a patch with its surroundings.
  case imageTooSmall = "pictureTooSmall"
  /// There is nothing to hold on to: no textured points, or too few.
  case tooLittleTexture
  /// No part of one image is found in the other.
  case unrelatedImages = "unrelatedPictures"
  /// The textured points lie so that they leave the map open: it would be far off elsewhere.
  case illConditioned
  /// The best map folds, mirrors or shrinks the image to nothing.
  case implausible

  /// A sentence for reports.
  public var explanation: String {
    switch self {
    case .imageTooSmall: "an image is too small"
    case .tooLittleTexture: "too little texture to hold on to"
    case .unrelatedImages: "the images have nothing in common"
    case .illConditioned: "the texture lies where it does not determine the map"
    case .implausible: "the best map would fold or collapse the image"
    }
  }
}
