// What the view of a fixed camera shows when nobody passes.

import Imaging

/// Learns the background of a fixed camera, and tells what stands out from it. Used by one thread.
///
/// It begins as the median of the first frames, and follows each pixel by small steps up or down: the approximate median
/// (McFarlane & Schofield 1995, doi:10.1007/BF01215814). Where something is being followed it waits, so that who stands
/// for a while does not become background.
struct BackgroundModel {
  /// The background, in grey levels.
  private(set) var image: Plane<Float>

  /// The step of a frame where nothing is, in grey levels.
  private static let step: Float = 0.5
  /// The step of a frame where something is that was seen to move.
  private static let occupiedStep: Float = 0.02
  /// The step of a frame where something is that has not moved since it appeared: most likely where something was.
  private static let stillStep: Float = 0.2
  /// The difference from which on a pixel stands out, in grey levels: a mean of 3×3 pixels. Chosen on `vtest.avi`; shadows
  /// on asphalt stay below.
  private static let threshold: Float = 28
  /// The number of pixels to each side by which gaps are closed.
  private static let (closingX, closingY) = (2, 4)

  /// The median of some frames of one size; at least one.
  init(_ frames: [Plane<Float>]) {
    image = frames[0]
    guard frames.count > 2 else { return }
    let size = image.size
    var values = [Float](repeating: 0, count: frames.count)
    image.withMutableView { target in
      for y in 0..<size.height {
        let rows = frames.map {
          $0.withView { view in Array(UnsafeBufferPointer(start: view.row(y), count: size.width)) }
        }
        for x in 0..<size.width {
          for index in rows.indices { values[index] = rows[index][x] }
          values.sort()
          target.row(y)[x] = values[values.count / 2]
        }
      }
    }
  }

  /// An area whose pixels are learned more slowly.
  struct Occupied {
    var box: PixelBox
    /// A Boolean value that tells whether what is there has not moved since it appeared.
    var isStill: Bool
  }

  /// Takes a frame.
  mutating func learn(_ frame: Plane<Float>, occupied: [Occupied]) {
    let size = image.size
    var steps = [Float](repeating: Self.step, count: size.width * size.height)
    for area in occupied {
      let step = area.isStill ? Self.stillStep : Self.occupiedStep
      let box = area.box.clipped(to: size)
      for y in box.top..<box.bottom {
        for x in box.left..<box.right { steps[y * size.width + x] = step }
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
  func foreground(of frame: Plane<Float>) -> BitMask {
    let size = image.size
    let (width, height) = (size.width, size.height)
    var difference = [Float](repeating: 0, count: width * height)
    frame.withView { frame in
      image.withView { image in
        for y in 0..<height {
          for x in 0..<width { difference[y * width + x] = abs(frame.row(y)[x] - image.row(y)[x]) }
        }
      }
    }
    // Sums of three columns, then of three rows; what lies outside counts as the border.
    var sums = difference
    for y in 0..<height {
      for x in 0..<width {
        let row = y * width
        sums[row + x] = difference[row + max(x - 1, 0)] + difference[row + x] + difference[row + min(x + 1, width - 1)]
      }
    }
    var mask = BitMask(size: size)
    for y in 0..<height {
      let (above, below) = (max(y - 1, 0) * width, min(y + 1, height - 1) * width)
      for x in 0..<width {
        mask[x, y] = sums[above + x] + sums[y * width + x] + sums[below + x] > 9 * Self.threshold
      }
    }
    return mask.closed(x: Self.closingX, y: Self.closingY)
  }
}
