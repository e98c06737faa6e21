// Digests of what the engines compute on built-in scenes: the same everywhere, or something is wrong.

import FlowAnalysis
import FlowRendering
import Foundation
import Imaging
import MotionDetection
import Registration
import SceneSynthesis

/// Computes flow, registrations, detection and drawings of built-in scenes.
///
/// The digests of one version are the same on every processor, for every instruction set and number of threads. They
/// tell whether an installation computes what it should, and two machines whether they may share work.
public struct SelfTest: Sendable {
  /// The outcome of one part.
  public struct Part: Sendable, Hashable {
    /// The name of the part: `flow dis medium`.
    public var name: String
    /// SHA-256 of all numbers that were computed, as 64 hexadecimal digits.
    public var digest: String
  }

  /// The number of threads to use; it changes no digest.
  public var parallelism: Parallelism

  /// Creates a test that runs on so many threads.
  public init(parallelism: Parallelism = Parallelism()) { self.parallelism = parallelism }

  /// The size of the scenes, in pixels: odd, so that no row ends where a vector does.
  private static let size = PixelSize(width: 237, height: 131)
  private static let detectionSize = PixelSize(width: 320, height: 180)

  /// Computes all parts.
  /// - Parameter tell: Called with each part as it is done.
  /// - Throws: `SceneError`, `AnalysisError`, `RenderingError` or `MotionDetectionError`.
  public func run(_ tell: (Part) throws -> Void) throws {
    let scene = try scene(.objectsPan, Self.size)
    let images = (scene.luma(4, roundedTo8Bit: true), scene.luma(5, roundedTo8Bit: true))
    try tell(Part(name: "scene", digest: Self.digest(of: images.0, images.1)))
    var flow: FlowField?
    for accuracy in OpticalFlowRequest.ComputationAccuracy.allCases {
      for algorithm in [
        OpticalFlowRequest.Algorithm.dis(.init(accuracy)), .farneback(.init(accuracy)), .lucasKanade(.init(accuracy)),
      ] {
        let handler = SequenceRequestHandler(parallelism: parallelism)
        var request = OpticalFlowRequest(algorithm: algorithm)
        request.measuresConfidence = true
        _ = try handler.perform(request, on: images.0)
        guard let observation = try handler.perform(request, on: images.1) else { continue }
        flow = flow ?? observation.flow
        let planes = [observation.flow.u, observation.flow.v, observation.confidence].compactMap(\.self)
        try tell(
          Part(name: "flow \(algorithm.name) \(accuracy.rawValue)", digest: Self.digest(of: planes)))
      }
    }
    try registrations(tell)
    if let flow { try drawings(of: flow, over: scene.frame(4), tell) }
    try detection(tell)
  }

  private func scene(_ name: SceneName, _ size: PixelSize) throws -> Scene {
    try Scene(SceneParameters(name: name, size: size), parallelism: parallelism)
  }

  private func registrations(_ tell: (Part) throws -> Void) throws {
    let scene = try scene(.perspective, Self.size)
    let images = (scene.luma(0, roundedTo8Bit: true), scene.luma(3, roundedTo8Bit: true))
    for model in [TransformModel.translation, .homography] {
      for method in [ImageRegistration.Method.direct, .features] {
        let registration = ImageRegistration(model: model, method: method, parallelism: parallelism)
        let result = registration.estimate(reference: images.0, floating: images.1)
        let numbers = result.warpTransform.elements + [Double(result.confidence)]
        let digest = numbers.withUnsafeBytes(FileDigest.text)
        try tell(Part(name: "registration \(model.name) \(method.rawValue)", digest: digest))
      }
    }
  }

  private func drawings(of flow: FlowField, over image: Plane<RGBA8>, _ tell: (Part) throws -> Void) throws {
    let styles = RenderingStyle.allCases.filter { !$0.needsConfidence && $0 != .contours }
    for style in styles {
      let renderer = try FlowRenderer(
        options: RenderingOptions(style: style), size: flow.size, parallelism: parallelism)
      let drawn = try renderer.image(of: flow, background: image)
      try tell(Part(name: "drawing \(style.rawValue)", digest: Self.digest(of: [drawn])))
    }
  }

  /// Detects the walkers, with noise.
  private func detection(_ tell: (Part) throws -> Void) throws {
    let scene = try Scene(
      SceneParameters(name: .walkers, size: Self.detectionSize, frameCount: 100, noiseSigma: 2),
      parallelism: parallelism)
    let detector = try MotionDetector(size: scene.size, options: .init(parallelism: parallelism))
    var updates: [MotionDetector.Update] = []
    for t in 0..<scene.frameCount {
      updates += try detector.detect(scene.luma(t, roundedTo8Bit: true), at: scene.presentationTime(t))
    }
    updates += detector.finish()
    // Floating-point numbers have as many digits as name them exactly.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try updates.reduce(into: Data()) { $0 += try Self.json(of: $1, by: encoder) }
    try tell(Part(name: "detection", digest: bytes.withUnsafeBytes(FileDigest.text)))
  }

  /// Returns an update as reports and statistics keep it: names of the source code are not part of it.
  private static func json(of update: MotionDetector.Update, by encoder: JSONEncoder) throws -> Data {
    switch update {
    case .frame(let statistics): try encoder.encode(statistics)
    case .started(let event), .ended(let event): try encoder.encode(event)
    case .suppressed(let period): try encoder.encode(period)
    }
  }

  /// Returns the digest of the samples of planes, row by row.
  private static func digest<Scalar>(of planes: Plane<Scalar>...) -> String { digest(of: planes) }

  private static func digest<Scalar>(of planes: [Plane<Scalar>]) -> String {
    var bytes = Data()
    for plane in planes {
      plane.withView { view in
        for y in 0..<view.height {
          let count = view.width * MemoryLayout<Scalar>.stride
          bytes.append(contentsOf: UnsafeRawBufferPointer(start: view.row(y), count: count))
        }
      }
    }
    return bytes.withUnsafeBytes(FileDigest.text)
  }
}
