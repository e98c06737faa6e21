// The model of how each pixel uses to look.

import Imaging

/// Learns between which values each pixel uses to be. Used by one thread.
///
/// A pixel takes many values again and again where leaves, waves or the scenes of a television come and go: the range
/// of a codebook (Kim et al. 2005, doi:10.1016/j.rti.2004.12.004) with one word. Somebody who passes shows others.
/// The constants were tuned on the tuning half of the drawn scenes (Tests/DetectionScenes).
struct AppearanceModel {
  private let grid: CellGrid
  private var low: Plane<Float>
  private var high: Plane<Float>
  /// The time since the model was reset, in seconds.
  private var age = 0.0
  private var lastTime: Double?

  /// The time in which all values are taken for usual, in seconds.
  private static let learningTime = 2.5
  /// The speed at which a range widens, in grey levels per second: what passes is over before it is usual.
  private static let widening: Float = 150
  /// The time in which a range narrows, in seconds.
  private static let narrowingTime: Float = 20
  /// The distance from the range from which on a value is new, in grey levels.
  private static let margin: Float = 8
  /// The number of pixels to each side whose values are usual too: leaves and waves come that much further.
  private static let reachInPixels = 2
  /// The minimum number of new pixels of a cell that looks new.
  private static let minimumNewPixels = 4
  /// The share of the cells of a component that must look new.
  private static let minimumNewShare = 0.25

  init(grid: CellGrid) {
    self.grid = grid
    low = Plane(size: grid.size, repeating: 0)
    high = low
  }

  /// A Boolean value that tells whether too little has been seen to know what is usual.
  var isLearning: Bool { age < Self.learningTime }

  /// Forgets all, for another scene or another view.
  mutating func reset() { (age, lastTime) = (0, nil) }

  /// Takes the next image, of the grid's size.
  /// - Parameter abrupt: The cells that changed without a motion that explains it, where much moves anyway: a
  ///   television shows another scene, and what it shows is usual at once.
  mutating func learn(_ image: Plane<Float>, abrupt: [Int], seconds: Double) {
    guard let lastTime else {
      (low, high, self.lastTime) = (image, image, seconds)
      return
    }
    let elapsed = Float(min(max(seconds - lastTime, 0), 0.5))
    self.lastTime = seconds
    age += Double(elapsed)
    widen(abrupt, to: image)
    let widening = isLearning ? Float.greatestFiniteMagnitude : Self.widening * elapsed
    let share = elapsed / Self.narrowingTime
    image.withView { image in
      low.withMutableView { low in
        high.withMutableView { high in
          for y in 0..<image.height {
            let (values, lows, highs) = (image.row(y), low.row(y), high.row(y))
            for x in 0..<image.width {
              let (below, above) = (values[x] - lows[x], values[x] - highs[x])
              lows[x] += max(min(below, share * below), -widening)
              highs[x] += min(max(above, share * above), widening)
            }
          }
        }
      }
    }
  }

  private mutating func widen(_ cells: [Int], to image: Plane<Float>) {
    let grid = grid
    image.withView { image in
      low.withMutableView { low in
        high.withMutableView { high in
          for cell in cells {
            grid.forEachPixel(of: cell) { x, y in
              let value = image.row(y)[x]
              low.row(y)[x] = min(low.row(y)[x], value)
              high.row(y)[x] = max(high.row(y)[x], value)
            }
          }
        }
      }
    }
  }

  /// Returns whether enough of some cells of an image shows values that are not usual there.
  func looksNew(_ cells: [Int], in image: Plane<Float>) -> Bool {
    guard lastTime != nil else { return true }
    var count = 0
    image.withView { image in
      low.withView { low in
        high.withView { high in
          for cell in cells {
            var pixels = 0
            grid.forEachPixel(of: cell) { x, y in
              let value = image.row(y)[x]
              guard value < low.row(y)[x] - Self.margin || value > high.row(y)[x] + Self.margin else { return }
              if !isUsual(value, near: x, y, low, high) { pixels += 1 }
            }
            if pixels >= Self.minimumNewPixels { count += 1 }
          }
        }
      }
    }
    return Double(count) >= Self.minimumNewShare * Double(cells.count)
  }

  /// Returns whether a value is usual at one of the pixels around.
  private func isUsual(
    _ value: Float, near x: Int, _ y: Int, _ low: PlaneView<Float>, _ high: PlaneView<Float>
  ) -> Bool {
    let reach = Self.reachInPixels
    for row in max(y - reach, 0)...min(y + reach, low.height - 1) {
      let (lows, highs) = (low.row(row), high.row(row))
      for column in max(x - reach, 0)...min(x + reach, low.width - 1)
      where value >= lows[column] - Self.margin && value <= highs[column] + Self.margin {
        return true
      }
    }
    return false
  }
}

extension CellGrid {
  @inline(__always)
  fileprivate func forEachPixel(of cell: Int, _ body: (_ x: Int, _ y: Int) -> Void) {
    let side = MotionParameters.cellSide
    let (left, top) = (cell % columns * side, cell / columns * side)
    for y in top..<top + side {
      for x in left..<left + side { body(x, y) }
    }
  }
}
