import Foundation
import TestSupport
import Testing

@testable import Rheo

/// Flow without the camera's motion, against scenes whose camera and objects are known.
@Suite struct CompensationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func scene(_ name: SceneName, frames: Int = 6) throws -> Scene {
    try Scene(SceneParameters(name: name, size: PixelSize(width: 320, height: 180), frameCount: frames))
  }

  private func record(_ scene: Scene) throws -> URL {
    let input = folder.file("\(scene.parameters.name.rawValue).mkv")
    _ = try SceneRecorder(
      scene: scene, output: input.path, truthFolder: nil,
      encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p", overwrites: true)
    ).run()
    return input
  }

  private func fields(
    of scene: Scene, _ compensation: TransformModel, direction: OpticalFlowRequest.Direction = .forward
  ) throws -> [FlowField] {
    let output = folder.file("\(compensation.name)-\(direction.rawValue)").path
    let request = OpticalFlowRequest(computationAccuracy: .high, direction: direction)
    let export = FlowExport(
      input: try record(scene).path, output: output, flow: request, compensation: compensation, existing: .replace)
    let report = try export.run()
    return try (1...report.pairs).map { try FlowFile.read(contentsOf: "\(output)/frame_00000\($0).flo") }
  }

  /// The mean distance of two fields, in pixels.
  private func distance(_ a: FlowField, _ b: FlowField) -> Double {
    var sum = 0.0
    for y in 0..<a.height {
      for x in 0..<a.width { sum += Double(hypot(a.u[x, y] - b.u[x, y], a.v[x, y] - b.v[x, y])) }
    }
    return sum / Double(a.width * a.height)
  }

  /// The scene's true flow without that of its background.
  private func ownMotion(_ scene: Scene, from t: Int) -> FlowField {
    var flow = scene.flow(from: t)
    let map = scene.homography(t)
    for y in 0..<flow.height {
      for x in 0..<flow.width {
        let position = map.apply(x: Double(x), y: Double(y))
        flow.u[x, y] -= Float(position.x - Double(x))
        flow.v[x, y] -= Float(position.y - Double(y))
      }
    }
    return flow
  }

  @Test(arguments: [SceneName.pan, .zoom, .rotation, .perspective])
  func whereOnlyTheCameraMovesNothingIsLeft(name: SceneName) throws {
    let scene = try scene(name)
    let still = FlowField(size: scene.size)
    let (moving, steady) = (try fields(of: scene, .identity), try fields(of: scene, .homography))
    for (before, after) in zip(moving, steady) {
      #expect(distance(before, still) > 0.3)
      #expect(distance(after, still) < 0.08, "of \(distance(before, still))")
    }
  }

  @Test func objectsKeepTheirOwnMotion() throws {
    let scene = try scene(.objectsPan)
    let (moving, steady) = (try fields(of: scene, .identity), try fields(of: scene, .homography))
    for t in 0..<scene.frameCount - 1 {
      let unavoidable = distance(moving[t], scene.flow(from: t))
      #expect(distance(steady[t], ownMotion(scene, from: t)) < unavoidable + 0.05)
      #expect(distance(steady[t], moving[t]) > 0.5)
    }
  }

  @Test func backwardFlowIsCompensatedOnItsOwnGrid() throws {
    let scene = try scene(.zoom)
    for field in try fields(of: scene, .homography, direction: .backward) {
      #expect(distance(field, FlowField(size: scene.size)) < 0.08)
    }
  }

  @Test func theManifestHoldsWhatWasTakenOut() throws {
    let scene = try scene(.perspective)
    _ = try fields(of: scene, .homography)
    let manifest = try JSONSerialization.jsonObject(
      with: Data(contentsOf: folder.file("homography-forward/manifest.json")))
    let pairs = try #require((manifest as? [String: Any])?["pairs"] as? [[String: Any]])
    for (t, pair) in pairs.enumerated() {
      let elements = try #require(pair["cameraMotion"] as? [Double])
      let back = try #require(scene.homography(t).inverse)
      for (x, y) in [(0.0, 0.0), (319, 0), (0, 179), (319, 179)] {
        let (found, truth) = (Homography(elements).apply(x: x, y: y), back.apply(x: x, y: y))
        #expect(hypot(found.x - truth.x, found.y - truth.y) < 0.1)
      }
    }
  }

  @Test func atACutNothingIsTakenOut() throws {
    let images = (0..<6).map { number in
      Texture(seed: number < 3 ? 21 : 22).image(width: 160, height: 120) { ($0 + 2 * Double(number), $1) }
    }
    var camera = try #require(CameraMotionSequence(model: .homography, parallelism: .serial))
    let motions = images.map { camera.append($0) }
    #expect(motions[0] == nil && motions[3] == .identity)
    for index in [1, 2, 4, 5] {
      let position = try #require(motions[index]).apply(x: 80, y: 60)
      #expect(abs(position.x - 82) < 0.05 && abs(position.y - 60) < 0.05)
    }
    #expect(CameraMotionSequence(model: .identity, parallelism: .serial) == nil)
  }

  @Test func aCompensatedVideoShowsNoArrowsWhereOnlyTheCameraMoves() throws {
    let input = try record(try scene(.pan))
    func drawn(_ compensation: TransformModel) throws -> Double {
      let output = folder.file("drawn.mkv")
      var rendering = RenderingOptions()
      rendering.style = .magnitude
      rendering.maxLength = .fixed(3)
      _ = try Annotation(
        input: input.path, output: output.path, compensation: compensation, rendering: rendering,
        encoding: EncoderOptions(codec: "ffv1", pixelFormat: "yuv420p", overwrites: true)
      ).run()
      let (reader, extractor) = (try VideoReader(output.path), LumaExtractor())
      let image = try extractor.luma(of: try #require(try reader.nextFrame()))
      return (20..<300).reduce(0) { $0 + Double(image[$1, 90]) } / 280
    }
    #expect(try drawn(.homography) < 0.5 * drawn(.identity))
  }
}
