// The search for patches on one level, and the choice between its flow and the one at hand.

import FlowKernelTypes
import FlowKernels
import Imaging

final class PatchSearch {
  /// The difference at which errors are limited, in grey levels: larger ones tell nothing more about a match; and that
  /// of what leads out of the image: worse matches do not replace it. Chosen by hand.
  static let limits = ErrorLimits(limit: 30, outside: 8)
  /// The window in which matches are compared, in pixels; chosen by hand.
  static let comparisonSmoothing = SmoothingKernel(sigma: 2, radius: 4)

  private let dx = GridMemory()
  private let dy = GridMemory()
  private var patches = PatchShifts()
  private var nextPatches = PatchShifts()
  private let foundU = GridMemory()
  private let foundV = GridMemory()
  private let errors = GridMemory()
  private let foundErrors = GridMemory()
  private let kernels = KernelTable.current.inverseSearch

  /// Searches for patches from `flow` on and takes over their flow where it explains the second image better.
  func improve(
    _ flow: LevelFlow, pair: ImagePair, parameters: InverseSearchParameters, parallelism: Parallelism
  ) {
    let size = flow.size
    let grid = PatchGrid(size: size, stride: parameters.patchStride)
    for memory in [foundU, foundV, errors, foundErrors] {
      memory.reshape(rows: size.height, width: size.width + 16, margin: 16, marginRows: 0)
    }
    patches.reshape(grid)
    nextPatches.reshape(grid)
    differentiate(pair.previous, parallelism)
    patches.sample(flow, grid, parallelism)
    for round in 0...parameters.propagations { search(pair, grid, round: round, parameters, parallelism) }
    if parameters.searchRadius > 0 {
      searchWide(pair, grid, radius: parameters.searchRadius, parallelism)
      search(pair, grid, round: 1, parameters, parallelism)
    }
    densify(pair, flow, grid, parallelism)
    select(flow, minimumImprovement: Float(parameters.minimumImprovement), parallelism)
  }

  private func differentiate(_ image: ImageWindow, _ parallelism: Parallelism) {
    let size = image.size
    let margin = PaddedPlane.margin
    image.withView { image in
      for memory in [dx, dy] {
        memory.reshape(rows: size.height, width: size.width, margin: margin, marginRows: margin)
        let view = memory.view
        precondition(view.stride >= size.width + 2 * margin)
      }
      let (dx, dy) = (dx.view, dy.view)
      let differentiateRow = KernelTable.current.variational.differentiateRow
      parallelism.forEachStripe(rows: size.height + 2 * margin) { stripe in
        for line in stripe {
          let y = line - margin
          let isInside = y >= 0 && y < size.height
          for row in [dx.row(y), dy.row(y)] {
            (row - margin).update(repeating: 0, count: isInside ? margin : size.width + 2 * margin)
            if isInside { (row + size.width).update(repeating: 0, count: margin) }
          }
          if isInside { differentiateRow(image.row(y), image.stride, dx.row(y), dy.row(y), size.width) }
        }
      }
    }
  }

  /// Makes one round: each patch starts from the best of its own shift and its neighbours'.
  private func search(
    _ pair: ImagePair, _ grid: PatchGrid, round: Int, _ parameters: InverseSearchParameters,
    _ parallelism: Parallelism
  ) {
    let (iterations, tolerance) = (parameters.searchIterations, Float(parameters.searchTolerance))
    let area = Float(PatchGrid.side * PatchGrid.side)
    let toleratedCost = tolerance > 0 ? tolerance * tolerance * area : -.infinity
    let (size, dx, dy, kernels) = (pair.size, dx.view, dy.view, kernels)
    let (from, to) = (patches.views, nextPatches.views)
    // Growing distances bring good shifts far in few rounds.
    let distance = round
    pair.previous.withView { previous in
      pair.current.withView { current in
        parallelism.forEachStripe(rows: grid.rows, atMost: 8) { stripe in
          let image = ImageRows(current, size)
          let scratch = ScratchRows(count: 1, width: 544)
          for row in stripe {
            let y = row * grid.stride
            let candidates = from.candidates(row: row, distance: distance, grid: grid)
            kernels.searchPatchRow(
              PatchSource(image: previous.row(y), dx: dx.row(y), dy: dy.row(y), gradientStride: dx.stride), image,
              PatchRowLayout(y: y, step: grid.stride, count: grid.columns), candidates,
              PatchWork(
                candidateCount: candidates.count / 2, iterations: iterations, scratch: scratch.row(0),
                tolerance: toleratedCost, knownCosts: round > 0 ? UnsafePointer(from.cost.row(row)) : nil),
              to.rows(row))
            to.replicateSides(ofRow: row, grid)
          }
        }
      }
    }
    swap(&patches, &nextPatches)
  }

