// The triangles that point along the motion, one in each square cell.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Flow as painters read it.
struct FlowView: Sendable {
  let u: PlaneView<Float>
  let v: PlaneView<Float>
  /// The trust in the vectors, 0…1; nil: full trust.
  var confidence: PlaneView<Float>?

  var size: PixelSize { u.size }
}

/// Fills the tables of edge functions that the hue kernels multiply into triangles.
///
/// A pixel p belongs to the cell with the centre c = ⌊p/s + ½⌋ · s, clamped into the image. With d = c − p, the
/// angle φ of the flow at c and the tip angle τ, the triangle is inscribed in the circle of diameter s around c, its
/// tip pointing along the motion. Its edges are (σ = (π − τ)/2, o = ½ sin τ/2, a(α) = d.x cos α + d.y sin α)
///
///     1 − clamp(a(φ) − s/2 · cos τ),  clamp(a(φ − σ) + s · o),  clamp(a(φ + σ) + s · o)
///
/// each linear in p before it is clamped; 1 − clamp(x) is clamp(1 − x).
struct TriangleGrid: Sendable {
  /// Side of a cell, in pixels.
  let cell: Int
  /// Cells whose centre moves less than this, in pixels, have no triangle.
  let minimumLength: Double
  private let base: Double
  private let side: Double
  private let cosSide: Double
  private let sinSide: Double

  /// Rows of the table of one row of cells.
  static let tableRows = 6

  /// - Parameters:
  ///   - tipAngle: Degrees.
  ///   - diameter: The diameter of the circle around a triangle, in pixels; nil: the cell's side.
  init(cell: Int, tipAngle: Double, diameter: Double? = nil, minimumLength: Double = 0) {
    let tip = tipAngle * .pi / 180
    let diameter = diameter ?? Double(cell)
    self.cell = cell
    self.minimumLength = minimumLength
    base = diameter / 2 * cos(tip)
    side = diameter * 0.5 * sin(tip / 2)
    cosSide = cos((.pi - tip) / 2)
    sinSide = sin((.pi - tip) / 2)
  }

  /// A table of triangles that cover everything.
  static func full(pitch: Int) -> [Float] {
    (0..<tableRows).flatMap { [Float](repeating: $0 % 2 == 0 ? 1 : 0, count: pitch) }
  }

  /// Index of the cell that the row or column `position` belongs to.
  func index(of position: Int) -> Int { (2 * position + cell) / (2 * cell) }

  /// Centre of cell `index`, clamped to 0 ..< `limit`.
  func center(_ index: Int, limit: Int) -> Int { min(index * cell, limit - 1) }

  /// Fills the table for the row of cells `index`: six rows of `pitch` numbers, one for each column.
  func fill(_ table: UnsafeMutablePointer<Float>, pitch: Int, flow: FlowView, row index: Int) {
    let y = center(index, limit: flow.size.height)
    let (rowU, rowV) = (flow.u.row(y), flow.v.row(y))
    var x = 0
    while x < flow.size.width {
      let column = self.index(of: x)
      let end = min(flow.size.width, (2 * (column + 1) * cell - cell + 1) / 2)
      let center = center(column, limit: flow.size.width)
      fill(table, pitch: pitch, columns: x..<end, center: center, u: Double(rowU[center]), v: Double(rowV[center]))
      x = end
    }
  }

  private func fill(
    _ table: UnsafeMutablePointer<Float>, pitch: Int, columns: Range<Int>, center: Int, u: Double, v: Double
  ) {
    let length = (u * u + v * v).squareRoot()
    guard length < 1e9, length >= minimumLength else {
      for row in 0..<Self.tableRows {
        for x in columns { table[row * pitch + x] = row % 2 == 0 ? -1e3 : 0 }
      }
      return
    }
    // Without motion φ is what atan2 makes of zeros: 0, or π when u is −0.
    let (cosine, sine) = length > 0 ? (u / length, v / length) : (u.sign == .minus ? -1 : 1, 0)
    func setEdge(_ index: Int, cosine: Double, sine: Double, constant: Double) {
      let values = table + 2 * index * pitch
      let slopes = values + pitch
      let slope = Float(sine)
      for x in columns {
        values[x] = Float(constant + Double(center - x) * cosine)
        slopes[x] = slope
      }
    }
    setEdge(0, cosine: -cosine, sine: -sine, constant: 1 + base)
    setEdge(
      1, cosine: cosine * cosSide + sine * sinSide, sine: sine * cosSide - cosine * sinSide, constant: side)
    setEdge(
      2, cosine: cosine * cosSide - sine * sinSide, sine: sine * cosSide + cosine * sinSide, constant: side)
  }
}
