// One level of dense Lucas-Kanade: equations, their solution in each window, the choice of windows, a median.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The displacement that each window asks for and how badly it fits there, with room beside the rows for the search of
/// a better window.
final class WindowSolutions {
  private let uMemory = GridMemory()
  private let vMemory = GridMemory()
  private let residualMemory = GridMemory()

  var u: GridView { uMemory.view }
  var v: GridView { vMemory.view }
  var residual: GridView { residualMemory.view }

  func reshape(to size: PixelSize, shift: Int) {
    for memory in [uMemory, vMemory, residualMemory] {
      memory.reshape(rows: size.height, width: size.width, margin: shift, marginRows: 0)
    }
  }
}

/// Iterations on one level after the other, with fixed parameters.
struct LucasKanadeRefinement: Sendable {
  /// The number of rows that one thread computes in a row; chosen by hand. Each stripe forms the equations of its
  /// window's overhang again.
  static let stripeHeight = 64
  /// The radius of the square over which the residual of a window is averaged, in pixels, smaller than the window: it
  /// has to tell on which side of a motion border the middle of the window lies. Tuned on the Middlebury training
  /// pairs.
  static let residualRadius = 4
  /// The maximum of a difference of grey levels; a larger one counts as this. Chosen by hand.
  static let residualLimit: Float = 20

  /// The maximum distance by which an iteration may move a vector, in pixels of the level; chosen by hand.
  static let maximumStep: Float = 2
  /// The minimum trace of a structure tensor that is not rounding, in squared grey levels per pixel; chosen by hand.
  static let minimumTrace: Float = 1e-6
  /// The share of the smallest residual by which that of other windows may exceed it, after half a grey level, which an
  /// image's noise makes at any rate, was added to it. Tuned like `residualRadius`.
  static let residualTolerance: Float = 0.4
  /// The half grey level that `residualTolerance` speaks of.
  static let residualFloor: Float = 0.5

  private let parameters: LucasKanadeParameters
  private let parallelism: Parallelism
  private let window: SummationWindow
  private let residualWindow: SummationWindow
  /// The maximum distance at which other windows are looked for, in pixels; 0 for nowhere.
  private let shift: Int
  private let kernels = KernelTable.current.lucasKanade
  private let sortKernels = KernelTable.current.variational

  init(parameters: LucasKanadeParameters, parallelism: Parallelism) {
    self.parameters = parameters
    self.parallelism = parallelism
    window = SummationWindow(parameters)
    let radius = window.radius
    residualWindow = SummationWindow(boxRadius: min(Self.residualRadius, radius))
    shift = Int((parameters.windowShift * Double(radius)).rounded())
  }

  /// Improves the flow of a level.
  func refine(_ flow: LevelFlow, previous: PaddedPlane, current: PaddedPlane, windows: WindowSolutions) {
    windows.reshape(to: flow.size, shift: shift)
    previous.withView { previous in
      current.withView { current in
        for _ in 0..<parameters.iterations {
          if shift > 0 {
            solve(flow, previous, current, into: (windows.u, windows.v))
            measure(windows, flow.size, previous, current)
            blend(windows, into: flow)
          } else {
            solve(flow, previous, current, into: (flow.nextU, flow.nextV))
            flow.advance()
          }
          filterMedian(flow)
        }
      }
    }
  }

