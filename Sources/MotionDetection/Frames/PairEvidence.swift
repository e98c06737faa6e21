// The evidence of motion in two frames: the border between looking and remembering.

import Imaging

/// The evidence of motion that two frames give.
///
/// A value that can be stored and sent. It depends on the two images and on an ``EvidencePrior``: what memory says
/// beforehand of noise and camera, so that nothing is computed that it has no use for. Without a prior it can be had on
/// any machine, for any pair alone: it then holds more cells than memory will count, and memory leaves those out.
package struct PairEvidence: Sendable, Hashable, Codable {
  /// The time of the current frame.
  package var time: MediaTime
  /// The evidence of the cells.
  var cells: CellEvidence
  /// The camera's motion; nil: it stood still, or the images do not tell how it moved.
  var camera: CameraMotion?
  /// A Boolean value that tells whether the current frame shows another scene.
  var isCut = false
  /// A Boolean value that tells whether the flow was computed for the sake of strong noise alone: the camera may cause
  /// it.
  var lookedAtNoise = false
  /// The share of the image that flow was computed of, 0…1.
  var flowShare = 0.0
  /// The results of the rules for the image as a whole, in the order in which they were asked.
  var ruleResults: [RuleResult] = []

  /// A motion of the camera.
  struct CameraMotion: Sendable, Hashable, Codable {
    /// The map from pixels of the previous image to those of the current one.
    var map: Homography
    /// The motion of the corner of the image that moves most along an axis, in pixels.
    var distance: Double
    /// The minimum distance from which on the camera moved, unless it shakes, in pixels.
    static let minimumDistance = 0.25
    /// A Boolean value that tells whether the motion is more than what is left of a shake.
    var isStrong: Bool { distance >= Self.minimumDistance }
  }

  /// A Boolean value that tells whether a registration found a map that deforms the image, which is no camera's.
  var mapDeforms: Bool { ruleResults.contains { $0.rule == .deformation && !$0.isSatisfied } }

  /// Keeps the result of a rule.
  /// - Returns: Whether the rule is met.
  mutating func isSatisfied(_ ruleResult: RuleResult) -> Bool {
    ruleResults.append(ruleResult)
    return ruleResult.isSatisfied
  }
}

/// The knowledge that memory has of a pair before it is looked at.
struct EvidencePrior: Sendable {
  /// The difference that each cell has while nothing moves; nil: a guess from the pair itself.
  var noiseFloor: NoiseFloor?
  /// The knowledge of the camera's motions of late.
  var camera = CameraHistory.Prior()
  /// The share of the textured cells that nothing explained of late, 0…1: water has much of it in slow videos.
  var recentUnrelatedShare = 0.0
}
