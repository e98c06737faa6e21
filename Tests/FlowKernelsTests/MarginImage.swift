import FlowKernelTypes

/// An image with margins of 16 pixels, which repeat its border.
struct MarginImage {
  static let margin = 16
  let width: Int
  let height: Int
  let stride: Int
  private let memory: GuardedRow
  var base: UnsafeMutablePointer<Float> { memory.base + (Self.margin * stride + Self.margin) }

  init(width: Int, height: Int, pixel: (_ x: Int, _ y: Int) -> Float) {
    self.width = width
    self.height = height
    stride = width + 2 * Self.margin + 16
    memory = GuardedRow([Float](repeating: 0, count: (height + 2 * Self.margin) * stride))
    for y in -Self.margin..<height + Self.margin {
      for x in -Self.margin..<width + Self.margin {
        base[y * stride + x] = pixel(min(max(x, 0), width - 1), min(max(y, 0), height - 1))
      }
    }
  }

  var rows: ImageRows { ImageRows(base: base, stride: stride, width: width, height: height) }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }

  /// Bilinear, for y0 and x0 of the position's pixel at the upper left.
  func value(_ x: Int, _ y: Int, _ fx: Float, _ fy: Float) -> Float {
    let left = row(y)[x] * (1 - fy) + row(y + 1)[x] * fy
    let right = row(y)[x + 1] * (1 - fy) + row(y + 1)[x + 1] * fy
    return left * (1 - fx) + right * fx
  }
}
