// A coarse grid of samples of a flow: what planes are found in.

import FlowKernelTypes
import FlowKernels
import Imaging

/// The cells of a level: square blocks of pixels, each with the vector at its middle. Valid as long as its owner.
struct FlowCells {
  /// The number of cells at most, roughly, so that planes cost no more in large images than in small ones.
  private static let countLimit = 2048
  /// The minimum side of a cell, in pixels; chosen by hand.
  private static let minimumSide = 2

  /// Pixels of a level from one cell to the next.
  let side: Int
  let columns: Int
  let rows: Int
  /// The cells and what fills the last vector of 16.
  let paddedCount: Int
  let x: UnsafeMutablePointer<Float>
  let y: UnsafeMutablePointer<Float>
  let u: UnsafeMutablePointer<Float>
  let v: UnsafeMutablePointer<Float>
  /// The square of the tolerance in pixels; −1 where the vector is not to be trusted.
  let squaredTolerance: UnsafeMutablePointer<Float>
  /// The grey level at the middle.
  let level: UnsafeMutablePointer<Float>

  var count: Int { columns * rows }

  /// Cells for a level of `size`, in `memory`.
  init(size: PixelSize, memory: GridMemory) {
    let area = Double(size.width * size.height)
    side = max(Self.minimumSide, Int((area / Double(Self.countLimit)).squareRoot().rounded(.up)))
    columns = (size.width + side - 1) / side
    rows = (size.height + side - 1) / side
    paddedCount = (columns * rows + 15) / 16 * 16
    memory.reshape(rows: 6, width: paddedCount, margin: 0, marginRows: 0)
    let view = memory.view
    (x, y, u, v, squaredTolerance, level) = (
      view.row(0), view.row(1), view.row(2), view.row(3), view.row(4), view.row(5)
    )
    for k in 0..<5 { (view.row(k) + count).update(repeating: k == 4 ? -1 : 0, count: paddedCount - count) }
  }

  func isTrusted(_ cell: Int) -> Bool { squaredTolerance[cell] > 0 }

  /// Takes the vectors of a flow.
  ///
  /// - Parameters:
  ///   - errors: The error with which the flow explains each pixel.
  ///   - errorLimit: Above it a vector is not trusted; nor where it leads out of the image.
  ///   - tolerance: The least deviation that a plane may have from a vector, in pixels, and its share of the motion.
  func gather(
    _ flow: LevelFlow, image: GridView, errors: GridView, errorLimit: Float, tolerance: (pixels: Float, share: Float)
  ) {
    let (size, flowU, flowV) = (flow.size, flow.u, flow.v)
    let (right, bottom) = (Float(size.width - 1), Float(size.height - 1))
    for row in 0..<rows {
      let py = min(row * side + side / 2, size.height - 1)
      let (rowU, rowV, rowErrors, rowLevels) = (flowU.row(py), flowV.row(py), errors.row(py), image.row(py))
      for column in 0..<columns {
        let (cell, px) = (row * columns + column, min(column * side + side / 2, size.width - 1))
        let (motionX, motionY) = (rowU[px], rowV[px])
        let (targetX, targetY) = (Float(px) + motionX, Float(py) + motionY)
        let isInside = targetX >= 1 && targetY >= 1 && targetX <= right - 1 && targetY <= bottom - 1
        let limit = max(tolerance.pixels, tolerance.share * (motionX * motionX + motionY * motionY).squareRoot())
        (x[cell], y[cell], u[cell], v[cell]) = (Float(px), Float(py), motionX, motionY)
        squaredTolerance[cell] = isInside && rowErrors[px] < errorLimit ? limit * limit : -1
        level[cell] = rowLevels[px]
      }
    }
  }

  /// The trusted cells that a plane explains.
  func inliers(of plane: PlanarMotion, _ kernels: PlaneKernels) -> CellSet {
    CellSet(count: paddedCount) {
      kernels.planeInliers(
        plane.numbers, VectorSamples(x: x, y: y, u: u, v: v), squaredTolerance, $0, paddedCount)
    }
  }
}
