// Tracks as texts of several formats.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

/// A format in which tracks are written.
public enum TrackFormat: String, CaseIterable, Sendable, Hashable, Codable {
  /// The report with everything that is known: boxes and points in pixels, pixel centres at whole numbers, so that the
  /// box x, y, width, height covers the pixels x … x + width − 1. With a ground plane, `ground` is in metres and
  /// `speed` in metres per second. `ticks` are exact times in units of the input's `timeBase`; `seconds` are for
  /// display.
  case json
  /// A table with a line for each position.
  case csv
  /// The text of MOT Challenge: boxes with identities, a line for each.
  case mot
  /// JSON in the manner of COCO: images, annotations with `track_id`, categories.
  case coco
  /// XML of CVAT for video, version 1.1.
  case cvat

  /// The ending of the files, without a dot.
  public var fileExtension: String {
    switch self {
    case .json, .coco: "json"
    case .csv: "csv"
    case .mot: "txt"
    case .cvat: "xml"
    }
  }

  /// A Boolean value that tells whether the format holds boxes alone, so that tracks of points are left out.
  public var holdsBoxesAlone: Bool { self == .mot || self == .coco }
}

extension MotionTracking {
  /// Writes the tracks as text of the given format, piece by piece: that of a long video takes more memory than its
  /// tracks. Equal tracks give equal text.
  /// - Parameter put: Takes the pieces in order.
  /// - Throws: What `put` throws.
  public func write(
    _ report: Report, format: TrackFormat = .json, to put: @escaping (String) throws -> Void
  ) throws {
    switch format {
    case .json: try writeJSON(report, to: put)
    case .csv: try writeTable(report, to: put)
    case .mot: try writeMOT(report, to: put)
    case .coco: try writeCOCO(report, to: put)
    case .cvat: try writeCVAT(report, to: put)
    }
  }

  /// Returns the tracks as text of the given format, see ``write(_:format:to:)``.
  public func text(of report: Report, format: TrackFormat = .json) -> String {
    var text = ""
    // Only what takes the pieces could throw.
    try? write(report, format: format) { text += $0 }
    return text
  }

  /// The input's name without its folders; `-` for standard input.
  var inputName: String { input == "-" ? "-" : (MediaAddress(input).description as NSString).lastPathComponent }

  /// Returns the digits of a number with at most three behind the point.
  static func digits(_ value: Double) -> String { rounded(value, 1e3).line }
}

extension MotionTracking.Report {
  /// Calls a function with the boxes of all frames, sorted by frame, then by track.
  func forEachBox(_ body: (_ track: Int, _ position: TrackPosition) throws -> Void) rethrows {
    /// The indices of a box in `tracks`: a fifth of its position's memory.
    struct BoxIndex {
      var frame: Int32
      var track: Int32
      var position: Int32
    }
    var boxes: [BoxIndex] = []
    for (index, track) in tracks.enumerated() where track.kind == .box {
      boxes += track.positions.indices.map {
        BoxIndex(frame: Int32(track.positions[$0].frame), track: Int32(index), position: Int32($0))
      }
    }
    // Tracks are in the order of their numbers.
    boxes.sort { ($0.frame, $0.track) < ($1.frame, $1.track) }
    for box in boxes {
      let track = tracks[Int(box.track)]
      try body(track.id, track.positions[Int(box.position)])
    }
  }
}
