// Variational refinement of a flow field.
//
// Brox, Bruhn, Papenberg & Weickert, ECCV 2004: constant brightness and constant gradient under a robust penalty, a
// smooth flow under a robust penalty, warping, nonlinear factors that lag behind, relaxation. Data terms are normalised
// (Zimmer et al. 2011), as in DeepFlow (Weinzaepfel et al. 2013). A median filter after each warp takes away single
// wrong vectors (Sun, Roth & Black 2014). The unknown is the whole vector, not the step from the last one: smoothness
// then needs no constant part.

import FlowKernelTypes
import FlowKernels
import Imaging

final class VariationalRefinement {
  /// ε of the robust penalties √(x² + ε²) (Brox et al. 2004, section 2).
  static let epsilon: Float = 0.001

  /// The maximum number of rows whose data terms are formed in one go: each go begins with a few rows that others form
  /// too.
  static let dataStripeHeight = 96

  /// The radius of the median filter, in pixels (Sun, Roth & Black 2014).
  private static let medianRadius = 2

  private let data = SplitGrid(bands: 9, isNeighborhoodRead: false)
  private let edges = SplitGrid(bands: 2)
  private let system = SplitGrid(bands: 7)
  private let unknown = SplitGrid(bands: 2)
  private let diffusivity = SplitGrid(bands: 1)
  private let kernels = KernelTable.current.variational

  /// Improves `flow` between the two images of its level.
  func refine(
    _ flow: LevelFlow, pair: ImagePair, parameters: InverseSearchParameters, parallelism: Parallelism
  ) {
    guard parameters.warps > 0 else { return }
    let layout = SplitLayout(width: flow.size.width)
    for grid in [data, edges, unknown] { grid.reshape(layout: layout, height: flow.size.height) }
    for warp in 0..<parameters.warps {
      formData(flow, pair, layout, parameters, parallelism, formsEdges: warp == 0)
      for _ in 0..<parameters.innerIterations { iterate(flow.size, layout, parameters, parallelism) }
      join(flow, layout, parallelism)
      for _ in 0..<parameters.medianFilterPasses { filterMedian(flow, parallelism) }
    }
  }

  /// Forms what the systems of a warp have in common: data terms, and once a level the weights of smoothness.
  private func formData(
    _ flow: LevelFlow, _ pair: ImagePair, _ layout: SplitLayout, _ parameters: InverseSearchParameters,
    _ parallelism: Parallelism, formsEdges: Bool
  ) {
    let (size, data, unknown, u, v, kernels) = (flow.size, data.view, unknown.view, flow.u, flow.v, kernels)
    let edges = edges.view
    let (steepness, floor) = (
      Float(1 / (parameters.edgeContrast * parameters.edgeContrast)), Float(parameters.edgeFloor)
    )
    let noise = Float(parameters.noise * parameters.noise)
    pair.previous.withView { previous in
      pair.current.withView { current in
        parallelism.forEachStripe(rows: size.height, atMost: Self.dataStripeHeight) { stripe in
          var warped = WarpedRows(size: size, previous: previous, current: current, u: u, v: v)
          for y in stripe {
            if (y - stripe.lowerBound) % WarpedRows.step == 0 { warped.move(to: y) }
            warped.formData(y, noise: noise, into: data.row(y), partStride: layout.partStride)
            kernels.splitRows(u.row(y), v.row(y), size.width, unknown.row(y), layout.partStride)
            guard formsEdges else { continue }
            kernels.formEdgeRow(
              StridedRow(previous, y), steepness, floor, y == size.height - 1, size.width,
              SplitRow(base: edges.row(y), partStride: layout.partStride))
          }
        }
      }
    }
  }

  private func join(_ flow: LevelFlow, _ layout: SplitLayout, _ parallelism: Parallelism) {
    let (size, u, v, unknown, kernels) = (flow.size, flow.u, flow.v, unknown.view, kernels)
    parallelism.forEachStripe(rows: size.height) { stripe in
      for y in stripe {
        kernels.joinRows(unknown.row(y), layout.partStride, u.row(y), v.row(y), size.width)
        for grid in [u, v] { grid.replicateSides(ofRow: y, width: size.width, margin: Self.medianRadius) }
      }
    }
  }

