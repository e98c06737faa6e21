// The motion that a map of the whole image makes, taken out of flow: what remains moved by itself.

import FlowKernels

extension FlowField {
  /// Subtracts the motion of the image as a whole: u, v −= `map`(x, y) − (x, y).
  ///
  /// - Parameters:
  ///   - map: Pixels of the image on whose grid the flow lies to pixels of the other one: for forward flow from
  ///     `previous` to `current`, the inverse of the `warpTransform` of `current` (floating) to `previous` (reference).
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Complexity: O(width · height). Unknown vectors stay unknown; the identity changes nothing.
  public mutating func subtract(motionOf map: Homography, parallelism: Parallelism = Parallelism()) {
    guard map != .identity, !size.isEmpty else { return }
    let (size, map, projectRow) = (size, map.normalized, KernelTable.current.warp.projectRow)
    u.withMutableView { u in
      v.withMutableView { v in
        parallelism.forEachStripe(rows: size.height) { stripe in
          let motion = ScratchRows(count: 2, width: size.width, margin: 16)
          for y in stripe {
            projectRow(map.rowCoefficients(y), motion.row(0), motion.row(1), size.width)
            subtractRow(motion.row(0), from: u.row(y), count: size.width)
            subtractRow(motion.row(1), from: v.row(y), count: size.width)
          }
        }
      }
    }
  }
}

private func subtractRow(_ motion: UnsafePointer<Float>, from row: UnsafeMutablePointer<Float>, count: Int) {
  for x in 0..<count { row[x] -= motion[x] }
}

extension Homography {
  /// The displacements of row `y` as `projectRow` wants them: map(x, y) − (x, y) with the denominator multiplied out.
  func rowCoefficients(_ y: Int) -> [Float] {
    let y = Double(y)
    let depth = h * y + i
    return [-g, a - depth, b * y + c, d - g * y, e * y + f - y * depth, g, depth].map(Float.init)
  }
}
