// Tracks in the manner of COCO (Lin et al., "Microsoft COCO", ECCV 2014, doi:10.1007/978-3-319-10602-1_48).

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// The number of the one category that there is.
  private static let category = 1

  /// Writes JSON with `images`, one for each frame that was read, `annotations` with `bbox`, `track_id` and `score`,
  /// and one category, `object`.
  ///
  /// Image n + 1 is frame n of the video. A `bbox` is x, y, width and height, measured from the left and upper edge of
  /// the image, in pixels. Points are left out.
  func writeCOCO(_ report: Report, to put: @escaping (String) throws -> Void) throws {
    let video = JSONText.object([
      ("id", .integer(1)), ("name", .string(inputName)), ("width", .integer(report.size.width)),
      ("height", .integer(report.size.height)),
    ])
    var stream = JSONStream(put)
    try stream.object { object in
      try object.field("info", .object([("description", .string("tracks by rheo \(RheoVersion.number)"))]))
      try object.field("videos", .array([video]))
      try object.list("images") { list in
        for number in report.frameNumbers { try list.element(image(number, report.size).line) }
      }
      var count = 0
      try object.list("annotations") { list in
        try report.store.forEachPosition(of: .box) { track, position in
          count += 1
          try list.element(annotation(count, track, position).line)
        }
      }
      let category = JSONText.object([("id", .integer(Self.category)), ("name", .string("object"))])
      try object.field("categories", .array([category]))
    }
    try put("\n")
  }

  private func image(_ number: Int, _ size: PixelSize) -> JSONText {
    .object([
      ("id", .integer(number + 1)), ("width", .integer(size.width)), ("height", .integer(size.height)),
      ("file_name", .string(inputName)), ("video_id", .integer(1)), ("frame_index", .integer(number)),
    ])
  }

  private func annotation(_ number: Int, _ track: Int, _ position: TrackPosition) -> JSONText {
    let box = position.box
    return .object([
      ("id", .integer(number)), ("image_id", .integer(position.frame + 1)), ("category_id", .integer(Self.category)),
      ("track_id", .integer(track)), ("video_id", .integer(1)),
      ("bbox", .array([box.x, box.y, box.width, box.height].map { Self.rounded($0, 1e3) })),
      ("area", Self.rounded(box.area, 1e3)), ("iscrowd", .integer(0)),
      ("score", Self.rounded(position.confidence, 1e3)),
    ])
  }
}
