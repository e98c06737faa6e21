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
  private var frames: [(id: Int, prepared: Engine.Prepared)] = []
  private var spare: [Engine.Prepared] = []

  init(engine: Engine, eigenvalue: ((Engine.Prepared) -> Plane<Float>)? = nil) {
    self.engine = engine
    self.eigenvalue = eigenvalue
    workspace = engine.makeWorkspace()
  }

  func prepare(_ frame: Int, _ image: () -> Plane<Float>) {
    guard !frames.contains(where: { $0.id == frame }) else { return }
    var prepared = spare.popLast() ?? engine.makePrepared()
    engine.prepare(image(), into: &prepared)
    frames.append((frame, prepared))
  }

  func flow(from previous: Int, to current: Int, startingFrom initial: FlowField?) -> FlowField {
    engine.flow(
      previous: prepared(previous), current: prepared(current), startingFrom: initial, workspace: &workspace)
  }

  func minimumEigenvalue(of frame: Int) -> Plane<Float>? { eigenvalue.map { $0(prepared(frame)) } }

  func release(_ frame: Int) {
    guard let index = frames.firstIndex(where: { $0.id == frame }) else { return }
    spare.append(frames.remove(at: index).prepared)
  }

  private func prepared(_ frame: Int) -> Engine.Prepared {
    guard let found = frames.first(where: { $0.id == frame }) else {
      preconditionFailure("frame \(frame) has not been prepared")
    }
    return found.prepared
  }
}
