/// A flow field in small: for every square cell the mean vector, the spread and how much is known.
///
/// A summary serves to store the motion of many videos: at a cell of 16 pixels it has 1/128 of the field's size.
public struct FlowSummary: Sendable, Codable {
  /// Pixels along the side of a cell; those at the right and lower border may be cut off.
  public let cellSize: Int
  /// The size of the field.
  public let size: PixelSize
  /// The mean of the known vectors of each cell, in pixels of the full size; NaN where none is known.
  public let mean: FlowField
  /// The root mean square distance of the known vectors from their mean, in pixels; NaN where none is known.
  public let deviation: Plane<Float>
  /// The share of the vectors of each cell that are known, 0…1.
  public let knownShare: Plane<Float>

  /// - Parameters:
  ///   - flow: The field; unknown vectors count in no mean.
  ///   - cellSize: Pixels along the side of a cell, 1 or more.
  public init(of flow: FlowField, cellSize: Int) {
    precondition(cellSize >= 1, "cells of \(cellSize) pixels")
    self.cellSize = cellSize
    size = flow.size
    let cells = size.inCells(cellSize)
    var mean = FlowField(size: cells)
    var deviation = Plane<Float>(size: cells)
    var knownShare = Plane<Float>(size: cells)
    for row in 0..<cells.height {
      for column in 0..<cells.width {
        let cell = Self.cell(
          of: flow, columns: column * cellSize..<min((column + 1) * cellSize, flow.width),
          rows: row * cellSize..<min((row + 1) * cellSize, flow.height))
        mean[column, row] = cell.mean
        deviation[column, row] = cell.deviation
        knownShare[column, row] = cell.share
      }
    }
    (self.mean, self.deviation, self.knownShare) = (mean, deviation, knownShare)
  }

  private static func cell(
    of flow: FlowField, columns: Range<Int>, rows: Range<Int>
  ) -> (mean: (u: Float, v: Float), deviation: Float, share: Float) {
    var (u, v, squares, count) = (0.0, 0.0, 0.0, 0)
    flow.u.withView { uView in
      flow.v.withView { vView in
        for y in rows {
          let (uRow, vRow) = (uView.row(y), vView.row(y))
          for x in columns where !uRow[x].isNaN && !vRow[x].isNaN {
            let (a, b) = (Double(uRow[x]), Double(vRow[x]))
            u += a
            v += b
            squares += a * a + b * b
            count += 1
          }
        }
      }
    }
    guard count > 0 else { return ((.nan, .nan), .nan, 0) }
    let n = Double(count)
    (u, v) = (u / n, v / n)
    return (
      (Float(u), Float(v)), Float(max(squares / n - u * u - v * v, 0).squareRoot()),
      Float(n / Double(columns.count * rows.count))
    )
  }
}

extension PixelSize {
  /// Returns the numbers of square cells with sides of `side` pixels that cover an image; the last ones may be cut off.
  package func inCells(_ side: Int) -> PixelSize {
    PixelSize(width: (width + side - 1) / side, height: (height + side - 1) / side)
  }
}

extension Plane<Float> {
  /// Returns the mean of each square cell with sides of `side` pixels.
  package func mean(inCellsOf side: Int) -> Plane<Float> {
    let cells = size.inCells(side)
    var means = Plane<Float>(size: cells)
    withView { view in
      for row in 0..<cells.height {
        for column in 0..<cells.width {
          let (columns, rows) = (
            column * side..<min((column + 1) * side, view.width), row * side..<min((row + 1) * side, view.height)
          )
          var sum = 0.0
          for y in rows {
            let values = view.row(y)
            for x in columns { sum += Double(values[x]) }
          }
          means[column, row] = Float(sum / Double(columns.count * rows.count))
        }
      }
    }
    return means
  }
}
