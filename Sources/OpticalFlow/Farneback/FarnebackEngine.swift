// Two-frame motion estimation based on polynomial expansion.
//
// Farnebäck, SCIA 2003, doi:10.1007/3-540-45103-X_50. Each pixel's surroundings are described by a quadratic
// polynomial; a shift of the surroundings changes the coefficients in a known way, which gives two equations per pixel
// for the displacement; the equations are averaged over a window and solved; the estimate tells where to look in the
// second image, and the equations are formed anew; from coarse to fine.
//
// Where the paper leaves a choice, this follows OpenCV's, so that results can be compared: the pyramid, the weights
// near the border, the regularisation, and a displaced position that is interpolated instead of rounded (paper, section
// 4.3). Deviations from the paper: the averaging has no certainty and no motion model other than a constant (section
// 4.1's simplest case). Deviation from OpenCV: a position exactly on the last column or row lies inside, so that a
// image that does not move has exactly zero flow.

import Imaging

/// Farnebäck's method. Good at: smooth motion of textured surfaces, few parameters, steady time. Bad at: sharp motion
/// borders, which the window blurs, and motion of small things faster than a few pixels per coarsest-level pixel.
public struct FarnebackEngine: OpticalFlowEngine {
  /// The parameters of the engine.
  public typealias Parameters = FarnebackParameters

  /// The expansions of an image's pyramid.
  public struct Prepared: Sendable {
    /// The size of the image.
    public private(set) var size = PixelSize(width: 0, height: 0)
    fileprivate var expansions: [PolynomialExpansion] = []
    /// A level of the pyramid, kept for its memory.
    fileprivate var scratch: [Plane<Float>] = []

    fileprivate mutating func resize(to pyramid: FullSizePyramid) {
      let sizes = pyramid.levels.map(\.size)
      size = sizes[0]
      if scratch.map(\.size) != sizes {
        scratch = sizes.map { Plane(size: $0) }
        expansions = sizes.map { _ in PolynomialExpansion() }
      }
    }

    fileprivate mutating func expand(
      _ image: Plane<Float>, level index: Int, of pyramid: FullSizePyramid, with fit: PolynomialFit,
      parallelism: Parallelism
    ) {
      image.smoothAndResize(with: pyramid.levels[index].smoothing, into: &scratch[index], parallelism: parallelism)
      expansions[index].expand(scratch[index], with: fit, parallelism: parallelism)
    }
  }

  /// The equations and estimates of each level.
  public struct Workspace {
    fileprivate var fields: [DisplacementField] = []

    fileprivate mutating func resize(to pyramid: FullSizePyramid) {
      let sizes = pyramid.levels.map(\.size)
      if fields.map(\.size) != sizes { fields = sizes.map { DisplacementField(size: $0) } }
    }
  }

  /// Checked when the engine was made.
  public let parameters: FarnebackParameters
  /// The number of threads that a call may use; changes no result.
  public let parallelism: Parallelism

  /// - Throws: ``ParameterError`` when a parameter is out of range.
  public init(parameters: FarnebackParameters = .default, parallelism: Parallelism = Parallelism())
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
    let pyramid = FullSizePyramid(size: image.size, parameters: parameters)
    let fit = PolynomialFit(neighborhood: parameters.polynomialNeighborhood, sigma: parameters.polynomialSigma)
    prepared.resize(to: pyramid)
    for level in pyramid.levels.indices {
      prepared.expand(image, level: level, of: pyramid, with: fit, parallelism: parallelism)
    }
  }

  public func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, workspace: inout Workspace
  ) -> FlowField {
    precondition(previous.size == current.size, "images of \(previous.size) and \(current.size)")
    let pyramid = FullSizePyramid(size: previous.size, parameters: parameters)
    let window = AveragingWindow(size: parameters.windowSize, kind: parameters.windowKind)
    workspace.resize(to: pyramid)
    let coarsest = pyramid.levels.count - 1
    for level in (0...coarsest).reversed() {
      if level == coarsest {
        workspace.fields[level].start(from: initial, parallelism: parallelism)
      } else {
        workspace.fields[level].initialize(
          from: workspace.fields[level + 1], factor: Float(1 / parameters.pyramidScale), parallelism: parallelism)
      }
      for _ in 0..<parameters.iterations {
        workspace.fields[level].iterate(
          previous: previous.expansions[level], current: current.expansions[level], window: window,
          parallelism: parallelism)
      }
    }
    return workspace.fields[0].takeEstimate()
  }
}