  /// Looks in a whole window for the patches that their shifts do not explain: small things that move fast, which no
  /// coarser level shows.
  private func searchWide(_ pair: ImagePair, _ grid: PatchGrid, radius: Int, _ parallelism: Parallelism) {
    let (size, shifts, kernels) = (pair.size, patches.views, kernels)
    pair.previous.withView { previous in
      pair.current.withView { current in
        parallelism.forEachStripe(rows: grid.rows, atMost: 4) { stripe in
          let image = ImageRows(current, size)
          for row in stripe {
            let y = row * grid.stride
            kernels.searchWideRow(
              previous.row(y), image, PatchRowLayout(y: y, step: grid.stride, count: grid.columns), radius,
              shifts.rows(row))
            shifts.replicateSides(ofRow: row, grid)
          }
        }
      }
    }
  }

  /// Blends the patches' shifts into a flow and tells, for it and for the flow at hand, how badly it explains the
  /// second image, smoothed along the rows.
  private func densify(_ pair: ImagePair, _ flow: LevelFlow, _ grid: PatchGrid, _ parallelism: Parallelism) {
    let (size, kernels, shifts) = (pair.size, kernels, patches.views)
    let (u, v, foundU, foundV) = (flow.u, flow.v, foundU.view, foundV.view)
    let (errors, foundErrors) = (errors.view, foundErrors.view)
    pair.previous.withView { previous in
      pair.current.withView { current in
        parallelism.forEachStripe(rows: size.height) { stripe in
          let scratch = ScratchRows(count: 1, width: 128)
          let sums = ScratchRows(count: 3, width: size.width + 32)
          let comparison = RowComparison(previous: previous, current: current, size: size)
          let image = ImageRows(current, size)
          for y in stripe {
            for k in 0..<3 { sums.row(k).update(repeating: 0, count: size.width + 16) }
            for row in grid.rowsCovering(y) {
              kernels.densifyRow(
                previous.row(y), image, PatchRowLayout(y: y, step: grid.stride, count: grid.columns),
                FlowRow(u: shifts.u.row(row), v: shifts.v.row(row)),
                FlowSumRow(u: sums.row(0), v: sums.row(1), weight: sums.row(2)), scratch.row(0))
            }
            kernels.divideRow(sums.row(0), sums.row(2), foundU.row(y), size.width)
            kernels.divideRow(sums.row(1), sums.row(2), foundV.row(y), size.width)
            comparison.measure(y, foundU.row(y), foundV.row(y), into: foundErrors.row(y))
            comparison.measure(y, u.row(y), v.row(y), into: errors.row(y))
          }
        }
      }
    }
  }

  /// Takes over the found flow where its errors, now smoothed down the columns too, are smaller.
  private func select(_ flow: LevelFlow, minimumImprovement: Float, _ parallelism: Parallelism) {
    let (size, u, v, kernels) = (flow.size, flow.u, flow.v, kernels)
    let (foundU, foundV, errors, foundErrors) = (foundU.view, foundV.view, errors.view, foundErrors.view)
    parallelism.forEachStripe(rows: size.height) { stripe in
      let smooth = ScratchRows(count: 2, width: size.width)
      for y in stripe {
        for (index, grid) in [errors, foundErrors].enumerated() {
          Self.comparisonSmoothing.smoothColumns(grid, y, size: size, into: smooth.row(index))
        }
        kernels.selectRow(
          FlowRow(foundU, foundV, y), smooth.row(1), smooth.row(0), minimumImprovement, MutableFlowRow(u, v, y),
          size.width)
      }
    }
  }
}

/// A comparison that measures how badly a flow explains a row of the second image.
private struct RowComparison: ~Copyable {
  private let previous: GridView
  private let current: GridView
  private let size: PixelSize
  private let rows: ScratchRows
  private let warper: RowWarper
  private let taps: [UnsafePointer<Float>]

