import Foundation
import Imaging
import Registration
import TestSupport
import Testing
import VideoIO

/// Published pairs of wide baseline.
@Suite struct FeaturePublishedPairsTests {
  private struct Truth: Decodable {
    var points: [[Double]]
    var positions: [[Double]]

    enum CodingKeys: String, CodingKey {
      case points = "validation_B"
      case positions = "validation_A"
    }
  }

  /// Mean errors at the annotated points, in pixels: one and a half times those of OpenCV's SIFT with MAGSAC, and 5
  /// pixels where that fails (the page of the last pair is bent).
  @Test(
    .enabled(if: TestData.has("homography"), "needs the test data"),
    arguments: [("adam", 1.0), ("boat", 2.82), ("city", 0.645), ("LePoint1", 5)])
  func annotatedPointsAreFound(name: String, limit: Double) throws {
    let folder = try TestData.url("homography")
    let text = try Data(contentsOf: folder.appendingPathComponent("homogr_gt.json"))
    let truth = try #require(JSONDecoder().decode([String: Truth].self, from: text)[name])
    let reference = try StillImage.luma(contentsOf: folder.appendingPathComponent("\(name)A.png").path)
    let floating = try StillImage.luma(contentsOf: folder.appendingPathComponent("\(name)B.png").path)
    for result in [
      FeatureRegistration().estimate(reference: reference, floating: floating, model: .homography),
      ImageRegistration(model: .homography).estimate(reference: reference, floating: floating),
    ] {
      let errors = zip(truth.points, truth.positions).map { point, position in
        let found = result.warpTransform.apply(x: point[0], y: point[1])
        return hypot(found.x - position[0], found.y - position[1])
      }
      #expect(errors.reduce(0, +) / Double(errors.count) < limit)
      #expect(result.model == .homography && result.confidence > 0.8)
    }
  }

  @Test(.enabled(if: TestData.has("homography"), "needs the test data")) func graffitiFromTheSide() throws {
    let folder = try TestData.url("homography")
    let first = try StillImage.luma(contentsOf: folder.appendingPathComponent("graf1.png").path)
    let third = try StillImage.luma(contentsOf: folder.appendingPathComponent("graf3.png").path)
    let truth = Homography([
      0.76285898, -0.29922929, 225.67123, 0.33443473, 1.0143901, -76.999973, 3.4663091e-4, -1.4364524e-5, 1,
    ])
    let byFeatures = FeatureRegistration().estimate(reference: third, floating: first, model: .homography)
    #expect(Self.cornerError(byFeatures, truth, first.size) < 1.5)
    let refined = ImageRegistration(model: .homography).estimate(reference: third, floating: first)
    #expect(Self.cornerError(refined, truth, first.size) < 0.7)
    #expect(byFeatures.confidence > 0.8 && refined.confidence > 0.8)
  }

  private static func cornerError(_ result: RegistrationResult, _ truth: Homography, _ size: PixelSize) -> Double {
    let corners = [(0, 0), (size.width - 1, 0), (0, size.height - 1), (size.width - 1, size.height - 1)]
    let errors = corners.map { corner in
      let found = result.warpTransform.apply(x: Double(corner.0), y: Double(corner.1))
      let position = truth.apply(x: Double(corner.0), y: Double(corner.1))
      return hypot(found.x - position.x, found.y - position.y)
    }
    return errors.reduce(0, +) / 4
  }

  @Test(.enabled(if: TestData.has("homography"), "needs the test data")) func differentScenesAreUnrelated() throws {
    let folder = try TestData.url("homography")
    let names = ["adamA", "boatB", "graf1", "LePoint1A"]
    let images = try names.map { try StillImage.luma(contentsOf: folder.appendingPathComponent("\($0).png").path) }
    for index in 1..<names.count {
      for result in [
        FeatureRegistration().estimate(
          reference: images[index], floating: images[index - 1], model: .homography),
        ImageRegistration(model: .homography).estimate(reference: images[index], floating: images[index - 1]),
      ] {
        #expect(result.confidence < 0.2 && result.model == .identity, "\(names[index]) and \(names[index - 1])")
      }
    }
  }
}
