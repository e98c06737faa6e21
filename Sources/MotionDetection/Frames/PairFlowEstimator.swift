// The flow of a pair of frames, where anything may move.

import Imaging
import OpticalFlow

/// The flow between two frames.
package struct PairFlow: Sendable {
  /// How it is computed, by what the camera does.
  package enum Kind: UInt8, CaseIterable, Sendable {
    /// The camera stands: most of the image does, and has no need of planes.
    case cameraAtRest = 1
    /// The camera moved of late: planes complete the flow of what it uncovers.
    case cameraInMotion
  }

  package let kind: Kind
  /// The part of the images that flow was computed of; it is zero around it.
  package let region: PixelRect
  /// The flow, in pixels of the analysed size.
  package let field: FlowField
}

/// Computes the flow of pairs of frames. It holds working memory alone: no result depends on earlier calls. Used by one
/// thread.
package final class PairFlowEstimator {
  /// The engines of the two kinds of flow; their pyramids are the same.
  private let (atRest, inMotion): (InverseSearchEngine, InverseSearchEngine)
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
    (atRest, inMotion) = (engine(.cameraAtRest), engine(.cameraInMotion))
    workspace = atRest.makeWorkspace()
    pyramids = (atRest.makePrepared(), atRest.makePrepared())
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
    let region = comparer.region(of: differences, for: kind)
    frame.flow = region.map { flow(kind, from: previous, to: frame.image, in: $0) }
  }

  /// Returns the flow between two images of one size in a part of them; around it the flow is zero.
  func flow(
    _ kind: PairFlow.Kind, from previous: Plane<Float>, to current: Plane<Float>, in region: PixelRect
  ) -> PairFlow {
    let engine = kind == .cameraAtRest ? atRest : inMotion
    engine.prepare(previous, into: &pyramids.previous)
    engine.prepare(current, into: &pyramids.current)
    let field = engine.flow(
      previous: pyramids.previous, current: pyramids.current, in: region, workspace: &workspace)
    return PairFlow(kind: kind, region: region, field: field)
  }
}

extension CellComparer {
  /// The number of cells around those that differ that flow is computed of too: what is smooth needs a border, and what
  /// moves a place to go. Chosen by hand.
  private static let regionMargin = 4
  /// The share of the image from which on the region is all of it.
  private static let wholeShare = 0.8
  /// The share of a region's cells that must differ: a few that lie scattered may be what a camera's motion shows where
  /// the contrast is highest, and only the whole image tells. A cell with its margin has 0.012.
  private static let minimumDensity = 0.01

  /// Returns the part of a pair of images in which a cell may stand out of the noise, whatever the noise floors, or the
  /// whole when the camera moves; nil: none may.
  func region(of differences: CellDifferences, for kind: PairFlow.Kind) -> PixelRect? {
    let noise = NoiseFloor.minimum(medianResidual: differences.medianResidual)
    return region(around: (0..<grid.count).filter { differs($0, in: differences, noise: noise) }, for: kind)
  }

  /// Returns the rectangle around some cells, with a margin, or the whole image when they lie all over it or the camera
  /// moves; nil: there are no cells.
  func region(around cells: [Int], for kind: PairFlow.Kind) -> PixelRect? {
    guard kind == .cameraAtRest else { return PixelRect(whole: grid.size) }
    let (columns, rows) = (cells.map { $0 % grid.columns }, cells.map { $0 / grid.columns })
    guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
      return nil
    }
    let (x, width) = Self.extent(left, right, of: grid.size.width)
    let (y, height) = Self.extent(top, bottom, of: grid.size.height)
    let isWide = Double(width * height) >= Self.wholeShare * Double(grid.size.area)
    let cellArea = MotionParameters.cellSide * MotionParameters.cellSide
    let isScattered = Double(cells.count * cellArea) < Self.minimumDensity * Double(width * height)
    return isWide || isScattered ? PixelRect(whole: grid.size) : PixelRect(x: x, y: y, width: width, height: height)
  }

  /// Returns the first pixel and the number of pixels of the cells from one to another along an axis, with a margin.
  private static func extent(_ first: Int, _ last: Int, of size: Int) -> (start: Int, length: Int) {
    let start = max(first - regionMargin, 0) * MotionParameters.cellSide
    return (start, min((last + 1 + regionMargin) * MotionParameters.cellSide, size) - start)
  }
}
