// Cuts between the frames of a pair: there is no motion from one scene to another.

import Imaging
import Registration

/// Tells cuts from motion by small images of both frames and the flow between them. Used by one thread.
final class CutDetector {
  private let average: AreaAverage
  private let scale: Double

  /// The longest side of the images that are compared, in pixels: enough for the few thousand samples that are looked
  /// at.
  private static let maximumSide = 160.0
  /// The number of vectors that the shift is taken of, along each side.
  private static let samples = 32

  /// - Parameter size: The size of the frames.
  init(size: PixelSize) {
    let scale = min(1, Self.maximumSide / Double(max(size.width, size.height)))
    func reduced(_ side: Int) -> Int { max(1, Int((Double(side) * scale).rounded())) }
    self.scale = scale
    average = AreaAverage(
      source: size, target: PixelSize(width: reduced(size.width), height: reduced(size.height)))
  }

  /// Returns the small image of a frame's luma.
  func reduce(_ luma: Plane<Float>) -> Plane<Float> { luma.withView(average.means) }

  /// Returns whether the frames show two scenes: they differ even after the flow's median shift as unrelated images do.
  /// - Parameters:
  ///   - previous: The small image of the earlier frame.
  ///   - current: The small image of the later frame.
  ///   - flow: The flow between the frames, of their size, with the camera's motion in it.
  func separates(_ previous: Plane<Float>, _ current: Plane<Float>, flow: FlowField) -> Bool {
    var (us, vs): ([Float], [Float]) = ([], [])
    for row in 0..<Self.samples {
      for column in 0..<Self.samples {
        let (x, y) = (
          (2 * column + 1) * flow.width / (2 * Self.samples), (2 * row + 1) * flow.height / (2 * Self.samples)
        )
        guard flow.isKnown(x: x, y: y) else { continue }
        us.append(flow[x, y].u)
        vs.append(flow[x, y].v)
      }
    }
    let shift = Homography.translation(
      x: -Double(us.median ?? 0) * scale, y: -Double(vs.median ?? 0) * scale)
    return SceneChange.separates(
      previous: previous, current: current,
      registration: RegistrationResult(
        warpTransform: shift, model: .translation, inlierShare: 0, residual: 0, confidence: 0))
  }
}
