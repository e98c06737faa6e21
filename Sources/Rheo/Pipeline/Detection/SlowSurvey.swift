// What moves too slowly, or is too dim in the noise, to be seen from frame to frame.

import FlowAnalysis
import Imaging
import MotionDetection
import OpticalFlow

/// Surveys long exposures: means of several frames, aligned by the camera's motion. Used by one thread.
///
/// The rules are those of the frames, for a video that runs so many times faster. A mean of two frames has half of the noise,
/// and what moves by a twentieth of a pixel a frame moves by four tenths between two means of eight. What travels or sways
/// from frame to frame is none of its business: at this distance in time it looks like anything, so the places where it does
/// are left out, as are those whose light changed; where there is nothing else no flow is computed.
final class SlowSurvey {
  private let handler: SequenceRequestHandler
  private let request: OpticalFlowRequest
  private let grid: CellGrid
  private let parallelism: Parallelism
  private var analyzer: MotionAnalyzer
  private var exposure: LongExposure
  private var previous: Plane<Float>?
  /// Pixels of the first picture of `previous`'s exposure to those of the last one of it.
  private var previousMotion: Homography?
  /// Whether the handler's last picture is `previous`.
  private var handlerIsCurrent = false
  private var unrest: Unrest
  /// Of the last pair of exposures, in pixels per frame.
  private var travellers: [MotionObservation.Traveller] = []
  private var moves: [Bool]

  /// An exposure has at least so many frames.
  private let leastFrames: Int
  /// And it takes at least so many seconds.
  private let leastSeconds: Double

  /// Seconds of a frame: at 25 a second the least number of frames and the least time are one.
  private static let frameDuration = 0.04 - 1e-6

  /// - Parameters:
  ///   - frames: Of an exposure, at 25 frames a second or fewer; at more it has more.
  ///   - request: The flow between two exposures.
  ///   - size: Of the analysed pictures.
  init(frames: Int, request: OpticalFlowRequest, size: PixelSize, parallelism: Parallelism) {
    leastFrames = frames
    leastSeconds = Double(frames) * Self.frameDuration
    self.request = request
    self.parallelism = parallelism
    handler = SequenceRequestHandler(parallelism: parallelism)
    analyzer = MotionAnalyzer(size: size, parameters: MotionParameters().slowed(by: frames))
    grid = analyzer.grid
    exposure = LongExposure(size: size, parallelism: parallelism)
    unrest = Unrest(grid: grid)
    moves = Array(repeating: false, count: grid.count)
  }

  /// Begins anew: after a gap, or, with `newScene`, after a cut.
  func restart(newScene: Bool) {
    previous = nil
    handlerIsCurrent = false
    exposure.reset()
    analyzer.restart(newScene: newScene)
    forgetFindings()
    if newScene { unrest.reset() }
  }

  private func forgetFindings() {
    travellers = []
    for cell in moves.indices { moves[cell] = false }
  }

  /// Takes the next frame.
  /// - Parameters:
  ///   - camera: Pixels of the frame before to those of this one; nil: the camera stood still.
  ///   - observation: What the frame shows against the one before.
  /// - Returns: That with what the last exposures show.
  func complete(
    _ observation: MotionObservation, image: Plane<Float>, camera: Homography?, seconds: Double
  ) throws -> MotionObservation {
    unrest.note(observation, seconds: seconds)
    if exposure.count >= leastFrames, seconds - exposure.start >= leastSeconds {
      try advance(to: camera, seconds: seconds)
    }
    exposure.add(image, camera: camera, seconds: seconds)
    guard !travellers.isEmpty || moves.contains(true) else { return observation }
    return merged(observation)
  }

  private func merged(_ observation: MotionObservation) -> MotionObservation {
    var whole = observation
    let known = Set(observation.travellers.map(\.cell))
    whole.travellers += travellers.filter { !known.contains($0.cell) }
    for cell in moves.indices where moves[cell] { whole.moves[cell] = true }
    return whole
  }

  /// Compares the exposure that is complete with the one before, and begins another.
  private func advance(to camera: Homography?, seconds: Double) throws {
    let (current, frames) = (exposure.picture, exposure.count)
    let motion = exposure.motion
    defer {
      previous = current
      previousMotion = camera.map { camera in motion.map { camera * $0 } ?? camera } ?? motion
      exposure.reset()
    }
    guard let previous else { return analyzer.start(seconds: seconds) }
    var barred = unrest.places
    let aligned = previousMotion?.inverse.map { inverse in
      current.warped(
        by: inverse, size: current.size, interpolation: .bicubic, border: .replicate, fill: 0, parallelism: parallelism)
    }
    var flow: FlowField?
    if analyzer.compare(previous: previous, current: aligned ?? current, except: barred) {
      flow = try self.flow(from: previous, to: aligned ?? current)
      unrest.disturb(analyzer.litCells)
      barred = unrest.places
    }
    handlerIsCurrent = flow != nil && aligned == nil
    let found = analyzer.advance(
      previous: previous, current: aligned ?? current, flow: flow, camera: aligned == nil ? nil : previousMotion,
      except: barred, seconds: seconds)
    keep(found, frames: frames)
  }

  private func flow(from previous: Plane<Float>, to current: Plane<Float>) throws -> FlowField? {
    if !handlerIsCurrent {
      handler.reset()
      _ = try handler.perform(request, on: previous)
    }
    return try handler.perform(request, on: current)?.flow
  }

  private func keep(_ found: MotionObservation, frames: Int) {
    let pace = Float(frames)
    moves = found.moves
    travellers = found.travellers.map {
      MotionObservation.Traveller(
        cell: $0.cell, u: $0.u / pace, v: $0.v / pace, age: $0.age * frames, lag: frames)
    }
  }
}
