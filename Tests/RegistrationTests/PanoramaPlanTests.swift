import Foundation
import Imaging
import TestSupport
import Testing

@testable import Registration

/// The placements of images of a panorama, out of links between them.
@Suite struct PanoramaPlanTests {
  private static let size = PixelSize(width: 400, height: 300)
  private static let focalLength = 350.0

  /// Returns the map from pixels of a camera that is turned by `pan` and `tilt` to those of one that is not.
  private func placement(pan: Double, tilt: Double = 0, roll: Double = 0, f: Double = focalLength) -> Homography {
    let (cx, cy) = (199.5, 149.5)
    let camera = Homography([f, 0, cx, 0, f, cy, 0, 0, 1])
    let back = Homography([1 / f, 0, -cx / f, 0, 1 / f, -cy / f, 0, 0, 1])
    let turn = Homography([cos(pan), 0, sin(pan), 0, 1, 0, -sin(pan), 0, cos(pan)])
    let nod = Homography([1, 0, 0, 0, cos(tilt), -sin(tilt), 0, sin(tilt), cos(tilt)])
    let tip = Homography([cos(roll), -sin(roll), 0, sin(roll), cos(roll), 0, 0, 0, 1])
    return camera * turn * nod * tip * back
  }

  private func link(_ a: Int, _ b: Int, _ placements: [Homography], confidence: Double = 1) -> ImageLink {
    let map = (placements[a].linearInverse ?? .identity) * placements[b]
    return ImageLink(reference: a, floating: b, map: map.normalized, confidence: confidence)
  }

  private func sizes(_ count: Int) -> [PixelSize] { Array(repeating: Self.size, count: count) }

  // MARK: Graph

  @Test func theTreeTakesTheSurestLinks() {
    let confidences = [(0, 1, 0.9), (1, 2, 0.5), (0, 2, 0.8), (2, 3, 0.7), (4, 5, 0.6)]
    let links = confidences.map { ImageLink(reference: $0.0, floating: $0.1, map: .identity, confidence: $0.2) }
    let graph = ImageGraph(count: 7, links: links)
    #expect(Set(graph.tree.map(\.confidence)) == [0.9, 0.8, 0.7, 0.6])
    #expect(graph.components == [[0, 1, 2, 3], [4, 5], [6]])
    #expect(graph.center(of: [0, 1, 2, 3]) == 0)
    let placements = graph.placements(around: 0)
    #expect(placements.indices.filter { placements[$0] != nil } == [0, 1, 2, 3])
  }

  @Test func placementsFollowChainsBothWays() throws {
    let shifts = [0.0, 100, 250, 330]
    let truth = shifts.map { Homography.translation(x: $0, y: $0 / 10) }
    let graph = ImageGraph(count: 4, links: [link(1, 0, truth), link(1, 2, truth), link(3, 2, truth)])
    let placements = graph.placements(around: 2)
    for (index, shift) in shifts.enumerated() {
      let position = try #require(placements[index]?.project(7, 9))
      #expect(abs(position.x - 7 - shift + 250) < 1e-9 && abs(position.y - 9 - (shift - 250) / 10) < 1e-9)
    }
  }

  // MARK: Adjustment

