// One algorithm with fixed parameters at work on a sequence: the engine, the last frame it prepared, its memory.

import Imaging
import OpticalFlow

/// Hides the engine's types from the request handlers.
protocol FlowSession: AnyObject {
  /// Prepares the first frame.
  func start(_ image: Plane<Float>)
  /// Prepares the next frame and estimates the flow between the last one and it.
  func advance(to image: Plane<Float>, direction: OpticalFlowRequest.Direction) -> FlowField
}

/// The only place that knows which engine belongs to which algorithm.
func makeSession(
  for algorithm: OpticalFlowRequest.Algorithm, parallelism: Parallelism
) throws(AnalysisError) -> any FlowSession {
  do {
    switch algorithm {
    case .farneback(let parameters):
      return EngineSession(engine: try FarnebackEngine(parameters: parameters, parallelism: parallelism))
    }
  } catch {
    throw AnalysisError(code: .invalidParameters, message: error.message)
  }
}

private final class EngineSession<Engine: OpticalFlowEngine>: FlowSession {
  private let engine: Engine
  private var workspace: Engine.Workspace
  private var last: Engine.Prepared
  private var next: Engine.Prepared

  init(engine: Engine) {
    self.engine = engine
    workspace = engine.makeWorkspace()
    last = engine.makePrepared()
    next = engine.makePrepared()
  }

  func start(_ image: Plane<Float>) { engine.prepare(image, into: &last) }

  func advance(to image: Plane<Float>, direction: OpticalFlowRequest.Direction) -> FlowField {
    engine.prepare(image, into: &next)
    swap(&last, &next)
    return switch direction {
    case .forward: engine.flow(previous: next, current: last, workspace: &workspace)
    case .backward: engine.flow(previous: last, current: next, workspace: &workspace)
    }
  }
}
