// The search in a whole window for patches that no descent has found.

import FlowKernelTypes
import FlowKernels

extension KernelCase {
  /// Patches that find nothing, so that each run does the same; their windows lie inside the image.
  private struct Window {
    static let (step, radius, top) = (4, 16, 16)
    static let height = 2 * radius + 8
    /// Half a row of patches keeps window and rows in the cache that other kernels use.
    let width: Int
    let count: Int
    let previous: Rows
    let current: Rows
    let shifts: Rows

    init(width: Int) {
      self.width = max(width, 2 * Self.radius + 8)
      count = (self.width - 8) / Self.step
      (previous, current) = (Rows(8, of: self.width), Rows(Self.height, of: self.width))
      shifts = Rows(3, of: count)
      var state: UInt32 = 1
      func noise() -> Float {
        state = state &* 1_664_525 &+ 1_013_904_223
        return Float(state >> 24)
      }
      for rows in [(previous, 8), (current, Self.height)] {
        for y in 0..<rows.1 { for x in 0..<self.width { rows.0[y][x] = noise() } }
      }
      for k in 0..<count {
        let x = k * Self.step
        let center = min(max(x, Self.radius), self.width - 8 - Self.radius)
        // About the variance of the noise: another match would have to be much better.
        (shifts[0][k], shifts[1][k], shifts[2][k]) = (Float(center - x), 0, 64 * 5000)
      }
    }
  }

  static func wideSearch(_ kernels: InverseSearchKernels, count: Int) -> [KernelCase] {
    let window = Window(width: count / 2)
    precondition(window.previous.stride == window.current.stride)
    // A patch belongs to the pixels to the next one.
    let area = Double(Window.step * Window.step)
    let side = Double(2 * Window.radius + 1)
    // A position in the window takes 64 differences with their sums and the choice; the patch itself its variance.
    let operations = side * side * (64 * 4 + 4) + 64 * 3
    let rowsRead = Double(Window.height + 8) / Double(Window.step)
    return [
      KernelCase(
        "searchWideRow, radius \(Window.radius)", pixels: window.count * Int(area), rowsRead: rowsRead, rowsWritten: 0,
        operations: operations / area
      ) {
        kernels.searchWideRow(
          window.previous[0],
          ImageRows(
            base: window.current[0], stride: window.current.stride, width: window.width, height: Window.height),
          PatchRowLayout(y: Window.top, step: Window.step, count: window.count), Window.radius,
          PatchShiftRow(u: window.shifts[0], v: window.shifts[1], cost: window.shifts[2]))
      }
    ]
  }
}
