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
  private let size: PixelSize
  private let kernels: RenderKernels
  private var last: (text: String, plate: Plate?)?

  /// A plate may take this share of the frame's sides.
  static let maximumShare = 0.6

  init(options: RenderingOptions, font: TextFont, metrics: PlateMetrics, size: PixelSize, kernels: RenderKernels) {
    self.options = options
    self.font = font
    self.metrics = metrics
    self.size = size
    self.kernels = kernels
    room = PixelSize(
      width: Int(Double(size.width) * Self.maximumShare), height: Int(Double(size.height) * Self.maximumShare))
  }

  /// The plate for a range; nil when it does not fit. Drawn anew only when its text changes.
  mutating func plate(_ range: MotionRange) -> Plate? {
    let texts = texts(range)
    if let last, last.text == texts[0] { return last.plate }
    let plate = texts.lazy.compactMap(draw).first
    last = (texts[0], plate)
    return plate
  }

  /// The full text, then shorter ones.
  private func texts(_ range: MotionRange) -> [String] {
    let length = Self.number(Double(range.maximum))
    switch options.style {
    case .confidence: return ["confidence 0–1", "0–1"]
    case .saliency: return ["stands out 0–1", "0–1"]
    case .occlusion: return ["hidden next", "hidden"]
    case .contours: return ["direction"]
    case .magnitude: return ["0–\(length) px/frame", "0–\(length) px"]
    case .arrows, .overlay, .flowview, .wheel, .sideBySide: return ["\(length) px/frame", "\(length) px"]
    }
  }

  /// One decimal below 100, none above.
  static func number(_ value: Double) -> String { decimal(value, digits: value < 99.95 ? 1 : 0) }

  private func draw(_ text: String) -> Plate? {
    let textWidth = font.width(of: text)
    let keys = keys(width: textWidth)
    let padding = metrics.padding
    let width = (keys.map(\.width) + [textWidth]).max() ?? 0
    let size = PixelSize(
      width: width + 2 * padding, height: keys.reduce(font.lineHeight + 2 * padding) { $0 + $1.height })
    guard size.width <= room.width, size.height <= room.height else { return nil }
    var plate = Plate(size: size, cornerRadius: Double(padding))
    var y = padding
    for key in keys {
      plate.draw(key, x: (size.width - key.width) / 2, y: y)
      y += key.height
    }
    plate.write(
      text, font: font, x: (size.width - textWidth) / 2, y: size.height - font.lineHeight - (padding + 1) / 2)
    return plate
  }

  /// The images over the text, from top to bottom.
  private func keys(width: Int) -> [Plane<RGBA8>] {
    switch options.style {
    case .arrows: [disc(), referenceArrow()]
    case .magnitude, .confidence, .saliency: [bar(width: width)]
    case .occlusion:
      [Plane(size: PixelSize(width: width, height: metrics.fontSize), repeating: OcclusionPainter.color)]
    case .overlay, .flowview, .wheel, .sideBySide, .contours: [disc()]
    }
  }

  /// An arrow as long as those of the range's maximum, in no direction's colour.
  private func referenceArrow() -> Plane<RGBA8> {
    let shape = ArrowShape(cell: options.cellSide(for: size), tipAngle: options.tipAngle, opacity: 1)
    let range = MotionRange(minimum: 0, maximum: 1)
    let around = Int((2 * (shape.outline + 1)).rounded(.up))
    let arrowSize = PixelSize(
      width: Int(shape.fullLength.rounded(.up)) + 2 * around, height: Int(shape.headLength.rounded(.up)) + 2 * around)
    let arrow = Arrow(
      shape, x: arrowSize.width / 2, y: arrowSize.height / 2, u: 1, v: 0, range: range, color: 0xF5_F5F5, opacity: 1)
    var image = Plane<RGBA8>(size: arrowSize)
    image.withMutableView { view in
      for y in 0..<view.height {
        arrow.withParameters(x: 0, y: y) {
          kernels.arrowRow(
            $0, UnsafeMutableRawPointer(view.row(y)).assumingMemoryBound(to: UInt32.self), view.width)
        }
      }
    }
    return image
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
    let pitch = width + 8
    let (full, ring) = (TriangleGrid.full(pitch: pitch), options.palette.ring)
    let wheel = MiddleburyRing.table(of: options.palette)
    image.withMutableView { image in
      flow.u.withView { u in
        flow.v.withView { v in
          for y in 0..<flow.height {
            let row = PixelRow(
              base: UnsafeMutableRawPointer(image.row(y)).assumingMemoryBound(to: UInt32.self), count: width)
            func drawTriangles(scale: Float, bias: Float) {
              let drawing = GlyphDrawing(pitch: pitch, distance: 0, lengths: LengthScale(scale: scale, bias: bias))
              kernels.flowviewRow(u.row(y), v.row(y), full, ring, drawing, row)
            }
            switch options.style {
            case .wheel, .sideBySide:
              kernels.wheelRow(u.row(y), v.row(y), wheel, 1, 255, row)
            case .magnitude, .confidence, .saliency, .occlusion:
              kernels.rampRow(u.row(y), v.row(y), HeatMap.words, range.lengths, 255, row)
            case .flowview:
              drawTriangles(scale: 1, bias: 0)
            case .overlay:
              // Brightness stands for opacity, which grows faster than the length.
              drawTriangles(scale: 1.6, bias: 0.15)
            case .arrows, .contours:
              drawTriangles(scale: 0, bias: 1)
            }
          }
        }
      }
    }
    return image
  }
}