  /// A ring of six images whose links are each wrong by some pixels: the chain's end is far off, the ring is not.
  @Test func errorsAreSpreadOverLoops() throws {
    var random = FixedRandom(seed: 4)
    let truth = (0..<6).map { index in
      let angle = Double(index) * .pi / 3
      return Homography.translation(x: 150 * cos(angle), y: 150 * sin(angle))
    }
    let links = (0..<6).map { index in
      var link = link(index, (index + 1) % 6, truth)
      link.map =
        .translation(x: Double.random(in: -3...3, using: &random), y: Double.random(in: -3...3, using: &random))
        * link.map
      return link
    }
    let rough = ImageGraph(count: 6, links: links).placements(around: 0)
    let adjusted = PlacementAdjustment(model: .translation, sizes: sizes(6), links: links).adjusted(rough, center: 0)
    func residual(_ placements: [Homography?]) throws -> Double {
      try links.map { link in
        let map = try #require(placements[link.reference]?.linearInverse) * #require(placements[link.floating])
        let (a, b) = (try #require(map.project(200, 150)), try #require(link.map.project(200, 150)))
        return hypot(a.x - b.x, a.y - b.y)
      }.max() ?? 0
    }
    let (before, after) = (try residual(rough), try residual(adjusted))
    #expect(after < 0.5 * before, "\(before), then \(after)")
    #expect(adjusted[0] == .identity)
  }

  @Test func exactLinksStayExact() throws {
    let truth = [(-0.4, 0.02), (0.0, 0.0), (0.35, -0.05), (0.1, 0.3)].map { placement(pan: $0.0, tilt: $0.1) }
    let links = [(1, 0), (1, 2), (1, 3), (0, 3), (2, 3), (0, 2)].map { link($0.0, $0.1, truth) }
    let plan = try PanoramaPlan(links: links, sizes: sizes(4), model: .homography)
    #expect(plan.members == [0, 1, 2, 3])
    for index in 0..<4 {
      let map = try #require(truth[plan.center].linearInverse) * truth[index]
      let (expected, found) = (try #require(map.project(30, 40)), try #require(plan.placements[index]?.project(30, 40)))
      #expect(abs(expected.x - found.x) < 1e-6 && abs(expected.y - found.y) < 1e-6)
    }
  }

  @Test func oneWrongLinkDoesNotBendTheRest() throws {
    let truth = (0..<5).map { Homography.translation(x: 80 * Double($0), y: 0) }
    var links = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (1, 3), (2, 4)].map { link($0.0, $0.1, truth) }
    links.append(
      ImageLink(reference: 0, floating: 4, map: .translation(x: 250, y: 60), confidence: 0.6))
    let plan = try PanoramaPlan(links: links, sizes: sizes(5), model: .affine)
    for index in 0..<5 {
      let position = try #require(plan.placements[index]?.project(200, 150))
      #expect(abs(position.x - 200 - 80 * Double(index - plan.center)) < 2, "\(index): \(position)")
    }
  }

  // MARK: Camera

  @Test(arguments: [200.0, 350, 1200]) func theFocalLengthFollowsFromTurns(f: Double) throws {
    let truth = (0..<4).map { placement(pan: 0.15 * Double($0), tilt: 0.03 * Double($0 % 2), f: f) }
    let links = (0..<3).map { link($0, $0 + 1, truth) }
    let model = try #require(RotationModel(links: links, sizes: sizes(4)))
    #expect(abs(model.focalLength - f) < 0.001 * f && model.deviation < 1e-6, "\(model)")
  }

  @Test func shiftsTellNoFocalLength() {
    let truth = (0..<3).map { Homography.translation(x: 90 * Double($0), y: 5) }
    #expect(RotationModel(links: [link(0, 1, truth), link(1, 2, truth)], sizes: sizes(3)) == nil)
  }

  // MARK: Layout

  @Test func narrowTurnsStayOnThePlane() throws {
    let truth = [-0.2, 0, 0.2].map { placement(pan: $0) }
    let plan = try PanoramaPlan(links: [link(0, 1, truth), link(1, 2, truth)], sizes: sizes(3), model: .homography)
    let layout = try plan.layout(projection: nil, maximumSide: 10_000)
    #expect(layout.projection == .plane && layout.scale == 1)
    let right = Self.focalLength * tan(0.2 + atan(199.5 / Self.focalLength))
    #expect(abs(Double(layout.size.width) - 2 * right) < 3, "\(layout.size) \(right)")
  }

  @Test(arguments: [false, true]) func turnsAllAroundCloseOnACylinder(isUpward: Bool) throws {
    let count = 12
    let step = 2 * Double.pi / Double(count)
    let truth = (0..<count).map { index in
      let angle = Double(index) * step
      return isUpward ? placement(pan: 0, tilt: angle) : placement(pan: angle, tilt: 0.1)
    }
    let links = (0..<count).map { link($0, ($0 + 1) % count, truth) }
    let plan = try PanoramaPlan(links: links, sizes: sizes(count), model: .homography)
    let layout = try plan.layout(projection: nil, maximumSide: 10_000)
    #expect(layout.projection == .cylinder)
    let length = isUpward ? layout.size.height : layout.size.width
    #expect(abs(Double(length) - 2 * .pi * Self.focalLength) < 4, "\(layout.size)")
    #expect(throws: PanoramaError.self) { try plan.layout(projection: .plane, maximumSide: 10_000) }
  }

  /// Links that are a little off, as real ones are, leave the focal length open by much more than the closed turn does.
  @Test func aFullTurnTellsTheFocalLength() throws {
    let count = 18
    let truth = (0..<count).map { placement(pan: 2 * Double.pi / Double(count) * Double($0), tilt: 0.05) }
    var random = FixedRandom(seed: 12)
    let links = (0..<count).map { index in
      var link = link(index, (index + 1) % count, truth)
      let bend = Homography([
        1, 0, 0, 0, 1, 0, Double.random(in: -6e-5...6e-5, using: &random),
        Double.random(in: -6e-5...6e-5, using: &random), 1,
      ])
      link.map = link.map * .translation(x: 199.5, y: 149.5) * bend * .translation(x: -199.5, y: -149.5)
      return link
    }
    let plan = try PanoramaPlan(links: links, sizes: sizes(count), model: .homography)
    let focalLength = try #require(plan.focalLength)
    #expect(abs(focalLength - Self.focalLength) < 0.02 * Self.focalLength, "\(focalLength)")
    let layout = try plan.layout(projection: nil, maximumSide: 10_000)
    #expect(layout.projection == .cylinder)
    #expect(abs(Double(layout.size.width) - 2 * .pi * Self.focalLength) < 0.02 * 2 * .pi * Self.focalLength)
    // No waves: all cameras look at one height.
    #expect(layout.size.height < 380, "\(layout.size)")
  }

  /// Maps that are no rotations at all, too wide for a plane.
  @Test func wideMapsGoOnACylinderHoweverFarFromRotations() throws {
    let truth = [-0.9, -0.45, 0, 0.45, 0.9].map { pan in
      placement(pan: pan) * Homography([1, 0.06 * pan, 0, 0, 1 + 0.1 * abs(pan), 0, 0, 0, 1])
    }
    let links = (0..<4).map { link($0, $0 + 1, truth) }
    let plan = try PanoramaPlan(links: links, sizes: sizes(5), model: .homography)
    #expect(try #require(plan.rotation).deviation > 1e-4)
    #expect(try plan.layout(projection: nil, maximumSide: 10_000).projection == .cylinder)
  }

  /// Cameras that all look down a little: the cylinder's axis is the one they turn about.
  @Test func theAxisIsWhereTheCamerasTurn() throws {
    let truth = (0..<6).map { placement(pan: 0.3 * Double($0), tilt: 0.2) }
    let plan = try PanoramaPlan(
      links: (0..<5).map { link($0, $0 + 1, truth) }, sizes: sizes(6), model: .homography)
    let layout = try plan.layout(projection: .cylinder, maximumSide: 10_000)
    // Every camera's middle lies on one line across the panorama.
    let rows = layout.images.map { image in
      (0..<layout.size.height).min { a, b in distance(layout, image, row: a) < distance(layout, image, row: b) }
        ?? 0
    }
    #expect((rows.max() ?? 0) - (rows.min() ?? 0) <= 1, "\(rows)")
  }

  private func distance(_ layout: PanoramaLayout, _ image: PlacedImage, row: Int) -> Double {
    var minimum = Double.infinity
    layout.forEachPosition(of: image, row: row, columns: 0..<layout.size.width) { _, position in
      minimum = min(minimum, hypot(position.x - 199.5, position.y - 149.5))
    }
    return minimum
  }

  @Test func thePanoramaSeesWhatTheImagesShow() throws {
    let truth = [-0.5, -0.1, 0.3, 0.7].map { placement(pan: $0, tilt: 0.1 * $0) }
    let plan = try PanoramaPlan(
      links: (0..<3).map { link($0, $0 + 1, truth) }, sizes: sizes(4), model: .homography)
    for projection in PanoramaProjection.allCases {
      let layout = try plan.layout(projection: projection, maximumSide: 700)
      let reduced = layout.reduced(by: 3)
      // Points in two images of one pixel are points of one ray.
      let (a, b) = (layout.images[1], layout.images[2])
      let map = try #require(plan.placements[2]?.linearInverse) * #require(plan.placements[1])
      for y in stride(from: 20, to: layout.size.height, by: 60) {
        var positions: [Int: SIMD2<Double>] = [:]
        layout.forEachPosition(of: a, row: y, columns: 0..<layout.size.width) { positions[$0] = $1 }
        layout.forEachPosition(of: b, row: y, columns: 0..<layout.size.width) { x, position in
          guard let other = positions[x], let expected = map.project(other.x, other.y) else { return }
          guard a.contains(other) || b.contains(position) else { return }
          #expect(abs(expected.x - position.x) < 1e-6 && abs(expected.y - position.y) < 1e-6)
        }
        var coarse: SIMD2<Double>?
        reduced.forEachPosition(of: a, row: y / 3, columns: 40..<41) { coarse = $1 }
        var fine: SIMD2<Double>?
        layout.forEachPosition(of: a, row: y / 3 * 3 + 1, columns: 121..<122) { fine = $1 }
        if let coarse, let fine { #expect(abs(coarse.x - fine.x) < 1e-9 && abs(coarse.y - fine.y) < 1e-9) }
      }
    }
  }

  @Test func errorsSayWhatToDo() throws {
    let apart = [placement(pan: 0), placement(pan: 1.2)]
    #expect(throws: PanoramaError(.tooFewConnected, "")) {
      do { _ = try PanoramaPlan(links: [], sizes: sizes(3), model: .homography) } catch let error as PanoramaError {
        #expect(error.message.contains("3 images"))
        throw PanoramaError(error.code, "")
      }
    }
    let plan = try PanoramaPlan(links: [link(0, 1, apart)], sizes: sizes(2), model: .homography)
    #expect(throws: PanoramaError.self) { try plan.layout(projection: .plane, maximumSide: 5000) }
    let shifts = [Homography.identity, .translation(x: 90, y: 0)]
    let flat = try PanoramaPlan(links: [link(0, 1, shifts)], sizes: sizes(2), model: .translation)
    #expect(throws: PanoramaError.self) { try flat.layout(projection: .cylinder, maximumSide: 5000) }
    #expect(try flat.layout(projection: nil, maximumSide: 245).size.width == 245)
  }
}
