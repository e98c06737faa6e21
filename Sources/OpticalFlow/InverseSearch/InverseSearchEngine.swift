// Dense inverse search with variational refinement, completed by planes.
//
// Kroeger, Timofte, Dai & Van Gool, ECCV 2016: patches on a grid find their shift by inverse composition; the dense
// flow is their mean, weighted by how well each explains the pixel; a variational refinement smooths it. Deviations:
// (1) The pyramid has several levels to the octave, and the refinement runs on all of them, with warps and a median
// filter
//     (Sun, Roth & Black 2014), while patches are searched for on the octaves alone.
// (2) A patch's neighbors are tried in rounds, all patches at a time, and not in scan order, so that stripes of rows do
// not
//     depend on each other.
// (3) The search's flow replaces the flow from the coarser level only where it explains the images better.
// (4) Patches that no descent explains are looked for in a whole window: small things that move fast.
// (5) Planes found in the flow complete it where it is not seen: see Planes/PlaneProposals.swift.
//
// What fast motion asks for, measured as the geometric mean of the error's ratio to OpenCV's DIS (medium) over ten
// pairs of driving, films and wide stereo (`make compare`), 0.69 when these were taken:
// - Two thirds to four fifths of the error on driving scenes lies in pixels that leave the image. No search finds
//   these, and smoothness continues the flow as a constant. Without planes: 0.94 (tartanair 16.4 instead of 4.4 px).
// - Coarse levels must let motion spread. Edges of the image that lower the smoothness keep it from what has no texture
//   of its own: edge weights on all levels as on the finest cost 0.75, at a smallest weight of 0.05 with the former
//   parameters kitti_000110 went from 2.0 to 7.1 px. OpenCV's refinement knows no edges; that, its 8-pixel patches on
//   levels down to 8 pixels and a step of 3 between patches are where it differed from ours.
// - Coarse levels need less smoothness than fine ones (the same on all: 0.73) and more than one warp (one: 0.72).
// - The patch search itself matters for few scenes (without it 0.70), but there much: temple_3, small fast cars.

import FlowKernels
import Imaging

/// Dense inverse search. Good at: speed, fast motion, what leaves the image, sharp motion borders. Bad at: fast things
/// that are small or without texture.
public struct InverseSearchEngine: OpticalFlowEngine {
  /// The parameters of the engine.
  public typealias Parameters = InverseSearchParameters

  /// The pyramid of an image.
  public struct Prepared: Sendable {
    fileprivate var images = PyramidImages()
    /// The size of the image.
    public var size: PixelSize { images.size }
  }

  /// The fields and equations of one level.
  public struct Workspace {
    fileprivate let flow = LevelFlow()
    fileprivate let part = LevelFlow()
    fileprivate let refinement = VariationalRefinement()
    fileprivate let search = PatchSearch()
    fileprivate let planes = PlaneProposals()
  }

