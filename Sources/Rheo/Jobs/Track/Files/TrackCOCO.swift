// Tracks in the manner of COCO (Lin et al., "Microsoft COCO", ECCV 2014, doi:10.1007/978-3-319-10602-1_48).

import FlowAnalysis
import Imaging

extension MotionTracking {
  /// The number of the one category that there is.
  private static let category = 1

  /// Returns JSON with `images`, one for each frame that was read, `annotations` with `bbox`, `track_id` and `score`,
  /// and one category, `object`.
  ///
  /// Image n + 1 is frame n of the video. A `bbox` is x, y, width and height, measured from the left and upper edge of
  /// the image, in pixels. Points have no place in it.
  func cocoText(of report: Report) -> String {
    let images = report.frameNumbers.map { number in
      JSONText.object([
        ("id", .integer(number + 1)), ("width", .integer(report.size.width)), ("height", .integer(report.size.height)),
        ("file_name", .string(inputName)), ("video_id", .integer(1)), ("frame_index", .integer(number)),
      ])
    }
    let annotations = report.boxesByFrame.enumerated().map { index, entry in
      let box = entry.position.box
      return JSONText.object([
        ("id", .integer(index + 1)), ("image_id", .integer(entry.position.frame + 1)),
        ("category_id", .integer(Self.category)), ("track_id", .integer(entry.track)), ("video_id", .integer(1)),
        ("bbox", .array([box.x, box.y, box.width, box.height].map { Self.rounded($0, 1e3) })),
        ("area", Self.rounded(box.area, 1e3)), ("iscrowd", .integer(0)),
        ("score", Self.rounded(entry.position.confidence, 1e3)),
      ])
    }
    return JSONText.object([
      ("info", .object([("description", .string("tracks by rheo \(RheoVersion.number)"))])),
      (
        "videos",
        .array([
          .object([
            ("id", .integer(1)), ("name", .string(inputName)), ("width", .integer(report.size.width)),
            ("height", .integer(report.size.height)),
          ])
        ])
      ), ("images", .array(images)), ("annotations", .array(annotations)),
      ("categories", .array([.object([("id", .integer(Self.category)), ("name", .string("object"))])])),
    ]).pretty(depth: 2) + "\n"
  }
}
