// The images in which most travels.

import FlowRendering
import Imaging
import MotionDetection
import VideoIO

/// The image of an event's peak.
public struct PeakImage: Sendable {
  /// The number of the event.
  public var event: Int
  /// The frame as it was decoded; ``image(marksBoxes:)`` hides what must not be seen.
  let frame: VideoFrame
  /// The boxes of everything that travels in the image.
  public var boxes: [MotionBox]
  let privacy: PrivacyMask?

  /// The size of the image.
  public var size: PixelSize { frame.size }

  /// Returns the image at full size, upright, with privacy zones black.
  /// - Parameter marksBoxes: A Boolean value that tells whether thin boxes are drawn around what travels.
  /// - Throws: `MediaError` when the pixel format cannot be converted.
  public func image(marksBoxes: Bool = true) throws -> Plane<RGBA8> {
    let canvas = try CanvasMaker(format: .rgb(frame.size)).canvas(for: frame)
    let renderer = try EventRenderer(size: frame.size)
    let marks = EventMarks(boxes: marksBoxes ? boxes.map(\.boundingBox) : [])
    try canvas.withMutableImage { image in
      try renderer.render(marks, over: image) { privacy?.blank($0) }
    }
    return try StillImage.rgb(of: canvas)
  }
}

extension MotionBox {
  var boundingBox: BoundingBox {
    BoundingBox(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
  }
}

extension FrameStatistics {
  /// The boxes of everything that travels, each box once, since zones may overlap.
  var boxes: [MotionBox] {
    var boxes: [MotionBox] = []
    for box in zones.flatMap(\.boxes) where !boxes.contains(box) { boxes.append(box) }
    return boxes
  }
}

/// Keeps the image of the peak of the event that is going on: one at a time. Used by one thread.
struct PeakImages {
  private var held: PeakImage?
  private let privacy: PrivacyMask?

  init(privacy: PrivacyMask?) { self.privacy = privacy }

  /// Takes the next frame, which shows the peak when it is the highest so far.
  /// - Parameters:
  ///   - ended: The events that are over with it.
  ///   - ongoing: The event that is going on after it.
  /// - Returns: The images of `ended`.
  mutating func append(
    _ frame: VideoFrame, _ statistics: FrameStatistics, ended: [MotionEvent], ongoing: OngoingEvent?
  ) -> [PeakImage] {
    let images = finish(ended)
    if ongoing == nil { held = nil }
    if let ongoing, ongoing.peak.frame == statistics.frame {
      held = PeakImage(event: ongoing.number, frame: frame, boxes: statistics.boxes, privacy: privacy)
    }
    return images
  }

  /// Returns the images of the events that end with the last frame.
  mutating func finish(_ ended: [MotionEvent]) -> [PeakImage] {
    guard let image = held, ended.contains(where: { $0.number == image.event }) else { return [] }
    held = nil
    return [image]
  }
}
