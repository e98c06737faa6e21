// Dense inverse search with variational refinement.
//
// Kroeger, Timofte, Dai & Van Gool, ECCV 2016: patches on a grid find their shift by inverse composition; the dense flow
// is their mean, weighted by how well each explains the pixel; a variational refinement smooths it. Deviations: the
// pyramid has several levels to the octave, and the refinement runs on all of them with several warps and a median
// filter each (Sun, Roth & Black 2014), while patches are searched for on the octaves alone. A patch's neighbours are
// tried in rounds, all patches at a time, and not in scan order, so that stripes of rows do not depend on each other.
// The search's flow replaces the flow from the coarser level only where it explains the picture better.

import FlowKernels
import Imaging

/// Dense inverse search. Good at: speed, fast motion, sharp motion borders. Bad at: small fast things without texture.
public struct InverseSearchEngine: OpticalFlowEngine {
  /// What the engine can be told.
  public typealias Parameters = InverseSearchParameters

  /// The pyramid of a picture.
  public struct Prepared: Sendable {
    fileprivate var pictures = PyramidPictures()
    /// The size of the picture.
    public var size: PixelSize { pictures.size }
  }

  /// The fields and equations of one level.
  public struct Workspace {
    fileprivate let flow = LevelFlow()
    fileprivate let refinement = VariationalRefinement()
    fileprivate let search = PatchSearch()
  }

  /// Checked when the engine was made.
  public let parameters: InverseSearchParameters
  /// How many threads a call may use; changes no result.
  public let parallelism: Parallelism

  /// - Throws: ``ParameterError`` when a parameter is out of range.
  public init(parameters: InverseSearchParameters = .medium, parallelism: Parallelism = Parallelism())
    throws(ParameterError)
  {
    try parameters.validate()
    self.parameters = parameters
    self.parallelism = parallelism
  }

  public func makeWorkspace() -> Workspace { Workspace() }
  public func makePrepared() -> Prepared { Prepared() }

  public func prepare(_ image: Plane<Float>, into prepared: inout Prepared) {
    precondition(!image.size.isEmpty, "a picture of \(image.size)")
    prepared.pictures.build(
      image, pyramid: ScalePyramid(size: image.size, parameters: parameters), parallelism: parallelism)
  }

  public func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, workspace: inout Workspace
  ) -> FlowField {
    precondition(previous.size == current.size, "pictures of \(previous.size) and \(current.size)")
    let pyramid = ScalePyramid(size: previous.size, parameters: parameters)
    let flow = workspace.flow
    flow.start(from: initial, size: pyramid.sizes[pyramid.coarsest], parallelism: parallelism)
    for level in (pyramid.finest...pyramid.coarsest).reversed() {
      let parallelism = parallelism.adapted(to: pyramid.sizes[level])
      flow.resize(to: pyramid.sizes[level], parallelism: parallelism)
      let pair = PicturePair(
        previous: previous.pictures.levels[level], current: current.pictures.levels[level])
      if pyramid.isSearched(level) && parameters.propagations > 0 {
        workspace.search.improve(flow, pair: pair, parameters: parameters, parallelism: parallelism)
      }
      workspace.refinement.refine(flow, pair: pair, parameters: parameters, parallelism: parallelism)
    }
    return flow.field(size: previous.size, parallelism: parallelism)
  }
}

/// The two pictures of one level.
struct PicturePair {
  let previous: PaddedPlane
  let current: PaddedPlane
  var size: PixelSize { previous.size }
}
