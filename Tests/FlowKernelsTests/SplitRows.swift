import FlowKernelTypes
import FlowKernels
import TestSupport

/// Rows of bands whose even and odd columns lie apart, as the variational kernels want them, with a row above and
/// below.
final class SplitRows {
  let width: Int
  let bands: Int
  let count: Int
  let partStride: Int
  let rowStride: Int
  private let memory: GuardedRow
  private static let margin = 16

  /// `value(x, y, band)` for y in −1 … 1.
  init(width: Int, bands: Int, value: (_ x: Int, _ y: Int, _ band: Int) -> Float = { _, _, _ in 0 }) {
    self.width = width
    self.bands = bands
    count = (width + 1) / 2
    partStride = (count + 15) / 16 * 16 + 16
    rowStride = 2 * bands * partStride + 32
    memory = GuardedRow([Float](repeating: 0, count: 3 * rowStride + Self.margin))
    for y in -1...1 {
      for band in 0..<bands {
        for x in 0..<width { self[x, y, band] = value(x, y, band) }
      }
    }
  }

  var row: UnsafeMutablePointer<Float> { memory.base + (Self.margin + rowStride) }

  var strided: StridedRow { StridedRow(base: row, stride: rowStride) }
  var split: SplitRow { SplitRow(base: row, partStride: partStride) }

  subscript(x: Int, y: Int, band: Int) -> Float {
    get { row[index(x, y, band)] }
    set { row[index(x, y, band)] = newValue }
  }

  private func index(_ x: Int, _ y: Int, _ band: Int) -> Int {
    y * rowStride + (2 * band + x % 2) * partStride + x / 2
  }

  /// The middle row's band.
  func bits(_ band: Int) -> [UInt32] { (0..<width).map { comparableBits(self[$0, 0, band]) } }

  /// 0 outside the image, as the padding is.
  func value(_ x: Int, _ y: Int, _ band: Int) -> Float { x >= 0 && x < width ? self[x, y, band] : 0 }

  /// Nothing was written where zeros must stay, nor past the end.
  var isPaddingUntouched: Bool {
    let paddedCount = partStride - 16
    return memory.isGuardUntouched
      && (0..<2 * bands).allSatisfy { part in
        (paddedCount..<partStride).allSatisfy { row[part * partStride + $0] == 0 }
      }
  }
}

/// The kernels' 1/√x, one sample at a time.
func inverseSquareRootReference(_ x: Float) -> Float {
  var y = Float(bitPattern: 0x5F37_5A86 &- (x.bitPattern >> 1))
  let half = x * 0.5
  y = y * (1.5 - half * (y * y))
  y = y * (1.5 - half * (y * y))
  return y
}