  init(previous: GridView, current: GridView, size: PixelSize) {
    let radius = PatchSearch.comparisonSmoothing.radius
    (self.previous, self.current, self.size) = (previous, current, size)
    rows = ScratchRows(count: 3, width: size.width, margin: 16)
    warper = RowWarper(width: size.width)
    let row = rows.row(0)
    taps = (-radius...radius).map { UnsafePointer(row + $0) }
  }

  /// The errors of row `y`, smoothed along it.
  func measure(
    _ y: Int, _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, into errors: UnsafeMutablePointer<Float>
  ) {
    let (kernels, warped, inside) = (KernelTable.current, rows.row(1), rows.row(2))
    warper.warp(current, y, u, v, size: size, isBilinear: true, into: warped, inside: inside)
    kernels.inverseSearch.warpErrorRow(
      warped, previous.row(y), inside, PatchSearch.limits, rows.row(0), size.width)
    rows.replicateBorders(ofRow: 0)
    kernels.filter.weightedSum(taps, PatchSearch.comparisonSmoothing.weights, taps.count, errors, size.width)
  }
}

/// The positions of the patches of a level.
struct PatchGrid: Sendable {
  /// The side of a patch, in pixels (Kroeger et al., ECCV 2016).
  static let side = 8
  let stride: Int
  let columns: Int
  let rows: Int

  /// A grid of as many patches as cover the image; the last ones may overhang it by less than `stride`, or in tiny
  /// images less than their side.
  init(size: PixelSize, stride: Int) {
    self.stride = stride
    columns = Self.count(size.width, stride)
    rows = Self.count(size.height, stride)
  }

  private static func count(_ length: Int, _ stride: Int) -> Int {
    1 + (max(length - side, 0) + stride - 1) / stride
  }

  func rowsCovering(_ y: Int) -> ClosedRange<Int> {
    let first = max(0, (y - Self.side + stride) / stride)
    return first...min(rows - 1, y / stride)
  }
}

/// The shifts of all patches of a level, with their costs.
struct PatchShifts {
  struct Views: Sendable {
    let u: GridView
    let v: GridView
    let cost: GridView

    func rows(_ row: Int) -> PatchShiftRow { PatchShiftRow(u: u.row(row), v: v.row(row), cost: cost.row(row)) }

    func replicateSides(ofRow row: Int, _ grid: PatchGrid) {
      for view in [u, v] { view.replicateSides(ofRow: row, width: grid.columns, margin: 16) }
    }

    /// The patches' own shifts, then, from the first round on, those `distance` patches to the left, right, above,
    /// below.
    func candidates(row: Int, distance: Int, grid: PatchGrid) -> [UnsafePointer<Float>] {
      var positions = [(0, 0)]
      if distance > 0 { positions += [(-distance, 0), (distance, 0), (0, -distance), (0, distance)] }
      return positions.flatMap { dx, dy in
        let y = min(max(row + dy, 0), grid.rows - 1)
        return [UnsafePointer(u.row(y) + dx), UnsafePointer(v.row(y) + dx)]
      }
    }
  }

  private let u = GridMemory()
  private let v = GridMemory()
  private let cost = GridMemory()
  var views: Views { Views(u: u.view, v: v.view, cost: cost.view) }

  func reshape(_ grid: PatchGrid) {
    for memory in [u, v, cost] { memory.reshape(rows: grid.rows, width: grid.columns, margin: 16, marginRows: 0) }
  }

  /// Takes the vector at the middle of each patch.
  func sample(_ flow: LevelFlow, _ grid: PatchGrid, _ parallelism: Parallelism) {
    let (views, size, flowU, flowV) = (views, flow.size, flow.u, flow.v)
    parallelism.forEachStripe(rows: grid.rows) { stripe in
      for row in stripe {
        let y = min(row * grid.stride + PatchGrid.side / 2, size.height - 1)
        for column in 0..<grid.columns {
          let x = min(column * grid.stride + PatchGrid.side / 2, size.width - 1)
          views.u.row(row)[column] = flowU.row(y)[x]
          views.v.row(row)[column] = flowV.row(y)[x]
        }
        views.replicateSides(ofRow: row, grid)
      }
    }
  }
}
