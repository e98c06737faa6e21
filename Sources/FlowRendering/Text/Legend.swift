// The key to the colours in the lower right corner.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Makes the legend's plate: the style's own colours of every direction and length, with the scale.
struct Legend {
  let options: RenderingOptions
  let font: TextFont
  let metrics: PlateMetrics
  /// The largest plate that fits.
  let room: PixelSize
  private let kernels: RenderKernels
  private var last: (text: String, plate: Plate?)?

  /// A plate may take this share of the frame's sides.
  static let largestShare = 0.6

  init(options: RenderingOptions, font: TextFont, metrics: PlateMetrics, size: PixelSize, kernels: RenderKernels) {
    self.options = options
    self.font = font
    self.metrics = metrics
    self.kernels = kernels
    room = PixelSize(
      width: Int(Double(size.width) * Self.largestShare), height: Int(Double(size.height) * Self.largestShare))
  }

  /// The plate for a range; nil when it does not fit. Drawn anew only when its text changes.
  mutating func plate(_ range: MotionRange) -> Plate? {
    let text = text(range)
    if let last, last.text == text { return last.plate }
    let plate = draw(text)
    last = (text, plate)
    return plate
  }

  private func text(_ range: MotionRange) -> String {
    if options.style == .arrows { return "length = px/frame" }
    if options.style == .confidence { return "confidence 0–1" }
    return Self.number(Double(range.maximum)) + " px/frame"
  }

  /// One decimal below 100, none above.
  static func number(_ value: Double) -> String { decimal(value, digits: value < 99.95 ? 1 : 0) }

  private func draw(_ text: String) -> Plate? {
    let isBar = options.style == .magnitude || options.style == .confidence
    let key = isBar ? bar(width: font.width(of: text)) : disc()
    let padding = metrics.padding
    let textWidth = font.width(of: text)
    let size = PixelSize(
      width: max(key.width, textWidth) + 2 * padding, height: key.height + font.lineHeight + 2 * padding)
    guard size.width <= room.width, size.height <= room.height else { return nil }
    var plate = Plate(size: size, cornerRadius: Double(padding))
    plate.draw(key, x: (size.width - key.width) / 2, y: padding)
    plate.write(
      text, font: font, x: (size.width - textWidth) / 2, y: size.height - font.lineHeight - (padding + 1) / 2)
    return plate
  }

  /// A disc whose rim is the range's maximum.
  private func disc() -> Plane<RGBA8> {
    let radius = metrics.discRadius
    let side = 2 * radius + 1
    let flow = FlowField(width: side, height: side) { x, y in
      (Float(x - radius) / Float(radius), Float(y - radius) / Float(radius))
    }
    var image = colors(flow)
    for y in 0..<side {
      for x in 0..<side {
        let distance = Double((x - radius) * (x - radius) + (y - radius) * (y - radius)).squareRoot()
        let coverage = min(max(Double(radius) + 0.25 - distance, 0), 1)
        image[x, y].a = UInt8((255 * coverage).rounded())
      }
    }
    return image
  }

  /// A bar from the range's minimum to its maximum.
  private func bar(width: Int) -> Plane<RGBA8> {
    colors(
      FlowField(width: width, height: metrics.fontSize) { x, _ in (Float(x) / Float(max(width - 1, 1)), 0) })
  }

  /// Colours of vectors up to length 1, which stands for the range's maximum, opaque.
  private func colors(_ flow: FlowField) -> Plane<RGBA8> {
    let range = MotionRange(minimum: 0, maximum: 1)
    var image = Plane<RGBA8>(size: flow.size)
    let width = flow.width
    // Triangles that cover everything.
    let pitch = width + 8
    let full = (0..<TriangleGrid.tableRows).flatMap { [Float](repeating: $0 % 2 == 0 ? 1 : 0, count: pitch) }
    image.withMutableView { image in
      flow.u.withView { u in
        flow.v.withView { v in
          for y in 0..<flow.height {
            let row = PixelRow(
              base: UnsafeMutableRawPointer(image.row(y)).assumingMemoryBound(to: UInt32.self), count: width)
            func drawTriangles(scale: Float, bias: Float) {
              let drawing = GlyphDrawing(pitch: pitch, distance: 0, lengths: LengthScale(scale: scale, bias: bias))
              kernels.flowviewRow(u.row(y), v.row(y), full, drawing, 255, row)
            }
            switch options.style {
            case .wheel, .sideBySide:
              kernels.wheelRow(u.row(y), v.row(y), MiddleburyRing.table, 1, 255, row)
            case .magnitude, .confidence:
              kernels.rampRow(u.row(y), v.row(y), HeatMap.words, range.lengths, 255, row)
            case .flowview:
              drawTriangles(scale: 1, bias: 0)
            case .overlay:
              // Brightness stands for opacity, which grows faster than the length.
              drawTriangles(scale: 1.6, bias: 0.15)
            case .arrows:
              drawTriangles(scale: 0, bias: 1)
            }
          }
        }
      }
    }
    return image
  }
}
