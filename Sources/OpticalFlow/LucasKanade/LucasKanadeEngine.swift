// Dense Lucas-Kanade from coarse to fine.
//
// Lucas & Kanade, IJCAI 1981; pyramid: Bouguet 2000; warping and its linearisation: Baker & Matthews, IJCV 2004,
// doi:10.1023/B:VISI.0000011205.11775.fd. In a window around each pixel the displacement is taken for constant; the
// least squares solution of the linearised constancy of grey levels tells it; the second image is read anew
// where the displacement points to, and so on; from coarse to fine.
//
// Deviations from the papers:
// (1) Each pixel of a window is linearised around its own displacement so far instead of that of the window's middle,
//     so that the equations of a pixel serve all windows it lies in, and the sums over the windows cost the same
//     whatever their size. The displacement is solved for, not its change: a change per pixel, added up, lets errors
//     grow from iteration to iteration (mean error 0.72 instead of 1.22 pixels on the Middlebury training pairs, 21×21
//     window).
// (2) The gradient is the mean of both images', which makes the linearisation exact to second order (0.64).
// (3) Windows shift (Kanade & Okutomi 1994; Kang, Szeliski & Chai, CVPR 2001): each pixel takes over the solution of
// that
//     window, of nine that it lies in, which fits best, or the mean of those that fit alike. At a motion border those
//     are windows which do not reach over it (0.44; with smaller windows, which this allows, 0.39).
// (4) λ·1 is added to the 2×2 matrix, and λ times the displacement so far to the right side: where a window has no
//     texture, or none in one direction, that displacement stays.

import Imaging

/// Dense pyramidal Lucas-Kanade. Good at: textured surfaces, sharp motion borders, speed. Bad at: wide areas without
/// texture, small things that move by more than their size, changes of light.
public struct LucasKanadeEngine: OpticalFlowEngine {
  /// The parameters of the engine.
  public typealias Parameters = LucasKanadeParameters

  /// An image's pyramid.
  public struct Prepared: Sendable {
    /// The size of the image.
    public private(set) var size = PixelSize(width: 0, height: 0)
    fileprivate var levels: [PaddedPlane] = []
    /// The levels above the full-size image before they get their margins, kept for their memory.
    private var scratch: [Plane<Float>] = []

    /// The full-size image with its margins.
    func withFullSizeView(_ body: (GridView) -> Void) { levels[0].withView(body) }

    fileprivate mutating func build(_ image: Plane<Float>, _ pyramid: FullSizePyramid, _ parallelism: Parallelism) {
      let sizes = pyramid.levels.map(\.size)
      size = sizes[0]
      if levels.map(\.size) != sizes {
        levels = sizes.map { PaddedPlane(size: $0) }
        scratch = sizes.dropFirst().map { Plane(size: $0) }
      }
      levels[0].copy(image, parallelism: parallelism)
      for (index, level) in pyramid.levels.enumerated().dropFirst() {
        image.smoothAndResize(with: level.smoothing, into: &scratch[index - 1], parallelism: parallelism)
        levels[index].copy(scratch[index - 1], parallelism: parallelism)
      }
    }
  }

  /// The flow of the level at hand, and what an iteration needs besides.
  public struct Workspace {
    fileprivate let flow = LevelFlow()
    fileprivate let windows = WindowSolutions()
  }

  /// Checked when the engine was made.
  public let parameters: LucasKanadeParameters
  /// The number of threads that a call may use; changes no result.
  public let parallelism: Parallelism

  /// - Throws: ``ParameterError`` when a parameter is out of range.
  public init(parameters: LucasKanadeParameters = .default, parallelism: Parallelism = Parallelism())
    throws(ParameterError)
  {
    try parameters.validate()
    self.parameters = parameters
    self.parallelism = parallelism
  }

  public func makeWorkspace() -> Workspace { Workspace() }
  public func makePrepared() -> Prepared { Prepared() }

  public func prepare(_ image: Plane<Float>, into prepared: inout Prepared) {
    precondition(!image.size.isEmpty, "an image of \(image.size)")
    prepared.build(image, FullSizePyramid(size: image.size, parameters: parameters), parallelism)
  }

  public func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, workspace: inout Workspace
  ) -> FlowField {
    precondition(previous.size == current.size, "images of \(previous.size) and \(current.size)")
    let flow = workspace.flow
    let refinement = LucasKanadeRefinement(parameters: parameters, parallelism: parallelism)
    flow.start(from: initial, size: previous.levels[previous.levels.count - 1].size, parallelism: parallelism)
    for (first, second) in zip(previous.levels, current.levels).reversed() {
      flow.resize(to: first.size, parallelism: parallelism)
      refinement.refine(flow, previous: first, current: second, windows: workspace.windows)
    }
    return flow.field(size: previous.size, parallelism: parallelism)
  }
}
