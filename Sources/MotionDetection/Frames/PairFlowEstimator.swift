// The flow of a pair of frames, where anything may move.

import Imaging
import OpticalFlow

/// The flow between two frames.
package struct PairFlow: Sendable {
  /// How it is computed, by what the camera does.
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// The camera stands: most of the image does, and has no need of planes.
    case cameraAtRest = 1
    /// The camera moved of late, by so little that it uncovers no pixel: all of the image may move.
    case cameraShaking
    /// The camera moved of late: planes complete the flow of what it uncovers.
    case cameraInMotion

    /// The motion from which on the camera uncovers whole pixels.
    private static let minimumUncovered = 1.0

    /// The kind of flow after a camera moved so many pixels of late.
    init(cameraDistance: Double) {
      self =
        cameraDistance <= 0 ? .cameraAtRest : cameraDistance < Self.minimumUncovered ? .cameraShaking : .cameraInMotion
    }
  }

  package let kind: Kind
  /// The parts of the images that flow was computed of; it is zero around them.
  package let regions: [PixelRect]
  /// The flow, in pixels of the analysed size.
  package let field: FlowField
}

/// Computes the flow of pairs of frames. It holds working memory alone: no result depends on earlier calls. Used by one
/// thread.
package final class PairFlowEstimator {
  /// The engines of the flow without and with planes; their pyramids are the same.
  private let (plain, completing): (InverseSearchEngine, InverseSearchEngine)
  private var workspace: InverseSearchEngine.Workspace
  private var pyramids: (previous: InverseSearchEngine.Prepared, current: InverseSearchEngine.Prepared)
  private var comparer: CellComparer?

  package init(parallelism: Parallelism) {
    func engine(_ kind: PairFlow.Kind) -> InverseSearchEngine {
      do {
        return try InverseSearchEngine(parameters: FramePairAnalyzer.flowParameters(kind), parallelism: parallelism)
      } catch {
        preconditionFailure("\(error)")
      }
    }
    (plain, completing) = (engine(.cameraAtRest), engine(.cameraInMotion))
    workspace = plain.makeWorkspace()
    pyramids = (plain.makePrepared(), plain.makePrepared())
  }

  /// Computes ahead what the analysis of a pair begins with.
  /// - Parameters:
  ///   - frame: The later frame of the pair; gets ``AnalyzedFrame/differences`` and ``AnalyzedFrame/flow``.
  ///   - previous: The image of the frame before, of the same size.
  ///   - kind: The flow that is expected to be needed; nil: none is.
  package func prepare(_ frame: inout AnalyzedFrame, after previous: Plane<Float>, expecting kind: PairFlow.Kind?) {
    let grid = CellGrid(size: frame.image.size)
    var comparer = comparer.flatMap { $0.grid == grid ? $0 : nil } ?? CellComparer(grid: grid)
    self.comparer = nil
    defer { self.comparer = comparer }
    let differences = comparer.differences(previous: previous, current: frame.image)
    frame.differences = differences
    guard let kind else { return }
    let regions = comparer.regions(of: differences, for: kind)
    if !regions.isEmpty { frame.flow = flow(kind, from: previous, to: frame.image, in: regions) }
  }

  /// Returns the flow between two images of one size in parts of them; around these the flow is zero.
  func flow(
    _ kind: PairFlow.Kind, from previous: Plane<Float>, to current: Plane<Float>, in regions: [PixelRect]
  ) -> PairFlow {
    let engine = kind == .cameraInMotion ? completing : plain
    engine.prepare(previous, into: &pyramids.previous)
    engine.prepare(current, into: &pyramids.current)
    let field = engine.flow(
      previous: pyramids.previous, current: pyramids.current, in: regions, workspace: &workspace)
    return PairFlow(kind: kind, regions: regions, field: field)
  }
}

extension CellComparer {
  /// The number of cells around those that differ that flow is computed of too: what is smooth needs a border, and what
  /// moves a place to go. Chosen by hand.
  private static let regionMargin = 4
  /// The share of the image from which on its parts are all of it.
  private static let wholeShare = 0.8
  /// The share of the cells that must differ in the rectangle around all parts: a few that lie scattered may be what a
  /// camera's motion shows where the contrast is highest, and only the whole image tells. A cell with its margin has
  /// 0.012.
  private static let minimumDensity = 0.01

  /// Returns the parts of a pair of images in which a cell may stand out of the noise, whatever the noise floors, or
  /// the whole when the camera moves; empty: no cell may.
  func regions(of differences: CellDifferences, for kind: PairFlow.Kind) -> [PixelRect] {
    let noise = NoiseFloor.minimum(medianResidual: differences.medianResidual)
    return regions(around: (0..<grid.count).filter { differs($0, in: differences, noise: noise) }, for: kind)
  }

  /// Returns rectangles around some cells, with a margin, of which none overlaps another, or the whole image when the
  /// cells lie all over it or the camera moves; empty: there are no cells.
  func regions(around cells: [Int], for kind: PairFlow.Kind) -> [PixelRect] {
    let whole = PixelRect(whole: grid.size)
    guard kind == .cameraAtRest else { return [whole] }
    var parts: [PixelRect] = []
    // Most cells lie in the part of the one before.
    for cell in cells {
      let part = surroundings(of: cell)
      if parts.last?.contains(part) == true { continue }
      parts.insertUniting(part)
      if Double(parts.map(\.size.area).reduce(0, +)) >= Self.wholeShare * Double(whole.size.area) { return [whole] }
    }
    guard let first = parts.first else { return [] }
    let bounds = parts.dropFirst().reduce(first) { $0.union($1) }
    let cellArea = MotionParameters.cellSide * MotionParameters.cellSide
    let isScattered = Double(cells.count * cellArea) < Self.minimumDensity * Double(bounds.size.area)
    return isScattered ? [whole] : parts
  }

  /// Returns the pixels of a cell and of those around it to which it may move.
  private func surroundings(of cell: Int) -> PixelRect {
    let (x, width) = Self.extent(cell % grid.columns, of: grid.size.width)
    let (y, height) = Self.extent(cell / grid.columns, of: grid.size.height)
    return PixelRect(x: x, y: y, width: width, height: height)
  }

  /// Returns the first pixel and the number of pixels of a cell along an axis, with a margin.
  private static func extent(_ position: Int, of size: Int) -> (start: Int, length: Int) {
    let start = max(position - regionMargin, 0) * MotionParameters.cellSide
    return (start, min((position + 1 + regionMargin) * MotionParameters.cellSide, size) - start)
  }
}
