import Foundation
import Imaging
import TestSupport

/// A texture with energy at all frequencies: soft spots of many sizes, as a function of real coordinates.
struct Blobs: Sendable {
  private struct Spot {
    var x: Double
    var y: Double
    var amplitude: Double
    var deviation: Double
  }

  /// Spots by squares of 16 × 16 pixels, from (−96, −96) on.
  private var cells: [[Spot]]
  private static let side = 16.0
  private static let columns = 36
  private static let origin = -96.0

  init(seed: UInt64) {
    var random = FixedRandom(seed: seed)
    cells = []
    for row in 0..<Self.columns {
      for column in 0..<Self.columns {
        cells.append(
          (0..<5).map { _ in
            Spot(
              x: Self.origin + (Double(column) + Double.random(in: 0..<1, using: &random)) * Self.side,
              y: Self.origin + (Double(row) + Double.random(in: 0..<1, using: &random)) * Self.side,
              amplitude: Double.random(in: -60...60, using: &random),
              deviation: Double.random(in: 1.2...3.5, using: &random))
          })
      }
    }
  }

  func value(_ x: Double, _ y: Double) -> Double {
    let column = Int(((x - Self.origin) / Self.side).rounded(.down))
    let row = Int(((y - Self.origin) / Self.side).rounded(.down))
    var sum = 128.0
    for j in row - 1...row + 1 where j >= 0 && j < Self.columns {
      for i in column - 1...column + 1 where i >= 0 && i < Self.columns {
        for spot in cells[j * Self.columns + i] {
          let (dx, dy) = (x - spot.x, y - spot.y)
          let exponent = (dx * dx + dy * dy) / (2 * spot.deviation * spot.deviation)
          if exponent < 16 { sum += spot.amplitude * exp(-exponent) }
        }
      }
    }
    return sum
  }

  /// The image whose pixel (x, y) shows the texture at `position(x, y)`.
  func image(
    width: Int, height: Int, at position: (Double, Double) -> (Double, Double) = { ($0, $1) }
  ) -> Plane<Float> {
    Plane(width: width, height: height) { x, y in
      let (sourceX, sourceY) = position(Double(x), Double(y))
      return Float(min(max(value(sourceX, sourceY), 0), 255))
    }
  }
}
