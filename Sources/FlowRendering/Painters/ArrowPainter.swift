// The style `arrows`.

import FlowKernelTypes
import FlowKernels
import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Arrows in the middle of their cells, in proportion to the motion: that of the range's maximum fills its cell, and
/// short ones keep a shaft. None where the flow is unsure, as on sky and even ground.
struct ArrowPainter: FlowPainter {
  let options: RenderingOptions
  let size: PixelSize
  let kernels: RenderKernels
  private let cell: Int
  private let shape: ArrowShape
  private var arrows: [Arrow] = []

  /// Cells that move less than this, in pixels, have no arrow: it would say more than is known.
  static let minimumMotion: Float = 0.5
  /// Vectors of a cell that the medians are taken of, in each direction.
  static let samplesPerSide = 3

  init(options: RenderingOptions, size: PixelSize, kernels: RenderKernels) {
    self.options = options
    self.size = size
    self.kernels = kernels
    cell = options.cellSide(for: size)
    shape = ArrowShape(cell: cell, tipAngle: options.tipAngle, opacity: options.opacity)
  }

  var ground: RGBA8 { .clear }

  mutating func prepare(_ flow: FlowView, range: MotionRange) {
    arrows.removeAll(keepingCapacity: true)
    let shortest = max(range.minimum, Self.minimumMotion)
    var (middles, us, vs): ([(x: Int, y: Int, opacity: Float)], [Float], [Float]) = ([], [], [])
    for y in stride(from: cell / 2, to: size.height, by: cell) {
      for x in stride(from: cell / 2, to: size.width, by: cell) {
        guard let vector = median(flow, x, y) else { continue }
        let length = (vector.u * vector.u + vector.v * vector.v).squareRoot()
        let opacity = shape.opacity * Self.share(ofConfidence: vector.confidence)
        guard length >= shortest, opacity > 0 else { continue }
        middles.append((x, y, opacity))
        us.append(vector.u)
        vs.append(vector.v)
      }
    }
    let colors = options.palette.colors(us, vs, kernels: kernels)
    for (index, middle) in middles.enumerated() {
      arrows.append(
        Arrow(
          shape, x: middle.x, y: middle.y, u: us[index], v: vs[index], range: range, color: colors[index],
          opacity: middle.opacity))
    }
  }

  /// Returns the share of the opacity that is left at a confidence, as the kernel `fadeRow` has it.
  static func share(ofConfidence confidence: Float) -> Float {
    let t = min(max(2 * confidence - 0.5, 0), 1)
    return t * t * (3 - 2 * t)
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

  /// Median of each component, and of the confidence, over a few vectors around the middle (x, y) of a cell; nil when
  /// most are unknown.
  private func median(_ flow: FlowView, _ x: Int, _ y: Int) -> (u: Float, v: Float, confidence: Float)? {
    var (us, vs, confidences): ([Float], [Float], [Float]) = ([], [], [])
    let step = max(1, cell / (Self.samplesPerSide + 1))
    for row in -(Self.samplesPerSide / 2)...Self.samplesPerSide / 2 {
      for column in -(Self.samplesPerSide / 2)...Self.samplesPerSide / 2 {
        let (sx, sy) = (x + column * step, y + row * step)
        guard size.contains(x: sx, y: sy) else { continue }
        let (u, v) = (flow.u.row(sy)[sx], flow.v.row(sy)[sx])
        guard abs(u) + abs(v) < 1e9 else { continue }
        us.append(u)
        vs.append(v)
        confidences.append(flow.confidence.map { $0.row(sy)[sx] } ?? 1)
      }
    }
    guard 2 * us.count > Self.samplesPerSide * Self.samplesPerSide / 2, let u = us.median, let v = vs.median,
      let confidence = confidences.map({ $0.isNaN ? 0 : $0 }).median
    else { return nil }
    return (u, v, confidence)
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
  /// The length of an arrow that fills its cell: neighbours along the motion do not touch.
  let fullLength: Float
  /// The length of the shortest arrow: a head, and a shaft of half its length.
  let minimumLength: Float

  init(cell: Int, tipAngle: Double, opacity: Double) {
    halfWidth = min(max(Float(cell) / 24, 0.7), 8)
    headLength = min(max(Float(cell) / 3, 3), 48)
    sine = Float(sin(tipAngle * .pi / 360))
    cosine = Float(cos(tipAngle * .pi / 360))
    outline = min(max(Float(cell) / 24, 0.7), 3)
    self.opacity = Float(opacity)
    fullLength = max(Float(cell) * 0.76, 4)
    minimumLength = min(headLength * 1.5, fullLength)
  }

  /// The length of the arrow of a motion, in pixels.
  func length(of motion: Float, range: MotionRange) -> Float {
    min(max(fullLength * motion / range.maximum, minimumLength), fullLength)
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

  /// - Parameters:
  ///   - x: The column of the arrow's middle.
  ///   - y: The row of the arrow's middle.
  ///   - u: The motion to the right, in pixels; not 0 with `v`.
  ///   - v: The motion down, in pixels.
  init(
    _ shape: ArrowShape, x: Int, y: Int, u: Float, v: Float, range: MotionRange, color: UInt32, opacity: Float
  ) {
    let length = (u * u + v * v).squareRoot()
    self.shape = shape
    self.color = color
    self.opacity = opacity
    cosine = u / length
    sine = v / length
    tip = shape.length(of: length, range: range)
    neck = tip - shape.headLength
    self.x = Float(x) - cosine * tip / 2
    self.y = Float(y) - sine * tip / 2
    let reach = max(shape.headLength, shape.halfWidth) + shape.outline + 1
    columns = Self.cover(self.x, self.x + cosine * tip, reach)
    rows = Self.cover(self.y, self.y + sine * tip, reach)
  }

  private static func cover(_ a: Float, _ b: Float, _ reach: Float) -> Range<Int> {
    let low = Int((min(a, b) - reach).rounded(.down))
    return low..<Int((max(a, b) + reach).rounded(.up)) + 1
  }

  /// The kernel's numbers for the row that starts at the pixel (x, y).
  func withParameters(x column: Int, y row: Int, _ body: (UnsafePointer<Float>) -> Void) {
    let (dx, dy) = (Float(column) - x, Float(row) - y)
    let along: Float = dx * cosine + dy * sine
    let across: Float = dy * cosine - dx * sine
    let (red, green, blue) = (Float(color & 0xFF), Float(color >> 8 & 0xFF), Float(color >> 16 & 0xFF))
    // Fourteen, and two that nobody reads: an array would be allocated.
    let values = SIMD16<Float>(
      along, across, cosine, -sine, shape.halfWidth, neck, tip, shape.cosine, shape.sine, shape.outline, red, green,
      blue, opacity, 0, 0)
    withUnsafeBytes(of: values) { body($0.baseAddress!.assumingMemoryBound(to: Float.self)) }
  }
}
