// Planes that explain a flow: those of the coarser level, and others fitted around seeds where these explain nothing;
// chosen one after the other by what they add.

import FlowKernels
import Imaging

final class PlaneDetection {
  // The numbers were chosen by hand.

  /// The number of seeds around which planes are fitted, for each plane that is looked for.
  private static let seedsPerPlane = 12.0
  /// The number of planes below which they are looked for in large windows alone.
  private static let fewPlanes = 8
  /// The number of samples of its window that a fit takes at most, roughly.
  private static let windowSamples = 64
  /// The number of samples that the final fit of a plane takes at most, roughly.
  private static let inlierSamples = 512
  /// The minimum share of all cells that a plane adds.
  private static let minimumCellShare = 0.01

  /// The label of a cell that belongs to no plane.
  static let unlabeled: Int32 = -1

  private(set) var planes: [PlanarMotion] = []
  /// The number of the first plane that explains each cell.
  private(set) var labels: [Int32] = []

  private var size = PixelSize(width: 0, height: 0)
  private var candidates: [PlanarMotion] = []
  /// The cells that each candidate explains.
  private var inliers: [CellSet] = []
  private let fit = PlaneFit(capacity: 2 * PlaneDetection.inlierSamples)
  private let kernels = KernelTable.current.planes

  /// Forgets the planes of another pair of images.
  func reset() { planes.removeAll() }

  /// Finds at most `limit` planes in the cells of a level, which the planes of a coarser level lead to.
  func find(in cells: FlowCells, size: PixelSize, limit: Int) {
    candidates.removeAll(keepingCapacity: true)
    inliers.removeAll(keepingCapacity: true)
    let explained = takeOver(cells, size)
    fitWindows(cells, beside: explained, limit: limit)
    chooseBest(cells, limit: limit)
  }

  /// Makes the planes of the coarser level candidates; returns the cells that they explain.
  private func takeOver(_ cells: FlowCells, _ size: PixelSize) -> CellSet {
    var explained = CellSet(count: cells.paddedCount)
    let scale = self.size.width > 0 ? Float(size.width) / Float(self.size.width) : 1
    for plane in planes {
      add(refined(plane.scaled(by: scale), cells), cells)
      explained.formUnion(inliers[inliers.count - 1])
    }
    self.size = size
    return explained
  }

  private func add(_ plane: PlanarMotion, _ cells: FlowCells) {
    candidates.append(plane)
    inliers.append(cells.inliers(of: plane, kernels))
  }

  /// Fits planes in windows around each seed, twice and four times as wide as seeds are apart, to the cells that are
  /// not explained.
  private func fitWindows(_ cells: FlowCells, beside explained: CellSet, limit: Int) {
    let seedCount = Self.seedsPerPlane * Double(limit)
    let step = max(4, Int((Double(cells.count) / seedCount).squareRoot()))
    for row in stride(from: step / 2, to: cells.rows, by: step) {
      for column in stride(from: step / 2, to: cells.columns, by: step) {
        for radius in limit < Self.fewPlanes ? [2 * step] : [step, 2 * step] {
          gatherWindow(cells, column, row, radius: radius, beside: explained)
          if let plane = fit.solve(minimumCount: Self.windowSamples / 4) { add(plane, cells) }
        }
      }
    }
  }

  private func gatherWindow(_ cells: FlowCells, _ column: Int, _ row: Int, radius: Int, beside explained: CellSet) {
    let columns = max(column - radius, 0)...min(column + radius, cells.columns - 1)
    let rows = max(row - radius, 0)...min(row + radius, cells.rows - 1)
    let skip = max(1, Int((Double(columns.count * rows.count) / Double(Self.windowSamples)).squareRoot()))
    for y in stride(from: rows.lowerBound, through: rows.upperBound, by: skip) {
      let first = y * cells.columns
      fit.add(
        stride(from: first + columns.lowerBound, through: first + columns.upperBound, by: skip), of: cells,
        beside: explained)
    }
  }

  /// Takes, again and again, the candidate that explains most cells that are not explained yet.
  private func chooseBest(_ cells: FlowCells, limit: Int) {
    planes.removeAll()
    var labels = [Int32](repeating: Self.unlabeled, count: cells.count)
    var known = CellSet(count: cells.paddedCount)
    let minimum = max(8, Int(Self.minimumCellShare * Double(cells.count)))
    var isUsed = [Bool](repeating: false, count: candidates.count)
    while planes.count < limit {
      let added = candidates.indices.map { isUsed[$0] ? 0 : inliers[$0].count(without: known) }
      guard let best = added.indices.max(by: { added[$0] < added[$1] }), added[best] > minimum else { break }
      isUsed[best] = true
      let plane = refined(candidates[best], cells)
      let explained = cells.inliers(of: plane, kernels)
      explained.forEach { if labels[$0] == Self.unlabeled { labels[$0] = Int32(planes.count) } }
      known.formUnion(explained)
      planes.append(plane)
    }
    self.labels = labels
  }

  /// The plane fitted to all that it explains.
  private func refined(_ plane: PlanarMotion, _ cells: FlowCells) -> PlanarMotion {
    var plane = plane
    for _ in 0..<2 {
      let explained = cells.inliers(of: plane, kernels)
      let skip = max(1, explained.count / Self.inlierSamples)
      var (chosen, index): ([Int], Int) = ([], 0)
      explained.forEach {
        if index % skip == 0 { chosen.append($0) }
        index += 1
      }
      fit.add(chosen, of: cells)
      guard let better = fit.solve(minimumCount: 8) else { break }
      plane = better
    }
    return plane
  }
}
