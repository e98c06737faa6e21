// Tracks as the annotation tool CVAT imports them: "CVAT for video", version 1.1.

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// Writes XML with a `track` for each track and in it a `box`, or `points`, for each frame.
  ///
  /// Coordinates are measured from the left and upper edge of the image, so that a box that covers the first pixel
  /// alone goes from 0 to 1. `occluded` is 1 where a track was not found and its position is a guess. Where a track
  /// ends before the video does, a last shape says `outside`.
  func writeCVAT(_ report: Report, to put: (String) throws -> Void) throws {
    let numbers = report.frameNumbers
    let last = numbers.last ?? 0
    let labels = Markup.element(
      "labels", Markup.element("label", Markup.element("name", text: "object") + Markup.element("attributes", "")))
    let size = Markup.element(
      "original_size",
      Markup.element("width", text: "\(report.size.width)") + Markup.element("height", text: "\(report.size.height)"))
    let task = Markup.element(
      "task",
      Markup.element("name", text: inputName) + Markup.element("size", text: "\(numbers.isEmpty ? 0 : last + 1)")
        + Markup.element("mode", text: "interpolation") + Markup.element("overlap", text: "0")
        + Markup.element("start_frame", text: "0") + Markup.element("stop_frame", text: "\(last)") + labels + size)
    try put("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n")
    try put(Markup.element("version", text: "1.1") + "\n" + Markup.element("meta", task) + "\n")
    try report.forEachTrack { track in
      // The shapes of a long track are not gathered.
      let empty = Markup.element("track", ["id": "\(track.id)", "label": "object", "source": "auto"], "\n")
      let closing = "</track>"
      try put(String(empty.dropLast(closing.count)))
      for position in track.positions {
        try put(Self.shape(position, track.kind, frame: position.frame, isOutside: false) + "\n")
      }
      if let end = track.positions.last, end.frame + reading.range.every <= last {
        try put(Self.shape(end, track.kind, frame: end.frame + reading.range.every, isOutside: true) + "\n")
      }
      try put(closing + "\n")
    }
    try put("</annotations>\n")
  }

  private static func shape(
    _ position: TrackPosition, _ kind: MotionTrack.Kind, frame: Int, isOutside: Bool
  ) -> String {
    let box = position.box
    let (number, outside) = ("\(frame)", isOutside ? "1" : "0")
    let occluded = position.confidence > 0 ? "0" : "1"
    switch kind {
    case .box:
      return Markup.element(
        "box",
        [
          "frame": number, "outside": outside, "occluded": occluded, "keyframe": "1", "xtl": digits(box.x),
          "ytl": digits(box.y), "xbr": digits(box.x + box.width), "ybr": digits(box.y + box.height), "z_order": "0",
        ], nil)
    case .point:
      // The middle of the pixel.
      let point = "\(digits(box.x + 0.5)),\(digits(box.y + 0.5))"
      return Markup.element(
        "points",
        [
          "frame": number, "outside": outside, "occluded": occluded, "keyframe": "1", "points": point, "z_order": "0",
        ], nil)
    }
  }
}
