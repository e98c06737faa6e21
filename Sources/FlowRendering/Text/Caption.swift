// The caption in the upper left corner: time, frame number and mean motion, each with its name.

import Imaging

/// The contents of a frame's caption besides its motion.
public struct FrameCaption: Sendable, Hashable {
  /// Presentation time; nil when the frame has none.
  public var time: MediaTime?
  /// Number of the frame, from 0.
  public var frame: Int

  /// A caption for one frame.
  public init(time: MediaTime?, frame: Int) {
    self.time = time
    self.frame = frame
  }
}

/// Makes the caption's plate for each frame.
struct CaptionPlate {
  let font: TextFont
  let metrics: PlateMetrics
  /// The largest plate that fits.
  let room: PixelSize
  /// An empty plate of the last text's width.
  private var blank: Plate?

  init(font: TextFont, metrics: PlateMetrics, size: PixelSize) {
    self.font = font
    self.metrics = metrics
    room = PixelSize(width: size.width - 2 * metrics.margin, height: size.height - 2 * metrics.margin)
  }

  /// The plate, with as much of the text as fits; nil when nothing does.
  mutating func plate(_ caption: FrameCaption, meanMotion: Double?) -> Plate? {
    plate(Self.texts(caption, meanMotion: meanMotion))
  }

  /// The plate without the motion.
  mutating func plate(_ caption: FrameCaption) -> Plate? {
    let number = "#\(caption.frame)"
    return plate([[caption.time?.timecode, number].compactMap(\.self).joined(separator: "  "), number])
  }

  private mutating func plate(_ texts: [String]) -> Plate? {
    let height = font.lineHeight + metrics.padding
    guard height <= room.height,
      let text = texts.first(where: { width(of: $0) <= room.width })
    else { return nil }
    let size = PixelSize(width: width(of: text), height: height)
    if blank?.size != size { blank = Plate(size: size, cornerRadius: Double(metrics.padding)) }
    var plate = blank
    plate?.write(text, font: font, x: metrics.padding, y: metrics.padding / 2)
    return plate
  }

  private func width(of text: String) -> Int { font.width(of: text) + 2 * metrics.padding }

  /// The full text, then shorter ones.
  static func texts(_ caption: FrameCaption, meanMotion: Double?) -> [String] {
    let time = caption.time?.timecode
    let number = "#\(caption.frame)"
    let mean = "mean " + (meanMotion.map { decimal($0, digits: 1) } ?? "–") + " px"
    let parts = [
      [time, "frame \(caption.frame)", mean + "/frame"], [time, number, mean], [time, number], [number, mean], [number],
    ]
    return parts.map { $0.compactMap(\.self).joined(separator: "  ") }
  }
}
