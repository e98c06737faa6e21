// Planes of the scene, found in the flow at hand and proposed where the flow is unsure or leaves the image.
//
// What a search finds is right where things are seen twice and have texture. What leaves the image, is hidden, or is
// smooth takes its flow from its surroundings; a smoothness term continues that flow as a constant, and a road that
// leaves the image under a moving camera is nothing like constant. Most surfaces are nearly planes, though, and the
// flow at hand shows their motion where they are seen. So: planes are fitted to the trusted part of the flow; each is
// extended along its surface in the image; and every pixel takes the flow of the plane that it would belong to, if that
// explains the images at least as well. The idea of completing flow from planes of its surroundings is that of Yang &
// Li (CVPR 2015) and Hu, Li & Song (RIC, CVPR 2017); here planes come from the dense flow itself, level by level, and
// none is taken on faith.

import FlowKernelTypes
import FlowKernels
import Imaging

final class PlaneProposals {
  // Without another source, a number here was chosen by hand.

  /// The difference of grey levels at which structure errors are limited, and the error of what leads out of the image:
  /// vectors that lead to worse matches count as lost.
  private static let limits = ErrorLimits(limit: 4, outside: 0.25)
  /// The structure error above which a vector is not trusted.
  private static let errorLimit: Float = 0.25
  /// The maximum distance of a plane from vectors that it explains: in pixels of the level, or as a share of the
  /// motion.
  private static let tolerance: (pixels: Float, share: Float) = (0.25, 0.05)
  /// The structure error by which a plane must be better than the flow at hand: it wins where both are equal but for
  /// rounding.
  private static let tieMargin: Float = -1e-4
  /// The window over which structure errors are averaged, in pixels.
  private static let errorSmoothing = SmoothingKernel(sigma: 1.5, radius: 4)

  private let cellMemory = GridMemory()
  private let detection = PlaneDetection()
  private let reach = PlaneExtension()
  private let warped = GridMemory()
  private let inside = GridMemory()
  private let errorsAlongRows = GridMemory()
  private let errors = GridMemory()
  private let proposedU = GridMemory()
  private let proposedV = GridMemory()
  private let kernels = KernelTable.current.planes

  /// Forgets the planes of another pair of images.
  func reset() { detection.reset() }

  /// Replaces the vectors of `flow` where a plane of the scene explains the two images of the level at least as well.
  func improve(_ flow: LevelFlow, pair: ImagePair, limit: Int, parallelism: Parallelism) {
    let size = flow.size
    for memory in [warped, inside, errorsAlongRows, errors, proposedU, proposedV] {
      memory.reshape(rows: size.height, width: size.width, margin: 16, marginRows: 2)
    }
    measure(flow.u, flow.v, pair, parallelism)
    let presentErrors = errors.view
    smooth(size, parallelism) { row, y in presentErrors.row(y).update(from: row, count: size.width) }
    let cells = FlowCells(size: size, memory: cellMemory)
    pair.previous.withView {
      cells.gather(
        flow, image: $0, errors: presentErrors, errorLimit: Self.errorLimit, tolerance: Self.tolerance)
    }
    detection.find(in: cells, size: size, limit: limit)
    guard !detection.planes.isEmpty else { return }
    reach.extend(detection, cells)
    propose(flow, cells, parallelism)
    measure(proposedU.view, proposedV.view, pair, parallelism)
    select(flow, parallelism)
  }

  /// The structure errors of a flow, smoothed along the rows.
  private func measure(_ u: GridView, _ v: GridView, _ pair: ImagePair, _ parallelism: Parallelism) {
    let (size, warped, inside, kernels) = (pair.size, warped.view, inside.view, kernels)
    let output = errorsAlongRows.view
    pair.current.withView { current in
      parallelism.forEachStripe(rows: size.height) { stripe in
        let warper = RowWarper(width: size.width)
        for y in stripe {
          warper.warp(
            current, y, u.row(y), v.row(y), size: size, isBilinear: true, into: warped.row(y), inside: inside.row(y))
        }
        warped.replicateBorders(of: size, margin: 2, aroundRows: stripe)
      }
    }
    let (kernel, weightedSum) = (Self.errorSmoothing, KernelTable.current.filter.weightedSum)
    pair.previous.withView { previous in
      parallelism.forEachStripe(rows: size.height) { stripe in
        let errors = ScratchRows(count: 1, width: size.width, margin: 16)
        let taps = (-kernel.radius...kernel.radius).map { UnsafePointer(errors.row(0) + $0) }
        for y in stripe {
          kernels.structureErrorRow(
            StridedRow(previous, y), StridedRow(warped, y), inside.row(y), Self.limits, errors.row(0), size.width)
          errors.replicateBorders(ofRow: 0)
          weightedSum(taps, kernel.weights, taps.count, output.row(y), size.width)
        }
      }
    }
  }

  /// Hands on the rows of the errors, smoothed down the columns too.
  private func smooth(
    _ size: PixelSize, _ parallelism: Parallelism,
    _ body: @escaping @Sendable (_ row: UnsafeMutablePointer<Float>, _ y: Int) -> Void
  ) {
    let errors = errorsAlongRows.view
    parallelism.forEachStripe(rows: size.height) { stripe in
      let smooth = ScratchRows(count: 1, width: size.width)
      for y in stripe {
        Self.errorSmoothing.smoothColumns(errors, y, size: size, into: smooth.row(0))
        body(smooth.row(0), y)
      }
    }
  }

  /// Writes the flow of each pixel's plane, and the flow at hand where there is none.
  private func propose(_ flow: LevelFlow, _ cells: FlowCells, _ parallelism: Parallelism) {
    let (size, u, v, side, columns) = (flow.size, flow.u, flow.v, cells.side, cells.columns)
    let (outputU, outputV, kernels) = (proposedU.view, proposedV.view, kernels)
    let (planes, owners) = (detection.planes, reach.owners)
    let limit = Float(max(size.width, size.height))
    parallelism.forEachStripe(rows: size.height) { stripe in
      for y in stripe {
        outputU.row(y).update(from: u.row(y), count: size.width)
        outputV.row(y).update(from: v.row(y), count: size.width)
        let first = y / side * columns
        var column = 0
        while column < columns {
          let owner = owners[first + column]
          let start = column
          repeat { column += 1 } while column < columns && owners[first + column] == owner
          guard owner >= 0 else { continue }
          let (x, end) = (start * side, min(column * side, size.width))
          kernels.planeFlowRow(
            planes[Int(owner)].numbers, x, y, limit,
            MutableFlowRow(u: outputU.row(y) + x, v: outputV.row(y) + x), end - x)
        }
      }
    }
  }

  private func select(_ flow: LevelFlow, _ parallelism: Parallelism) {
    let (size, u, v, errors) = (flow.size, flow.u, flow.v, errors.view)
    let (proposedU, proposedV) = (proposedU.view, proposedV.view)
    let selectRow = KernelTable.current.inverseSearch.selectRow
    smooth(size, parallelism) { row, y in
      selectRow(
        FlowRow(proposedU, proposedV, y), row, errors.row(y), Self.tieMargin, MutableFlowRow(u, v, y), size.width)
    }
  }
}
