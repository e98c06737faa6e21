// The style `arrows`.

import FlowKernelTypes
import FlowKernels
import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Arrows from the centre of each cell to where it moves, as long as the motion and as faint as it is unsure.
struct ArrowPainter: FlowPainter {
  let options: RenderingOptions
  let size: PixelSize
  let kernels: RenderKernels
  private var arrows: [Arrow] = []

  /// Cells that move less than this, in pixels, have no arrow: it would be a dot without direction.
  static let shortestArrow: Float = 0.5
  /// Longer arrows are cut, to bound the work.
  static let longestArrow: Float = 2048
  /// Vectors of a cell that the median is taken of, in each direction.
  static let samplesPerSide = 3

  init(options: RenderingOptions, size: PixelSize, kernels: RenderKernels) {
    self.options = options
    self.size = size
    self.kernels = kernels
  }

  var ground: RGBA8 { .clear }

  mutating func prepare(_ flow: FlowView, range: MotionRange) {
    arrows.removeAll(keepingCapacity: true)
    let shape = ArrowShape(cell: options.cell, tipAngle: options.tipAngle, opacity: options.opacity)
    let shortest = max(range.minimum, Self.shortestArrow)
    var (tails, us, vs): ([(x: Int, y: Int, opacity: Float)], [Float], [Float]) = ([], [], [])
    for y in stride(from: options.cell / 2, to: size.height, by: options.cell) {
      for x in stride(from: options.cell / 2, to: size.width, by: options.cell) {
        guard let vector = median(flow, x, y) else { continue }
        let length = (vector.u * vector.u + vector.v * vector.v).squareRoot()
        guard length >= shortest else { continue }
        // The vectors around the centre are much the same: so is their confidence.
        let confidence = flow.confidence.map { $0.row(y)[x] } ?? 1
        tails.append((x, y, shape.opacity * (confidence > 0 ? min(confidence, 1) : 0)))
        us.append(vector.u)
        vs.append(vector.v)
      }
    }
    let colors = hues(us, vs)
    for (index, tail) in tails.enumerated() {
      arrows.append(
        Arrow(
          shape, x: tail.x, y: tail.y, u: us[index], v: vs[index], color: colors[index], opacity: tail.opacity))
    }
  }

  func paint(_ flow: FlowView, range: MotionRange, rows: Range<Int>, into layer: LayerView, scratch: StripeScratch) {
    let width = flow.size.width
    for y in rows { layer.row(y).update(repeating: 0, count: width) }
    for arrow in arrows where arrow.rows.overlaps(rows) {
      let columns = arrow.columns.clamped(to: 0..<width)
      guard !columns.isEmpty else { continue }
      for y in arrow.rows.clamped(to: rows) {
        arrow.withParameters(x: columns.lowerBound, y: y) { parameters in
          kernels.arrowRow(parameters, layer.row(y) + columns.lowerBound, columns.count)
        }
      }
    }
  }

  /// Median of each component over a few vectors around the centre (x, y) of a cell; nil when most are unknown.
  private func median(_ flow: FlowView, _ x: Int, _ y: Int) -> (u: Float, v: Float)? {
    var (us, vs): ([Float], [Float]) = ([], [])
    let step = max(1, options.cell / (Self.samplesPerSide + 1))
    for row in -(Self.samplesPerSide / 2)...Self.samplesPerSide / 2 {
      for column in -(Self.samplesPerSide / 2)...Self.samplesPerSide / 2 {
        let (sx, sy) = (x + column * step, y + row * step)
        guard size.contains(x: sx, y: sy) else { continue }
        let (u, v) = (flow.u.row(sy)[sx], flow.v.row(sy)[sx])
        guard abs(u) + abs(v) < 1e9 else { continue }
        us.append(u)
        vs.append(v)
      }
    }
    guard 2 * us.count > Self.samplesPerSide * Self.samplesPerSide / 2, let u = us.median, let v = vs.median else {
      return nil
    }
    return (u, v)
  }

  /// Colours of the hue circle, from the kernel of `flowview` with brightness and triangles at full.
  private func hues(_ u: [Float], _ v: [Float]) -> [UInt32] {
    let count = u.count
    let padded = count + 8
    var colors = [UInt32](repeating: 0, count: count)
    let full = (0..<TriangleGrid.tableRows).flatMap { [Float](repeating: $0 % 2 == 0 ? 1 : 0, count: padded) }
    let padding = [Float](repeating: 0, count: 8)
    let drawing = GlyphDrawing(pitch: padded, distance: 0, lengths: LengthScale(scale: 0, bias: 1))
    colors.withUnsafeMutableBufferPointer { colors in
      guard let first = colors.baseAddress else { return }
      kernels.flowviewRow(u + padding, v + padding, full, drawing, 255, PixelRow(base: first, count: count))
    }
    return colors
  }
}

/// Measures that all arrows of an image share, in pixels.
struct ArrowShape {
  let halfWidth: Float
  let headLength: Float
  /// Half the angle at the tip: its sine and cosine.
  let sine: Float
  let cosine: Float
  let outline: Float
  let opacity: Float

  init(cell: Int, tipAngle: Double, opacity: Double) {
    halfWidth = min(max(Float(cell) / 20, 0.6), 4)
    headLength = min(max(Float(cell) * 0.42, 4), 24)
    sine = Float(sin(tipAngle * .pi / 360))
    cosine = Float(cos(tipAngle * .pi / 360))
    outline = min(max(Float(cell) / 20, 0.7), 2)
    self.opacity = Float(opacity)
  }
}

/// One arrow and the rectangle that it lies in.
struct Arrow {
  let rows: Range<Int>
  let columns: Range<Int>
  private let x: Float
  private let y: Float
  private let cosine: Float
  private let sine: Float
  private let neck: Float
  private let tip: Float
  private let shape: ArrowShape
  private let color: UInt32
  private let opacity: Float

  init(_ shape: ArrowShape, x: Int, y: Int, u: Float, v: Float, color: UInt32, opacity: Float) {
    let length = (u * u + v * v).squareRoot()
    self.shape = shape
    self.x = Float(x)
    self.y = Float(y)
    self.color = color
    self.opacity = opacity
    cosine = u / length
    sine = v / length
    // An arrow shorter than its head is all head, with a part of its size, and never so small that it vanishes.
    tip = min(max(length, 2), ArrowPainter.longestArrow)
    neck = tip - min(shape.headLength, max(tip * 0.62, 2))
    let reach = max(shape.headLength, shape.halfWidth) + shape.outline + 1
    let (endX, endY) = (self.x + cosine * tip, self.y + sine * tip)
    columns = Self.cover(self.x, endX, reach)
    rows = Self.cover(self.y, endY, reach)
  }

  private static func cover(_ a: Float, _ b: Float, _ reach: Float) -> Range<Int> {
    let low = Int((min(a, b) - reach).rounded(.down))
    return low..<Int((max(a, b) + reach).rounded(.up)) + 1
  }

  /// The kernel's numbers for the row that starts at the pixel (x, y).
  func withParameters(x column: Int, y row: Int, _ body: (UnsafePointer<Float>) -> Void) {
    let (dx, dy) = (Float(column) - x, Float(row) - y)
    let values: [14 of Float] = [
      dx * cosine + dy * sine, dy * cosine - dx * sine, cosine, -sine, shape.halfWidth, neck, tip, shape.cosine,
      shape.sine, shape.outline, Float(color & 0xFF), Float(color >> 8 & 0xFF), Float(color >> 16 & 0xFF),
      opacity,
    ]
    values.span.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}
