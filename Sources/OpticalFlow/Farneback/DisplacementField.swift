// Step 2 of Farnebäck's method: the displacement that carries one expansion into the other, averaged over a window.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The estimate of one level.
struct DisplacementField {
  /// The amount added to the determinant, which is of fourth order in grey levels (OpenCV's value).
  static let regularization: Float = 1e-3
  /// The number of rows that one thread computes in a row. Each stripe forms the equations of its window's overhang
  /// again, above and below: with windows of 15 rows, 64 keeps that to a fifth and still cuts a small image into
  /// stripes enough.
  static let stripeHeight = 64

  let size: PixelSize
  private var estimate: FlowField
  /// The result of an iteration: the equations of a row need the old estimate of its neighbours.
  private var refined: FlowField

  /// Zero motion.
  init(size: PixelSize) {
    self.size = size
    estimate = FlowField(size: size)
    refined = FlowField(size: size)
  }

  /// Begins with `initial`, a field of the full size, or with zero motion.
  mutating func start(from initial: FlowField?, parallelism: Parallelism) {
    if let initial {
      estimate = initial.reduced(to: size, parallelism: parallelism)
      return
    }
    estimate.u.fill(0)
    estimate.v.fill(0)
  }

  /// Takes over the estimate of a coarser level, whose vectors are `1 / factor` as long.
  mutating func initialize(from coarser: DisplacementField, factor: Float, parallelism: Parallelism) {
    coarser.estimate.u.resize(into: &estimate.u, multiplyingBy: factor, parallelism: parallelism)
    coarser.estimate.v.resize(into: &estimate.v, multiplyingBy: factor, parallelism: parallelism)
  }

  /// Forms the equations of every pixel from the estimate, averages them over the window and solves them.
  mutating func iterate(
    previous: PolynomialExpansion, current: PolynomialExpansion, window: AveragingWindow, parallelism: Parallelism
  ) {
    let solve = KernelTable.current.farneback.solveEquations
    estimate.withViews { estimate in
      previous.withView { previous in
        current.withView { current in
          refined.withMutableViews { u, v in
            parallelism.forEachStripe(rows: u.height, stripeHeight: Self.stripeHeight) { stripe in
              let equations = EquationRows(
                previous: previous, current: current, u: estimate.u, v: estimate.v, capacity: 2 * window.radius + 2)
              var average = WindowAverage(of: equations, window: window)
              for y in stripe {
                average.move(to: y)
                solve(
                  StridedRow(base: average.sums.row(0), stride: average.sums.stride), window.scale,
                  Self.regularization, MutableFlowRow(u: u.row(y), v: v.row(y)), u.width)
              }
            }
          }
        }
      }
    }
    swap(&estimate, &refined)
  }

  /// Hands the estimate over; the next begins with `start` or `initialize`.
  mutating func takeEstimate() -> FlowField {
    let result = estimate
    estimate = FlowField(uninitialized: size)
    return result
  }
}

extension FlowField {
  fileprivate func withViews(_ body: ((u: PlaneView<Float>, v: PlaneView<Float>)) -> Void) {
    u.withView { u in v.withView { v in body((u, v)) } }
  }

  fileprivate mutating func withMutableViews(_ body: (MutablePlaneView<Float>, MutablePlaneView<Float>) -> Void) {
    u.withMutableView { u in v.withMutableView { v in body(u, v) } }
  }
}