  /// Forms the system at the present flow and relaxes it: steps that follow each other down the rows.
  private func iterate(
    _ size: PixelSize, _ layout: SplitLayout, _ parameters: InverseSearchParameters, _ parallelism: Parallelism
  ) {
    let wavefront = Wavefront(
      rows: size.height, steps: 2 + 2 * parameters.relaxationIterations, parallelism: parallelism)
    system.reshape(layout: layout, height: wavefront.slotCount)
    diffusivity.reshape(layout: layout, height: wavefront.slotCount)
    let rows = SystemRows(wavefront: wavefront, height: size.height, system: system.view, diffusivity: diffusivity.view)
    let (unknown, edges, data, kernels) = (unknown.view, edges.view, data.view, kernels)
    let epsilonSquared = Self.epsilon * Self.epsilon
    let (smoothness, overrelaxation) = (Float(parameters.smoothnessWeight), Float(parameters.overrelaxation))
    let weights = DataTermWeights(
      brightness: Float(parameters.brightnessWeight), gradient: Float(parameters.gradientWeight),
      epsilonSquared: epsilonSquared)
    wavefront.run(parallelism) { step, y in
      let edges = StridedRow(edges, y)
      switch step {
      case 0:
        kernels.formDiffusivityRow(
          StridedRow(unknown, y), edges, smoothness, epsilonSquared,
          SplitRow(base: rows.diffusivity(y), partStride: layout.partStride), layout.count)
      case 1:
        let diffusivity = DiffusivityRows(
          above: rows.diffusivity(y - 1), row: rows.diffusivity(y), below: rows.diffusivity(y + 1))
        kernels.formSystemRow(
          DataTermRow(terms: data.row(y), flow: unknown.row(y)), edges, diffusivity, weights,
          SplitRow(base: rows.system(y), partStride: layout.partStride), layout.count)
      default:
        let system = rows.system(y)
        kernels.relaxRow(
          StridedRow(base: system, stride: system - rows.system(y - 1)), MutableStridedRow(unknown, y), (y + step) % 2,
          overrelaxation, layout.partStride, layout.count)
      }
    }
  }

  /// The rows that the steps of an iteration leave for each other; those beyond the borders are zero.
  private struct SystemRows: Sendable {
    let wavefront: Wavefront
    let height: Int
    let system: GridView
    let diffusivity: GridView

    func system(_ y: Int) -> UnsafeMutablePointer<Float> { system.row(slot(y)) }
    func diffusivity(_ y: Int) -> UnsafeMutablePointer<Float> { diffusivity.row(slot(y)) }
    private func slot(_ y: Int) -> Int { y < 0 || y >= height ? -1 : wavefront.slot(of: y) }
  }

  /// Needs and leaves replicated sides.
  private func filterMedian(_ flow: LevelFlow, _ parallelism: Parallelism) {
    let (size, kernels, radius) = (flow.size, kernels, Self.medianRadius)
    let (u, v, nextU, nextV) = (flow.u, flow.v, flow.nextU, flow.nextV)
    parallelism.forEachStripe(rows: size.height) { stripe in
      let sorted = ScratchRows(count: 5, width: size.width, margin: 16)
      for y in stripe {
        for (grid, output) in [(u, nextU), (v, nextV)] {
          let rows = (-radius...radius).map {
            UnsafePointer(grid.row(min(max(y + $0, 0), size.height - 1)) - radius)
          }
          kernels.sortColumns(rows, sorted.row(0) - radius, sorted.stride, size.width + 2 * radius)
          kernels.medianRow(sorted.row(0), sorted.stride, output.row(y), size.width)
          output.replicateSides(ofRow: y, width: size.width, margin: radius)
        }
      }
    }
    flow.advance()
  }
}
