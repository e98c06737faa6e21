// The intermediate results that a handler keeps so that nothing is computed twice.

import Imaging
import Registration

/// Everything that requests need of single frames, and the engines with their memory. Owned by one handler.
final class AnalysisCache {
  let parallelism: Parallelism
  private var sessions: [FlowSessionKey: FlowSession] = [:]
  private var parts: [PartKey: RegistrationPart] = [:]

  private struct PartKey: Hashable {
    var frame: Int
    var region: NormalizedRect
  }

  init(parallelism: Parallelism) { self.parallelism = parallelism }

  /// The session for a request; a new one for parameters that no request of late has had.
  func flowSession(for request: OpticalFlowRequest, size: PixelSize) throws(AnalysisError) -> FlowSession {
    let key = FlowSessionKey(request, size: size)
    if let session = sessions[key] {
      session.idlePasses = 0
      return session
    }
    let session = try FlowSession(key, parallelism: parallelism)
    sessions[key] = session
    return session
  }

  /// An image, or what lies in a region of it, prepared for registration.
  func registrationPart(of frame: CachedFrame, region: NormalizedRect) -> RegistrationPart {
    let key = PartKey(frame: frame.id, region: region)
    if let known = parts[key] { return known }
    let part = RegistrationPart(of: frame.image, region: region, parallelism: parallelism)
    parts[key] = part
    return part
  }

  /// Lets go of what is known of a frame.
  func release(_ frame: CachedFrame) {
    for session in sessions.values { session.release(frame.id) }
    parts = parts.filter { $0.key.frame != frame.id }
  }

  /// Ends a pass: drops the flows that its requests shared, and engines that have not been in use for `patience`
  /// passes.
  func endPass(patience: Int) {
    for (key, session) in sessions {
      session.forgetFlows()
      session.idlePasses += 1
      if session.idlePasses > patience { sessions[key] = nil }
    }
  }

  /// Forgets a pass that failed, as if it had not begun.
  func abandonPass() { for session in sessions.values { session.abandonFlows() } }

  /// Ends the influence of earlier flow on warm starts.
  func forgetMotion() { for session in sessions.values { session.forgetMotion() } }
}

/// The part of an image that is registered, with its position in it.
struct RegistrationPart {
  let prepared: RegistrationImage
  let image: Plane<Float>
  let rect: PixelRect

  init(of image: Plane<Float>, region: NormalizedRect, parallelism: Parallelism) {
    rect = PixelRect(region, in: image.size)
    self.image = rect.size == image.size ? image : image.cropped(to: rect)
    prepared = RegistrationImage(self.image, parallelism: parallelism)
  }

  /// The map from pixels of the part to those of the image.
  var placement: Homography { .translation(x: Double(rect.x), y: Double(rect.y)) }
}
