// How images in any order lie on each other.

import Imaging
import Registration
import VideoIO

/// Registers the pairs of images that overlap.
struct ImageMatcher {
  private let task: Stitching

  /// The maximum length of the longer side of images when they are registered, in pixels: finer detail adds nothing to
  /// the map.
  private static let maximumSide = 1600
  /// The maximum distance of a refinement from the features' map, in parts of the longer side: beyond it, the
  /// refinement follows something else. Chosen by hand.
  private static let maximumMapDistance = 0.02
  /// The minimum confidence of a refinement that is used. Chosen by hand.
  private static let minimumRefinementConfidence = 0.2
  /// The minimum overlap: narrower ones tie nothing.
  private static let minimumOverlap = 0.02

  init(task: Stitching) { self.task = task }

  /// An image, reduced and prepared.
  private struct Candidate {
    /// The size of the reduced image.
    var size: PixelSize
    var keypoints: KeypointImage
    var sample: KeypointSample
    var image: RegistrationImage
    var step: Int
  }

  func images(_ monitor: JobMonitor) throws -> ImageSet {
    var set = ImageSet()
    var candidates: [Candidate] = []
    for path in task.inputs where !monitor.interruption.isSet {
      let image = try StillImage.rgb(contentsOf: path)
      let step = reductionStep(image.size, maximumSide: Self.maximumSide)
      let reduced = image.averaged(by: step, parallelism: task.parallelism)
      let luma = reduced.luma
      let keypoints = KeypointImage(luma, parallelism: task.parallelism)
      candidates.append(
        Candidate(
          size: luma.size, keypoints: keypoints, sample: KeypointSample(of: keypoints),
          image: RegistrationImage(luma, parallelism: task.parallelism), step: step))
      set.names.append(path)
      set.sizes.append(image.size)
      set.thumbnails.append(ImageSet.Thumbnail(of: image, parallelism: task.parallelism))
    }
    monitor.estimatedFrames = candidates.count * (candidates.count + 1) / 2
    set.links = try links(candidates, monitor)
    let paths = task.inputs
    set.forEachImage = { numbers, body in
      for number in numbers { try body(number, try StillImage.rgb(contentsOf: paths[number])) }
    }
    return set
  }

  private func links(_ candidates: [Candidate], _ monitor: JobMonitor) throws -> [ImageLink] {
    var links: [ImageLink] = []
    let pairs = likeliestPairs(candidates, monitor.interruption)
    var failures = 0
    for (a, b) in pairs where !monitor.interruption.isSet {
      // What is left shows nothing in common, once as many pairs in a row as there are images had no link.
      let isLeftOut =
        failures >= candidates.count && ImageGraph(count: candidates.count, links: links).components.count == 1
      if !isLeftOut, let link = link(a, b, candidates, simulatesViews: false, monitor.interruption) {
        links.append(link)
        failures = 0
      } else {
        failures += 1
      }
      try monitor.countImage()
    }
    // Images that tie nowhere are tried again as seen from the side, which takes four times as long.
    for (a, b) in pairs where !monitor.interruption.isSet {
      let graph = ImageGraph(count: candidates.count, links: links)
      guard graph.components.count > 1 else { break }
      guard let group = graph.components.first(where: { $0.contains(a) }), !group.contains(b) else { continue }
      if let link = link(a, b, candidates, simulatesViews: true, monitor.interruption) { links.append(link) }
    }
    return links
  }

  /// Returns all pairs, those first whose strongest keypoints match most often.
  private func likeliestPairs(_ candidates: [Candidate], _ interruption: Interruption) -> [(Int, Int)] {
    let pairs = candidates.indices.flatMap { a in candidates.indices.dropFirst(a + 1).map { (a, $0) } }
    let counts = pairs.map { a, b in
      interruption.isSet
        ? 0 : candidates[a].sample.matchCount(with: candidates[b].sample, parallelism: task.parallelism)
    }
    return pairs.indices.sorted { counts[$0] != counts[$1] ? counts[$0] > counts[$1] : $0 < $1 }.map { pairs[$0] }
  }

  private func link(
    _ a: Int, _ b: Int, _ candidates: [Candidate], simulatesViews: Bool, _ interruption: Interruption
  ) -> ImageLink? {
    let (reference, floating) = (candidates[a], candidates[b])
    let features = FeatureRegistration(parameters: FeatureRegistrationParameters(simulatesViews: simulatesViews))
    let found = features.estimate(
      reference: reference.keypoints, floating: floating.keypoints, model: task.model, parallelism: task.parallelism
    ) { !interruption.isSet }
    guard found.confidence >= features.parameters.minimumConfidence, found.model > .identity else { return nil }
    let map = refined(found, reference, floating)
    guard map.overlap(of: floating.size, with: reference.size) >= Self.minimumOverlap else { return nil }
    return ImageLink(
      reference: a, floating: b, map: map.betweenFullSizes(reference: reference.step, floating: floating.step),
      confidence: found.confidence)
  }

  /// Returns the map after photometric refinement, where that agrees.
  private func refined(_ found: RegistrationResult, _ reference: Candidate, _ floating: Candidate) -> Homography {
    var engine = RegistrationEngine(model: found.model, parallelism: task.parallelism)
    // What keypoints tie has texture.
    engine.asksShading = false
    let result = engine.estimate(
      reference: reference.image, floating: floating.image, candidates: [found.warpTransform])
    let distance = result.warpTransform.distance(
      from: found.warpTransform, floating: floating.size, reference: reference.size)
    let limit = Self.maximumMapDistance * Double(max(reference.size.width, reference.size.height))
    guard result.reason == nil, result.confidence >= Self.minimumRefinementConfidence, distance <= limit else {
      return found.warpTransform
    }
    return result.warpTransform
  }
}
