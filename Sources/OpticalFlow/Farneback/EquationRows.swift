// The equations of a few neighbouring rows: what an averaging window that moves down the image needs at a time.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Forms the equations (G₁₁, G₁₂, G₂₂, h₁, h₂) of one row after the other and keeps the last `capacity` of them.
///
/// The equations of the whole image would take as much memory as an expansion and be written and read once in each
/// iteration; those of a window stay in the processor's cache.
struct EquationRows: ~Copyable {
  /// The number of distinct elements of the normal equations of a pixel.
  static let bandCount = 5
  /// The weights of the outermost five columns and rows, outermost first (OpenCV's values): near the border the
  /// polynomials lean on replicated pixels.
  static let borderWeights: [Float] = [0.14, 0.14, 0.4472, 0.4472, 0.4472]

  let size: PixelSize
  private let previous: ExpansionView
  private let current: ExpansionView
  private let u: PlaneView<Float>
  private let v: PlaneView<Float>
  private let columnWeights: ScratchRows
  private let capacity: Int
  private let ring: ScratchRows
  private let form = KernelTable.current.farneback.formEquations
  /// The row below the last one formed; nil before the first.
  private var next: Int?

  init(
    previous: ExpansionView, current: ExpansionView, u: PlaneView<Float>, v: PlaneView<Float>, capacity: Int
  ) {
    size = u.size
    self.previous = previous
    self.current = current
    self.u = u
    self.v = v
    self.capacity = capacity
    columnWeights = ScratchRows(count: 1, width: u.width)
    for x in 0..<u.width { columnWeights.row(0)[x] = Self.weight(at: x, count: u.width) }
    ring = ScratchRows(count: capacity * Self.bandCount, width: u.width)
  }

  /// Forms the equations of the rows down to `last`, from `first` on when there are none yet. Rows beyond the borders
  /// count as the nearest inside.
  mutating func form(from first: Int, through last: Int) {
    var y = next ?? max(first, 0)
    while y <= min(last, size.height - 1) {
      form(
        ExpansionRow(base: previous.row(y), bandStride: current.bandStride, y: y),
        ImageRows(base: current.row(0), stride: current.rowStride, width: size.width, height: size.height),
        FlowRow(u: u.row(y), v: v.row(y)),
        EquationWeights(columns: columnWeights.row(0), row: Self.weight(at: y, count: size.height)),
        MutableStridedRow(base: ring.row(slot(y)), stride: ring.stride))
      y += 1
    }
    next = y
  }

  /// Returns one number of the equations of the row `y`, or the row nearest to it, which must be among the last formed.
  func row(_ band: Int, _ y: Int) -> UnsafePointer<Float> {
    UnsafePointer(ring.row(slot(min(max(y, 0), size.height - 1)) + band))
  }

  private func slot(_ y: Int) -> Int { y % capacity * Self.bandCount }

  /// The weight of the position `index` along an axis.
  private static func weight(at index: Int, count: Int) -> Float {
    let near = index < borderWeights.count ? borderWeights[index] : 1
    let far = count - 1 - index < borderWeights.count ? borderWeights[count - 1 - index] : 1
    return near * far
  }
}
