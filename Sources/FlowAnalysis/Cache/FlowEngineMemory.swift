// One algorithm with fixed parameters: the engine, the frames that it prepared, its memory.

import Imaging
import OpticalFlow

/// Hides the engine's types.
protocol FlowEngineMemory: AnyObject {
  /// Prepares a frame, unless it is prepared.
  func prepare(_ frame: Int, _ image: () -> Plane<Float>)
  /// The flow between two prepared frames.
  func flow(from previous: Int, to current: Int, startingFrom initial: FlowField?) -> FlowField
  /// The minimum eigenvalue of a prepared frame; nil if the method has none.
  func minimumEigenvalue(of frame: Int) -> Plane<Float>?
  /// Gives the memory of a frame to the next one that is prepared.
  func release(_ frame: Int)

  /// Prepares an image for engines of the same algorithm on any thread, in the memory of `spare`.
  func prepared(_ image: Plane<Float>, reusing spare: PreparedImage?) -> PreparedImage
  /// Takes an image as a frame that an engine of the same algorithm prepared.
  func adopt(_ image: PreparedImage, as frame: Int)
  /// Lets go of a frame whose memory belongs to someone else.
  func disown(_ frame: Int)
}

/// The result of an engine's preparation of one image.
///
/// SAFETY (unchecked Sendable): written by the one thread that makes it, before any other has it; then only read, until
/// no one else has it any more.
class PreparedImage: @unchecked Sendable {}

private final class EngineImage<Prepared: Sendable>: PreparedImage, @unchecked Sendable {
  var value: Prepared
  /// A Boolean value that tells whether flow of the image may come to infinity.
  var mayOverflow = false
  init(_ value: Prepared) { self.value = value }
}

/// The only place that knows which engine belongs to which algorithm.
func makeEngineMemory(
  for algorithm: OpticalFlowRequest.Algorithm, parallelism: Parallelism
) throws(AnalysisError) -> any FlowEngineMemory {
  do {
    switch algorithm {
    case .farneback(let parameters):
      return EngineMemory(engine: try FarnebackEngine(parameters: parameters, parallelism: parallelism))
    case .lucasKanade(let parameters):
      let engine = try LucasKanadeEngine(parameters: parameters, parallelism: parallelism)
      return EngineMemory(engine: engine, eigenvalue: engine.minimumEigenvalue)
    case .dis(let parameters):
      return EngineMemory(engine: try InverseSearchEngine(parameters: parameters, parallelism: parallelism))
    }
  } catch {
    throw AnalysisError(code: .invalidParameters, message: error.message)
  }
}

private final class EngineMemory<Engine: OpticalFlowEngine>: FlowEngineMemory {
  private let engine: Engine
  private let eigenvalue: ((Engine.Prepared) -> Plane<Float>)?
  private var workspace: Engine.Workspace
  private var frames: [(id: Int, image: Image)] = []
  private var spare: [Image] = []

  private typealias Image = EngineImage<Engine.Prepared>

  init(engine: Engine, eigenvalue: ((Engine.Prepared) -> Plane<Float>)? = nil) {
    self.engine = engine
    self.eigenvalue = eigenvalue
    workspace = engine.makeWorkspace()
  }

  func prepare(_ frame: Int, _ image: () -> Plane<Float>) {
    guard !frames.contains(where: { $0.id == frame }) else { return }
    frames.append((frame, fill(spare.popLast(), with: image())))
  }

  func prepared(_ image: Plane<Float>, reusing spare: PreparedImage?) -> PreparedImage {
    fill(spare.map(typed), with: image)
  }

  func adopt(_ image: PreparedImage, as frame: Int) { frames.append((frame, typed(image))) }

  func disown(_ frame: Int) { frames.removeAll { $0.id == frame } }

  func flow(from previous: Int, to current: Int, startingFrom initial: FlowField?) -> FlowField {
    let (first, second) = (image(previous), image(current))
    // Engines multiply what lies in margins by 0, which is 0 of finite numbers only.
    defer { if first.mayOverflow || second.mayOverflow { workspace = engine.makeWorkspace() } }
    return engine.flow(
      previous: first.value, current: second.value, startingFrom: initial, workspace: &workspace)
  }

  func minimumEigenvalue(of frame: Int) -> Plane<Float>? { eigenvalue.map { $0(image(frame).value) } }

  func release(_ frame: Int) {
    guard let index = frames.firstIndex(where: { $0.id == frame }) else { return }
    spare.append(frames.remove(at: index).image)
  }

  private func fill(_ spare: Image?, with image: Plane<Float>) -> Image {
    let prepared = spare.flatMap { $0.mayOverflow ? nil : $0 } ?? Image(engine.makePrepared())
    prepared.mayOverflow = !image.isWithin(Self.maximumSample)
    engine.prepare(image, into: &prepared.value)
    return prepared
  }

  private func typed(_ image: PreparedImage) -> Image {
    guard let image = image as? Image else { preconditionFailure("an image prepared by another engine") }
    return image
  }

  /// The grey level from which on an image counts as one whose flow may overflow: far beyond any camera's.
  private static var maximumSample: Float { 1e6 }

  private func image(_ frame: Int) -> Image {
    guard let found = frames.first(where: { $0.id == frame }) else {
      preconditionFailure("frame \(frame) has not been prepared")
    }
    return found.image
  }
}

extension Plane<Float> {
  /// Returns whether all samples are finite and no larger than this, in magnitude.
  fileprivate func isWithin(_ limit: Float) -> Bool {
    withView { view in
      for y in 0..<view.height {
        let row = view.row(y)
        // Without a way out of the loop, so that it goes over many samples at once.
        var count = 0
        for x in 0..<view.width { count += abs(row[x]) <= limit ? 1 : 0 }
        if count < view.width { return false }
      }
      return true
    }
  }
}
