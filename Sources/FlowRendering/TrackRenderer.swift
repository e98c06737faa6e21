// Tracks onto images: boxes, points, numbers and trails.

import Imaging

/// The mark of a track in one frame.
public struct TrackMark: Sendable, Hashable {
  /// The number of the track, which chooses the colour and is written beside the mark.
  public var id: Int
  /// The box of the track; nil for a point, which is where the trail ends.
  public var box: BoundingBox?
  /// The positions of the track up to now, the last one last, in pixels.
  public var trail: [SIMD2<Double>]
  /// The confidence in the track, 0…1; uncertain marks are paler.
  public var confidence: Double

  /// The mark of a track; full colour unless given.
  public init(id: Int, box: BoundingBox?, trail: [SIMD2<Double>], confidence: Double = 1) {
    self.id = id
    self.box = box
    self.trail = trail
    self.confidence = confidence
  }
}

/// Draws tracks over the images of a stream.
///
/// Owned by one task. The same marks give the same bytes.
public final class TrackRenderer {
  /// The number of positions of a trail that are drawn.
  public static let trailLength = 60

  /// The size of the images.
  public let size: PixelSize
  private let font: TextFont
  private let metrics: PlateMetrics
  /// Half the width of a box's lines, in pixels.
  private let halfWidth: Double
  private var layer: LineLayer
  private var blender: LayerBlender

  /// - Parameter size: The size of the images.
  /// - Throws: ``RenderingError`` with code `emptyImage` or `fontUnavailable`.
  public init(size: PixelSize) throws {
    try size.requirePixels()
    self.size = size
    metrics = PlateMetrics(size: size)
    font = try TextFont(pixelSize: metrics.fontSize)
    halfWidth = max(0.75, Double(min(size.width, size.height)) / 480)
    layer = LineLayer(size: size)
    blender = LayerBlender(size: size)
  }

  /// Draws all marks, later ones over earlier ones.
  /// - Parameters:
  ///   - marks: The marks to draw, the lowest first.
  ///   - image: At least of ``size``; what is larger (padding) stays as it is.
  /// - Throws: ``RenderingError`` with code `sizeMismatch`, `strideTooSmall` or `unsupportedFormat`; then nothing is
  ///   drawn.
  package func render(_ marks: [TrackMark], over image: MutableImageView) throws(RenderingError) {
    let image = try image.canvas(size)
    layer.clear()
    for mark in marks { drawTrail(mark) }
    for mark in marks { drawMark(mark) }
    for mark in marks { drawLabel(mark) }
    blender.blend(layer, onto: image)
  }

  // MARK: Drawing

  private func opacity(_ mark: TrackMark) -> Double { 0.45 + 0.55 * min(max(mark.confidence, 0), 1) }

  /// A line that fades towards the past.
  private func drawTrail(_ mark: TrackMark) {
    let points = Array(mark.trail.suffix(Self.trailLength))
    guard points.count > 1 else { return }
    let color = TrackColors.color(mark.id)
    for index in 1..<points.count {
      let share = Double(index) / Double(points.count - 1)
      layer.line(
        points[index - 1], points[index], halfWidth: halfWidth * 0.9, color: color,
        opacity: (0.1 + 0.8 * share) * opacity(mark))
    }
  }

  private func drawMark(_ mark: TrackMark) {
    let color = TrackColors.color(mark.id)
    if let box = mark.box {
      layer.outline(box, halfWidth: halfWidth + 1, color: .black, opacity: 0.45 * opacity(mark))
      layer.outline(box, halfWidth: halfWidth, color: color, opacity: opacity(mark))
    } else if let point = mark.trail.last {
      layer.line(point, point, halfWidth: 2.5 * halfWidth + 1, color: .black, opacity: 0.6 * opacity(mark))
      layer.line(point, point, halfWidth: 2.5 * halfWidth, color: color, opacity: opacity(mark))
    }
  }

  /// The number on a ground of the track's colour: over the upper left corner of the box, inside it where there is no
  /// room above; right of a point.
  private func drawLabel(_ mark: TrackMark) {
    let text = String(mark.id)
    let padding = max(2, metrics.padding / 3)
    let (width, height) = (font.width(of: text) + 2 * padding, font.lineHeight + padding / 2)
    var x: Int
    var y: Int
    if let box = mark.box {
      guard box.x.isFinite, box.y.isFinite, abs(box.x) < 1e6, abs(box.y) < 1e6 else { return }
      x = Int((box.x - 0.5 - halfWidth).rounded())
      y = Int((box.y - 0.5 - halfWidth).rounded()) - height
      if y < 0 { y += height + Int(2 * halfWidth) }
    } else {
      guard let point = mark.trail.last, abs(point.x) < 1e6, abs(point.y) < 1e6 else { return }
      x = Int((point.x + 4 * halfWidth).rounded()) + 2
      y = Int(point.y.rounded()) - height / 2
    }
    x = max(0, min(x, size.width - width))
    y = max(0, min(y, size.height - height))
    let color = TrackColors.color(mark.id)
    layer.fill(x: x, y: y, width: width, height: height, color: color, opacity: 0.85 * opacity(mark))
    layer.write(text, font: font, x: x + padding, y: y + padding / 4, color: TrackColors.ink(on: color))
  }
}

/// Colours that tell tracks apart.
enum TrackColors {
  /// Twelve hues of similar lightness, neighbours in the list far apart on the hue circle; chosen by eye on
  /// `vtest.avi`.
  private static let colors: [RGBA8] = [
    RGBA8(255, 92, 72), RGBA8(64, 200, 255), RGBA8(255, 206, 48), RGBA8(96, 224, 120), RGBA8(236, 120, 255),
    RGBA8(255, 150, 40), RGBA8(88, 140, 255), RGBA8(190, 232, 64), RGBA8(255, 110, 170), RGBA8(56, 222, 200),
    RGBA8(176, 130, 255), RGBA8(240, 180, 140),
  ]

  static func color(_ id: Int) -> RGBA8 { colors[(id % colors.count + colors.count - 1) % colors.count] }

  /// Text that reads on a colour: black, or white on the darker ones (luma after ITU-R BT.601).
  static func ink(on color: RGBA8) -> RGBA8 {
    299 * Int(color.r) + 587 * Int(color.g) + 114 * Int(color.b) > 120_000 ? .black : .white
  }
}
