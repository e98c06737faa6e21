// Two images with their keypoints and matches.

import Imaging

struct FeaturePair {
  let reference: Plane<Float>
  let floating: Plane<Float>
  let parameters: FeatureRegistrationParameters
  let parallelism: Parallelism
  let frame: MatchFrame
  private(set) var matches: MatchSet
  let agreement: PhotometricAgreement
  private let referenceFeatures: FeatureSet
  private let floatingFeatures: FeatureSet
  private var pointMatches: [(match: PointMatch, ratio: Float)]

  // The numbers were chosen by hand.

  /// The maximum number of matches that are kept, the surest ones.
  private static let maximumMatches = 2000
  /// The minimum number of keypoints that determine a map.
  private static let minimumKeypoints = 4
  /// The minimum side of an image that can hold a keypoint, in pixels.
  static let minimumSide = 12

  init(
    reference: KeypointImage, floating: KeypointImage, parameters: FeatureRegistrationParameters,
    parallelism: Parallelism
  ) {
    self.reference = reference.plane
    self.floating = floating.plane
    self.parameters = parameters
    self.parallelism = parallelism
    frame = MatchFrame(reference: reference.plane.size, floating: floating.plane.size)
    agreement = PhotometricAgreement(reference: reference, floating: floating, parallelism: parallelism)
    referenceFeatures = reference.features
    floatingFeatures = floating.features
    matches = MatchSet([])
    pointMatches = []
    add(referenceFeatures, floatingFeatures, referenceView: .identity, floatingView: .identity)
    sortMatches()
  }

  /// Returns the reason for which two images cannot be registered; nil when there is none.
  static func obstacle(reference: KeypointImage, floating: KeypointImage) -> FallbackReason? {
    let (a, b) = (reference.plane.size, floating.plane.size)
    if min(a.width, a.height, b.width, b.height) < minimumSide { return .imageTooSmall }
    return min(reference.features.count, floating.features.count) < minimumKeypoints ? .tooLittleTexture : nil
  }

  /// Returns the pair with the matches, too, that appear when one of the images is seen from the side.
  /// - Parameter goesOn: Asked before each view whether the rest is still wanted.
  func withSimulatedViews(while goesOn: () -> Bool) -> FeaturePair {
    var pair = self
    for direction in 0..<SimulatedView.directionCount where goesOn() {
      if let r = SimulatedView(of: reference, direction: direction, parallelism: parallelism) {
        let warpedReference = r.inSource(FeatureSet(of: r.image, parameters: parameters, parallelism: parallelism))
        pair.add(warpedReference, floatingFeatures, referenceView: r.linear, floatingView: .identity)
      }
      if let f = SimulatedView(of: floating, direction: direction, parallelism: parallelism) {
        let warpedFloating = f.inSource(FeatureSet(of: f.image, parameters: parameters, parallelism: parallelism))
        pair.add(referenceFeatures, warpedFloating, referenceView: .identity, floatingView: f.linear)
      }
    }
    pair.sortMatches()
    return pair
  }

  /// Returns the pair with the matches that are found when the floating image is warped by a map, and only those.
  ///
  /// - Parameter map: From floating to reference, in pixels.
  func guided(by map: Homography, radius: Double) -> FeaturePair? {
    guard let warped = WarpedImage(floating, by: map, size: reference.size, parallelism: parallelism) else {
      return nil
    }
    let features = FeatureSet(of: warped.image, parameters: parameters, parallelism: parallelism)
    var pair = self
    pair.pointMatches = []
    for (index, other) in GuidedMatching(radius: Float(radius)).pairs(reference: referenceFeatures, warped: features) {
      guard let keypoint = warped.inSource(features.keypoints[other]) else { continue }
      pair.pointMatches.append((frame.match(referenceFeatures.keypoints[index], keypoint), 0))
    }
    pair.sortMatches()
    return pair
  }

  private mutating func add(
    _ r: FeatureSet, _ f: FeatureSet, referenceView: Matrix2x2, floatingView: Matrix2x2
  ) {
    let matcher = DescriptorMatcher(maximumRatio: Float(parameters.distanceRatio))
    for pair in matcher.matches(reference: r, floating: f, parallelism: parallelism) {
      let match = frame.match(
        r.keypoints[pair.reference], f.keypoints[pair.floating], referenceView: referenceView,
        floatingView: floatingView)
      pointMatches.append((match, pair.ratio))
    }
  }

  private mutating func sortMatches() {
    let order = pointMatches.indices.sorted {
      pointMatches[$0].ratio != pointMatches[$1].ratio ? pointMatches[$0].ratio < pointMatches[$1].ratio : $0 < $1
    }
    matches = MatchSet(frame.unique(order.prefix(Self.maximumMatches).map { pointMatches[$0].match }))
  }

  /// The distance from which on a match is wrong, normalised: the unit is half a diagonal.
  var limit: Double { parameters.tolerance / 500 }

  /// The limits of what the map may do to the floating image.
  var plausibility: MapPlausibility { MapPlausibility(corners: frame.floatingCorners) }
}
