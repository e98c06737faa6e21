// Speed against the speed of what is near: where an object ends, the flow falls off over some pixels, and half of its
// speed is passed where its outline is, whatever the speed.

import Imaging

/// The excess of each pixel's speed over half the speed of the fastest cell near it. The constants were chosen by hand.
struct RelativeSpeed {
  /// The number of cells on either side that are near: farther than the flow of a component spreads into the ground.
  private static let reachInCells = 3
  /// The share of a component's speed that its outline lies at.
  private static let share: Float = 0.5

  private let speed: Plane<Float>
  private let cellSize: Int
  private let floor: Float

  /// - Parameters:
  ///   - speed: In pixels per pair of frames; NaN where unknown.
  ///   - cellSize: Pixels along the side of a cell.
  ///   - floor: What is slower than this is not above its threshold.
  init(_ speed: Plane<Float>, cellSize: Int, floor: Float) {
    self.speed = speed
    self.cellSize = cellSize
    self.floor = floor
  }

  /// The speed less its threshold: positive inside of what moves; NaN where the speed is unknown.
  func excess(parallelism: Parallelism) -> Plane<Float> {
    let thresholds = thresholds(parallelism: parallelism)
    return speed.withView { speed in
      thresholds.withView { thresholds in
        Plane(
          size: speed.size,
          filledBy: { output in
            parallelism.forEachStripe(rows: speed.height) { stripe in
              for y in stripe {
                let (a, b, c) = (speed.row(y), thresholds.row(y), output.row(y))
                for x in 0..<speed.width { c[x] = a[x] - b[x] }
              }
            }
          })
      }
    }
  }

  /// Returns the threshold of every pixel, interpolated between the middles of the cells.
  private func thresholds(parallelism: Parallelism) -> Plane<Float> {
    let cells = highest(means())
    let thresholds = Plane<Float>(width: cells.width, height: cells.height) { max(floor, Self.share * cells[$0, $1]) }
    let scale = Double(cellSize)
    let map = Homography([scale, 0, (scale - 1) / 2, 0, scale, (scale - 1) / 2, 0, 0, 1])
    return thresholds.warped(
      by: map, size: speed.size, interpolation: .bilinear, border: .replicate, fill: floor, parallelism: parallelism)
  }

  /// The mean speed in each cell, unknown pixels left out; 0 where all are unknown.
  private func means() -> Plane<Float> {
    let (columns, rows) = ((speed.width + cellSize - 1) / cellSize, (speed.height + cellSize - 1) / cellSize)
    return speed.withView { speed in
      Plane(width: columns, height: rows) { column, row in
        var (sum, count): (Float, Float) = (0, 0)
        for y in row * cellSize..<min((row + 1) * cellSize, speed.height) {
          let values = speed.row(y)
          for x in column * cellSize..<min((column + 1) * cellSize, speed.width) where !values[x].isNaN {
            sum += values[x]
            count += 1
          }
        }
        return count > 0 ? sum / count : 0
      }
    }
  }

  /// The highest of the cells that are near each cell, first along rows, then along columns.
  private func highest(_ cells: Plane<Float>) -> Plane<Float> {
    let reachInCells = Self.reachInCells
    let across = Plane<Float>(width: cells.width, height: cells.height) { x, y in
      (max(x - reachInCells, 0)...min(x + reachInCells, cells.width - 1)).reduce(0) { max($0, cells[$1, y]) }
    }
    return Plane(width: cells.width, height: cells.height) { x, y in
      (max(y - reachInCells, 0)...min(y + reachInCells, cells.height - 1)).reduce(0) { max($0, across[x, $1]) }
    }
  }
}
