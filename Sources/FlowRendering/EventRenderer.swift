// Motion events onto images: what travels, the zones, and a caption.

import Imaging

/// The marks of motion in one frame.
public struct EventMarks: Sendable, Hashable {
  /// The boxes of components that travel.
  public var boxes: [BoundingBox]
  /// A line of text for the upper left corner; nil for none.
  public var caption: String?
  /// The colour of the caption's bar, which tells states apart at a glance.
  public var accent: RGBA8

  /// Creates the marks of a frame; the accent is red, the colour of boxes, unless given.
  public init(boxes: [BoundingBox], caption: String? = nil, accent: RGBA8 = EventMarks.motionColor) {
    self.boxes = boxes
    self.caption = caption
    self.accent = accent
  }

  /// The colour of components that travel.
  public static let motionColor = RGBA8(255, 72, 56)
}

/// A polygon of the image that is outlined in every frame.
public struct ZoneOutline: Sendable, Hashable {
  /// The corners in pixels; 0 is the left or upper edge of the image.
  public var corners: [SIMD2<Double>]
  /// The colour of the line.
  public var color: RGBA8

  /// A polygon, closed by the line from the last corner to the first.
  public init(corners: [SIMD2<Double>], color: RGBA8) {
    self.corners = corners
    self.color = color
  }
}

/// Draws motion events over the images of a stream, with thin lines: an image is to be looked at.
///
/// Owned by one task. The same marks give the same bytes.
public final class EventRenderer {
  /// The size of the images.
  public let size: PixelSize
  private let font: TextFont?
  private let metrics: PlateMetrics
  /// Half the width of a line, in pixels.
  private let halfWidth: Double
  private var layer: LineLayer
  /// The layer of the zones, drawn once: long slanted lines take their time.
  private var zoneLayer: LineLayer
  private var blender: LayerBlender

  /// - Parameters:
  ///   - size: The size of the images.
  ///   - outlines: The zones, drawn under everything else.
  ///   - hasCaptions: A Boolean value that tells whether captions are written; they need a font.
  ///   - lineScale: The factor by which lines are wider than usual, for images that are shown small.
  /// - Throws: ``RenderingError`` with code `emptyImage` or `fontUnavailable`.
  public init(size: PixelSize, outlines: [ZoneOutline] = [], hasCaptions: Bool = false, lineScale: Double = 1) throws {
    try size.requirePixels()
    self.size = size
    metrics = PlateMetrics(size: size)
    font = hasCaptions ? try TextFont(pixelSize: metrics.fontSize) : nil
    halfWidth = lineScale * max(0.5, Double(min(size.width, size.height)) / 720)
    layer = LineLayer(size: size)
    zoneLayer = LineLayer(size: size)
    blender = LayerBlender(size: size)
    for outline in outlines { draw(outline) }
  }

  /// Draws the zones, the boxes and the caption.
  /// - Parameters:
  ///   - image: At least of ``size``; what is larger (padding) stays as it is.
  ///   - hide: Blanks what must not be seen, zones and boxes there too, but not the caption.
  /// - Throws: ``RenderingError`` with code `sizeMismatch`, `strideTooSmall` or `unsupportedFormat`; then nothing is
  ///   drawn.
  package func render(
    _ marks: EventMarks, over image: MutableImageView, hiding hide: (MutableImageView) -> Void = { _ in }
  ) throws(RenderingError) {
    let image = try image.canvas(size)
    blender.blend(zoneLayer, onto: image)
    layer.clear()
    for box in marks.boxes {
      layer.outline(box, halfWidth: halfWidth + 1, color: .black, opacity: 0.35)
      layer.outline(box, halfWidth: halfWidth, color: EventMarks.motionColor, opacity: 1)
    }
    blender.blend(layer, onto: image)
    hide(image)
    guard let caption = marks.caption else { return }
    layer.clear()
    write(caption, marks.accent)
    blender.blend(layer, onto: image)
  }

  private func draw(_ outline: ZoneOutline) {
    // Pixel centres are half a pixel off the edges.
    let corners = outline.corners.map { $0 - SIMD2(0.5, 0.5) }
    guard var last = corners.last else { return }
    for corner in corners {
      zoneLayer.line(last, corner, halfWidth: halfWidth, color: outline.color, opacity: 0.8)
      last = corner
    }
  }

  /// Draws as much of the text as fits, on a dark ground with a bar of the accent's colour.
  private func write(_ caption: String, _ accent: RGBA8) {
    guard let font else { return }
    let (margin, padding) = (metrics.margin, metrics.padding)
    let room = size.width - 2 * margin - 3 * padding
    var text = Substring(caption)
    while !text.isEmpty, font.width(of: String(text)) > room { text.removeLast() }
    let height = font.lineHeight + padding
    guard !text.isEmpty, height + 2 * margin <= size.height else { return }
    let width = font.width(of: String(text)) + 3 * padding
    layer.fill(x: margin, y: margin, width: width, height: height, color: RGBA8(12, 12, 14), opacity: Plate.opacity)
    layer.fill(x: margin, y: margin, width: padding, height: height, color: accent, opacity: 1)
    layer.write(
      String(text), font: font, x: margin + 2 * padding, y: margin + padding / 2, color: RGBA8(245, 245, 245))
  }
}
