// The whole video with what was found in it.

import FlowRendering
import Imaging
import MotionDetection
import VideoIO

/// Draws boxes, zones, the number of the event and what else changes the image over the frames of the input. Used by
/// one thread.
final class EventAnnotator {
  let video: FrameVideo
  private let renderer: EventRenderer
  private let privacy: PrivacyMask?
  private let lightShare: Double

  /// - Parameter reader: The reader of the input, which no other thread uses meanwhile; its sound is copied from then
  ///   on.
  /// - Throws: ``MediaError`` or ``RenderingError``.
  init(_ path: String, task: Detection, reader: VideoReader, privacy: PrivacyMask?) throws {
    let size = try reader.videoFormat().size
    renderer = try EventRenderer(size: size, outlines: Self.outlines(task.zones, size: size), hasCaptions: true)
    video = try FrameVideo(path, outputs: task.outputs, reader: reader, copiesStreams: true)
    self.privacy = privacy
    lightShare = task.events.lightShare
  }

  /// The colour of zones in which motion counts.
  private static let includedColor = RGBA8(255, 206, 48)
  /// The colour of zones in which it does not.
  private static let excludedColor = RGBA8(150, 150, 150)

  private static func outlines(_ zones: ZoneSet, size: PixelSize) -> [ZoneOutline] {
    zones.zones.filter { $0.effectiveMode != .privacy }.map { zone in
      ZoneOutline(
        corners: zone.corners(in: size), color: zone.effectiveMode == .include ? includedColor : excludedColor)
    }
  }

  /// Draws and encodes the next frame.
  /// - Parameter ongoing: The event that is going on after the frame.
  func append(_ frame: VideoFrame, _ statistics: FrameStatistics, ongoing: OngoingEvent?) throws {
    let marks = EventMarks(
      boxes: statistics.boxes.map(\.boundingBox), caption: caption(statistics, ongoing), accent: accent(statistics))
    try video.append(frame) { image in
      try renderer.render(marks, over: image) { privacy?.blank($0) }
    }
  }

  /// Returns the time, the frame, the event that the frame is known to belong to, and the changes of the image.
  private func caption(_ statistics: FrameStatistics, _ ongoing: OngoingEvent?) -> String {
    var parts = [statistics.time.timecode, "#\(statistics.frame)"]
    if let ongoing, ongoing.isCertain, ongoing.end.frame == statistics.frame { parts.append("event \(ongoing.number)") }
    return (parts + states(statistics)).joined(separator: "  ")
  }

  private func states(_ statistics: FrameStatistics) -> [String] {
    var states = statistics.boxes.isEmpty ? [] : ["motion"]
    if statistics.lightShare >= lightShare { states.append(SuppressedPeriod.Reason.lighting.rawValue) }
    if statistics.zones.contains(where: { $0.insects > 0 }) { states.append(SuppressedPeriod.Reason.insect.rawValue) }
    switch statistics.state {
    case .cameraMoving, .cut, .gap: states.append(statistics.state.rawValue)
    case .normal, .first: break
    }
    return states
  }

  private func accent(_ statistics: FrameStatistics) -> RGBA8 {
    if !statistics.boxes.isEmpty { return EventMarks.motionColor }
    if statistics.lightShare >= lightShare { return RGBA8(255, 206, 48) }
    return statistics.state == .normal ? RGBA8(110, 110, 110) : RGBA8(88, 140, 255)
  }
}
