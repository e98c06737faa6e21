// Outlines and paths over the image, in the colours of their directions.

import FlowKernels
import Imaging

/// Draws contours and trails on a layer of lines. Used by one thread.
struct LinePainter {
  private let palette: RenderingPalette
  private let opacity: Double
  private let kernels: RenderKernels
  /// Half the width of a line, in pixels.
  private let halfWidth: Double
  private var layer: LineLayer
  private var blender: LayerBlender

  /// The opacity of the dark rim of a line, as a share of the line's.
  private static let rimOpacity = 0.5
  /// The opacity of the end of a trail's tail, and of its head.
  private static let trailOpacities = (tail: 0.05, head: 0.9)

  init(size: PixelSize, options: RenderingOptions, kernels: RenderKernels) {
    palette = options.palette
    opacity = options.opacity
    self.kernels = kernels
    halfWidth = max(0.75, Double(min(size.width, size.height)) / 720)
    layer = LineLayer(size: size)
    blender = LayerBlender(size: size)
  }

  /// Draws on the empty layer, the contours over the trails.
  /// - Parameter flow: The flow that gives a contour's points their colours; where it is unknown they are white.
  mutating func draw(contours: ContourHierarchy?, along flow: FlowField?, trails: [MotionTrail]) {
    layer.clear()
    for trail in trails { draw(trail) }
    for contour in (contours?.topLevelContours ?? []).flatMap(\.preorder) { draw(contour, along: flow) }
  }

  /// Blends the layer onto an image of its size.
  mutating func blend(onto image: MutableImageView) { blender.blend(layer, onto: image) }

  private mutating func draw(_ trail: MotionTrail) {
    let points = trail.points
    guard points.count > 1 else { return }
    let steps = zip(points, points.dropFirst()).map { $1 - $0 }
    let colors = palette.colors(steps.map(\.x), steps.map(\.y), kernels: kernels)
    for (index, color) in colors.enumerated() {
      let share = Double(index + 1) / Double(colors.count)
      let (tail, head) = Self.trailOpacities
      layer.line(
        SIMD2<Double>(points[index]), SIMD2<Double>(points[index + 1]), halfWidth: halfWidth, color: RGBA8(word: color),
        opacity: (tail + (head - tail) * share) * opacity)
    }
  }

  private mutating func draw(_ contour: Contour, along flow: FlowField?) {
    let points = contour.points
    let vectors = points.map { point -> (u: Float, v: Float) in
      guard let flow else { return (.nan, .nan) }
      let (x, y) = (Int(point.x.rounded()), Int(point.y.rounded()))
      return flow[min(max(x, 0), flow.width - 1), min(max(y, 0), flow.height - 1)]
    }
    let colors = palette.colors(vectors.map(\.u), vectors.map(\.v), kernels: kernels)
    for pass in 0..<2 {
      for (index, point) in points.enumerated() {
        let next = points[(index + 1) % points.count]
        let isKnown = !vectors[index].u.isNaN && !vectors[index].v.isNaN
        layer.line(
          point, next, halfWidth: pass == 0 ? 2 * halfWidth + 0.5 : halfWidth + 0.25,
          color: pass == 0 ? .black : isKnown ? RGBA8(word: colors[index]) : .white,
          opacity: (pass == 0 ? Self.rimOpacity : 1) * opacity)
      }
    }
  }
}

extension RGBA8 {
  /// An opaque colour of a word with red in the low byte.
  fileprivate init(word: UInt32) {
    self.init(UInt8(word & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word >> 16 & 0xFF))
  }
}
