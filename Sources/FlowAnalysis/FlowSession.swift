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
  /// The minimum eigenvalue of one of the last two frames; nil if the method has none.
  func minimumEigenvalue(of frame: FlowSessionFrame) -> Plane<Float>?
}

/// One of the last two frames of a session.
enum FlowSessionFrame { case previous, current }

/// The only place that knows which engine belongs to which algorithm.
func makeSession(
  for algorithm: OpticalFlowRequest.Algorithm, parallelism: Parallelism
) throws(AnalysisError) -> any FlowSession {
  do {
    switch algorithm {
    case .farneback(let parameters):
      return EngineSession(engine: try FarnebackEngine(parameters: parameters, parallelism: parallelism))
    case .lucasKanade(let parameters):
      let engine = try LucasKanadeEngine(parameters: parameters, parallelism: parallelism)
      return EngineSession(engine: engine, eigenvalue: engine.minimumEigenvalue)
    case .dis(let parameters):
      return EngineSession(engine: try InverseSearchEngine(parameters: parameters, parallelism: parallelism))
    }
  } catch {
    throw AnalysisError(code: .invalidParameters, message: error.message)
  }
}

private final class EngineSession<Engine: OpticalFlowEngine>: FlowSession {
  private let engine: Engine
  private let eigenvalue: ((Engine.Prepared) -> Plane<Float>)?
  private var workspace: Engine.Workspace
  private var previous: Engine.Prepared
  private var current: Engine.Prepared

  init(engine: Engine, eigenvalue: ((Engine.Prepared) -> Plane<Float>)? = nil) {
    self.engine = engine
    self.eigenvalue = eigenvalue
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
  func minimumEigenvalue(of frame: FlowSessionFrame) -> Plane<Float>? {
    eigenvalue?(frame == .previous ? previous : current)
  }
}