  /// The displacement that the window around each pixel asks for.
  private func solve(
    _ flow: LevelFlow, _ previous: GridView, _ current: GridView, into output: (u: GridView, v: GridView)
  ) {
    let (size, kernels, window, shift) = (flow.size, kernels, window, shift)
    let (u, v) = (flow.u, flow.v)
    let form = parameters.sampling == .bicubic ? kernels.formEquationsBicubic : kernels.formEquations
    let limits = DisplacementLimits(
      regularization: Float(parameters.regularization), maximumStep: Self.maximumStep, minimumTrace: Self.minimumTrace)
    parallelism.forEachStripe(rows: size.height, stripeHeight: Self.stripeHeight) { stripe in
      var equations = WindowSums(size: size, bandCount: 5, window: window) { y, row, stride in
        let output = MutableStridedRow(base: row, stride: stride)
        form(previous.row(y), ImageRows(current, size), FlowRow(u, v, y), y, output)
      }
      let sums = ScratchRows(count: 5, width: size.width)
      for y in stripe {
        equations.move(to: y, into: sums.row(0), stride: sums.stride)
        kernels.solveEquations(
          StridedRow(base: sums.row(0), stride: sums.stride), window.scale, limits, FlowRow(u, v, y),
          MutableFlowRow(output.u, output.v, y), size.width)
        // The windows in the last columns stand for those beyond.
        output.u.replicateSides(ofRow: y, width: size.width, margin: shift)
        output.v.replicateSides(ofRow: y, width: size.width, margin: shift)
      }
    }
  }

  /// Measures how badly the solution of each window fits around its middle.
  private func measure(_ windows: WindowSolutions, _ size: PixelSize, _ previous: GridView, _ current: GridView) {
    let (kernels, residualWindow) = (kernels, residualWindow)
    let (u, v, residual) = (windows.u, windows.v, windows.residual)
    let shift = shift
    parallelism.forEachStripe(rows: size.height, stripeHeight: Self.stripeHeight) { stripe in
      var differences = WindowSums(size: size, bandCount: 1, window: residualWindow) { y, row, _ in
        kernels.measureResidual(
          previous.row(y), ImageRows(current, size), FlowRow(u, v, y), y, Self.residualLimit, row)
      }
      for y in stripe {
        differences.move(to: y, into: residual.row(y), stride: residual.stride)
        residual.replicateSides(ofRow: y, width: size.width, margin: shift)
      }
    }
  }

  /// Takes for each pixel the best of nine windows that it lies in, or a mean of those that fit alike.
  private func blend(_ windows: WindowSolutions, into flow: LevelFlow) {
    let (size, kernels, shift) = (flow.size, kernels, shift)
    let (u, v, residual) = (windows.u, windows.v, windows.residual)
    let (outputU, outputV) = (flow.u, flow.v)
    let choice = WindowChoice(shift: shift, tolerance: Self.residualTolerance, floor: Self.residualFloor)
    parallelism.forEachStripe(rows: size.height, stripeHeight: Self.stripeHeight) { stripe in
      for y in stripe {
        let rows = [max(y - shift, 0), y, min(y + shift, size.height - 1)]
        kernels.blendDisplacements(
          rows.map { UnsafePointer(residual.row($0)) }, rows.map { UnsafePointer(u.row($0)) },
          rows.map { UnsafePointer(v.row($0)) }, choice, MutableFlowRow(outputU, outputV, y), size.width)
      }
    }
  }

  /// Takes for each component the median around each pixel.
  private func filterMedian(_ flow: LevelFlow) {
    guard parameters.median != .off else { return }
    let radius = parameters.median == .small ? 1 : 2
    let size = flow.size
    for y in 0..<size.height {
      flow.u.replicateSides(ofRow: y, width: size.width, margin: radius)
      flow.v.replicateSides(ofRow: y, width: size.width, margin: radius)
    }
    let fields = [(flow.u, flow.nextU), (flow.v, flow.nextV)]
    parallelism.forEachStripe(rows: size.height) { stripe in
      let sorted = ScratchRows(count: 5, width: size.width + 4)
      for y in stripe {
        for (input, output) in fields {
          let rows = (-radius...radius).map { UnsafePointer(input.row(min(max(y + $0, 0), size.height - 1))) }
          if radius == 1 {
            kernels.medianRow3x3(rows, output.row(y), size.width)
          } else {
            sortKernels.sortColumns(rows.map { $0 - 2 }, sorted.row(0), sorted.stride, size.width + 4)
            sortKernels.medianRow(sorted.row(0) + 2, sorted.stride, output.row(y), size.width)
          }
        }
      }
    }
    flow.advance()
  }
}
