// One algorithm with fixed parameters at work on a sequence: the engine, the last frame it prepared, its memory.

import Imaging
import OpticalFlow

/// Hides the engine's types from the request handlers.
protocol FlowSession: AnyObject {
  /// Prepares the first frame.
  func start(_ image: Plane<Float>)
  /// Prepares the next frame; the one before becomes `previous`.
  func advance(to image: Plane<Float>)
  /// The flow from the frame before to the last one.
  func forwardFlow(startingFrom initial: FlowField?) -> FlowField
  /// The flow from the last frame to the one before.
  func backwardFlow(startingFrom initial: FlowField?) -> FlowField
}

/// The only place that knows which engine belongs to which algorithm.
func makeSession(
  for algorithm: OpticalFlowRequest.Algorithm, parallelism: Parallelism
) throws(AnalysisError) -> any FlowSession {
  do {
    switch algorithm {
    case .farneback(let parameters):
      return EngineSession(engine: try FarnebackEngine(parameters: parameters, parallelism: parallelism))
    case .lucasKanade(let parameters):
      return EngineSession(engine: try LucasKanadeEngine(parameters: parameters, parallelism: parallelism))
    case .dis(let parameters):
      return EngineSession(engine: try InverseSearchEngine(parameters: parameters, parallelism: parallelism))
    }
  } catch {
    throw AnalysisError(code: .invalidParameters, message: error.message)
  }
}

private final class EngineSession<Engine: OpticalFlowEngine>: FlowSession {
  private let engine: Engine
  private var workspace: Engine.Workspace
  private var previous: Engine.Prepared
  private var current: Engine.Prepared

  init(engine: Engine) {
    self.engine = engine
    workspace = engine.makeWorkspace()
    previous = engine.makePrepared()
    current = engine.makePrepared()
  }

  func start(_ image: Plane<Float>) { engine.prepare(image, into: &current) }

  func advance(to image: Plane<Float>) {
    swap(&previous, &current)
    engine.prepare(image, into: &current)
  }

  func forwardFlow(startingFrom initial: FlowField?) -> FlowField {
    engine.flow(previous: previous, current: current, startingFrom: initial, workspace: &workspace)
  }

  func backwardFlow(startingFrom initial: FlowField?) -> FlowField {
    engine.flow(previous: current, current: previous, startingFrom: initial, workspace: &workspace)
  }
}
