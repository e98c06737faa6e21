// What the view of a fixed camera shows when nobody passes.

import Imaging

/// Learns the background of a fixed camera, and tells what stands out from it. Used by one thread.
///
/// It begins as the median of the first frames, and follows each pixel by small steps up or down: the approximate
/// median (McFarlane & Schofield 1995, doi:10.1007/BF01215814). Where something is being followed it waits, so that who
/// stands for a while does not become background.
struct BackgroundModel {
  /// The background, in grey levels.
  private(set) var image: Plane<Float>
  // Kept from frame to frame: the step of each pixel, its difference, and sums of these.
  private var steps: [Float]
  private var differences: [Float]
  private var sums: [Float]

  /// The step of a frame where nothing is, in grey levels.
  private static let step: Float = 0.5
  /// The step of a frame where something is that was seen to move.
  private static let occupiedStep: Float = 0.02
  /// The step of a frame where something is that has not moved since it appeared: most likely where something was.
  private static let stillStep: Float = 0.2
  /// The difference from which on a pixel stands out, in grey levels: a mean of 3×3 pixels. Chosen on `vtest.avi`;
  /// shadows on asphalt stay below.
  private static let threshold: Float = 28
  /// The number of pixels to each side by which gaps are closed.
  private static let (closingX, closingY) = (2, 4)

  /// The median of some frames of one size; at least one.
  init(_ frames: [Plane<Float>]) {
    image = frames[0]
    let size = image.size
    steps = Array(repeating: 0, count: size.area)
    (differences, sums) = (steps, steps)
    guard frames.count > 2 else { return }
    var rows = [[Float]](repeating: Array(repeating: 0, count: size.width), count: frames.count)
    image.withMutableView { target in
      for y in 0..<size.height {
        for (index, frame) in frames.enumerated() {
          frame.withView { view in
            for x in 0..<size.width { rows[index][x] = view.row(y)[x] }
          }
        }
        for x in 0..<size.width { target.row(y)[x] = rows.map { $0[x] }.median ?? 0 }
      }
    }
  }

  /// An area whose pixels are learned more slowly.
  struct Occupied {
    var pixels: PixelRect
    /// A Boolean value that tells whether what is there has not moved since it appeared.
    var isStill: Bool
  }

  /// Takes a frame.
  mutating func learn(_ frame: Plane<Float>, occupied: [Occupied]) {
    let size = image.size
    for index in steps.indices { steps[index] = Self.step }
    for area in occupied {
      let step = area.isStill ? Self.stillStep : Self.occupiedStep
      for y in area.pixels.rows {
        for x in area.pixels.columns { steps[y * size.width + x] = step }
      }
    }
    frame.withView { frame in
      image.withMutableView { image in
        for y in 0..<size.height {
          let (values, means) = (frame.row(y), image.row(y))
          for x in 0..<size.width {
            let step = steps[y * size.width + x]
            means[x] += min(max(values[x] - means[x], -step), step)
          }
        }
      }
    }
  }

  /// Forgets all but a frame: the light has changed, or the camera was moved.
  mutating func restart(with frame: Plane<Float>) { image = frame }

  /// Returns what stands out of a frame, with gaps closed.
  mutating func foreground(of frame: Plane<Float>) -> BitMask {
    let (width, height) = (image.size.width, image.size.height)
    frame.withView { frame in
      image.withView { image in
        for y in 0..<height {
          for x in 0..<width { differences[y * width + x] = abs(frame.row(y)[x] - image.row(y)[x]) }
        }
      }
    }
    // Sums of three columns, then of three rows; what lies outside counts as the border.
    for row in stride(from: 0, to: width * height, by: width) {
      for x in 0..<width {
        sums[row + x] =
          differences[row + max(x - 1, 0)] + differences[row + x] + differences[row + min(x + 1, width - 1)]
      }
    }
    var mask = BitMask(size: image.size)
    for y in 0..<height {
      let (above, below) = (max(y - 1, 0) * width, min(y + 1, height - 1) * width)
      for x in 0..<width {
        mask[x, y] = sums[above + x] + sums[y * width + x] + sums[below + x] > 9 * Self.threshold
      }
    }
    return mask.closed(x: Self.closingX, y: Self.closingY)
  }
}