  /// Checked when the engine was made.
  public let parameters: InverseSearchParameters
  /// The number of threads that a call may use; changes no result.
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
    precondition(!image.size.isEmpty, "an image of \(image.size)")
    prepared.images.build(
      image, pyramid: ScalePyramid(size: image.size, parameters: parameters), parallelism: parallelism)
  }

  public func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, workspace: inout Workspace
  ) -> FlowField {
    flow(previous: previous, current: current, startingFrom: initial, in: [], workspace: &workspace)
  }

  /// Returns the flow in some parts of the images, which on each level is computed of those parts alone; around them
  /// the flow is zero. On levels where they overlap they are one.
  /// - Parameter regions: The parts, of full size: one at least, and none overlaps another.
  package func flow(
    previous: Prepared, current: Prepared, in regions: [PixelRect], workspace: inout Workspace
  ) -> FlowField {
    let whole = PixelRect(whole: previous.size)
    for region in regions {
      precondition(whole.contains(region) && !region.size.isEmpty, "\(region) of \(previous.size)")
    }
    precondition(!regions.isEmpty && PixelRect.disjoint(regions).count == regions.count, "\(regions)")
    return flow(
      previous: previous, current: current, startingFrom: nil, in: regions == [whole] ? [] : regions,
      workspace: &workspace)
  }

  /// - Parameter regions: The parts of the images that flow is computed of; none: the whole.
  private func flow(
    previous: Prepared, current: Prepared, startingFrom initial: FlowField?, in regions: [PixelRect],
    workspace: inout Workspace
  ) -> FlowField {
    precondition(previous.size == current.size, "images of \(previous.size) and \(current.size)")
    let pyramid = ScalePyramid(size: previous.size, parameters: parameters)
    let flow = workspace.flow
    flow.start(from: initial, size: pyramid.sizes[pyramid.coarsest], parallelism: parallelism)
    workspace.planes.reset()
    for level in (pyramid.finest...pyramid.coarsest).reversed() {
      let size = pyramid.sizes[level]
      flow.resize(to: size, parallelism: parallelism.adapted(to: size))
      let images = (previous.images.levels[level], current.images.levels[level])
      guard !regions.isEmpty else {
        improve(flow, ImagePair(images, in: PixelRect(whole: size)), pyramid, level, workspace)
        continue
      }
      let parts = regions.map { $0.scaled(from: previous.size, to: size, minimumSide: parameters.minimumSide) }
      for part in PixelRect.disjoint(parts) {
        workspace.part.take(part, of: flow)
        improve(workspace.part, ImagePair(images, in: part), pyramid, level, workspace)
        workspace.part.put(into: flow, at: part)
      }
    }
    return flow.field(size: previous.size, in: regions, parallelism: parallelism)
  }

  /// Brings the flow of one level, or of a part of it, nearer to what the images show.
  private func improve(
    _ flow: LevelFlow, _ pair: ImagePair, _ pyramid: ScalePyramid, _ level: Int, _ workspace: Workspace
  ) {
    let parallelism = parallelism.adapted(to: pair.size)
    let isSearched = pyramid.isSearched(level)
    if isSearched && parameters.propagations > 0 {
      workspace.search.improve(flow, pair: pair, parameters: parameters, parallelism: parallelism)
    }
    workspace.refinement.refine(
      flow, pair: pair, parameters: pyramid.isCoarse(level) ? coarseParameters : parameters, parallelism: parallelism)
    if isSearched && parameters.planes > 0 {
      workspace.planes.improve(flow, pair: pair, limit: parameters.planes, parallelism: parallelism)
    }
  }

  /// The parameters of coarse levels.
  private var coarseParameters: InverseSearchParameters {
    var coarse = parameters
    coarse.warps = parameters.coarseWarps
    coarse.edgeFloor = 1
    coarse.medianFilterPasses = parameters.coarseMedianFilterPasses
    coarse.smoothnessWeight = parameters.coarseSmoothness
    return coarse
  }
}

/// The two images of one level, or a part of them.
struct ImagePair {
  let previous: ImageWindow
  let current: ImageWindow
  var size: PixelSize { previous.size }

  init(_ images: (previous: PaddedPlane, current: PaddedPlane), in rect: PixelRect) {
    previous = ImageWindow(image: images.previous, rect: rect)
    current = ImageWindow(image: images.current, rect: rect)
  }
}

/// A part of an image; around it lies the rest.
struct ImageWindow {
  fileprivate let image: PaddedPlane
  fileprivate let rect: PixelRect
  var size: PixelSize { rect.size }

  /// Gives access for reading: the grid's rows −16 ..< height + 16 and columns −16 ..< width + 16 exist.
  func withView<Result>(_ body: (GridView) -> Result) -> Result {
    image.withView { body(GridView(base: $0.row(rect.y) + rect.x, stride: $0.stride)) }
  }
}

extension PixelRect {
  /// Returns the rectangle on an image of another size, grown to a minimum side where that image has it.
  fileprivate func scaled(from source: PixelSize, to target: PixelSize, minimumSide: Int) -> PixelRect {
    func axis(_ range: Range<Int>, _ source: Int, _ target: Int) -> (start: Int, length: Int) {
      let (first, end) = (range.lowerBound * target / source, (range.upperBound * target + source - 1) / source)
      let length = min(max(end - first, minimumSide), target)
      return (max(min(first - (length - (end - first)) / 2, target - length), 0), length)
    }
    let (x, width) = axis(columns, source.width, target.width)
    let (y, height) = axis(rows, source.height, target.height)
    return PixelRect(x: x, y: y, width: width, height: height)
  }
}
