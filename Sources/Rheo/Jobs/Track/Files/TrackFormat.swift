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
  /// - Parameters:
  ///   - report: The tracks.
  ///   - format: The format of the text.
  ///   - put: Takes the pieces in order.
  /// - Throws: What `put` throws; `MediaError` `cannotWrite` when the temporary file with the positions cannot be read.
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
  /// - Throws: `MediaError` `cannotWrite` when the temporary file with the positions cannot be read.
  public func text(of report: Report, format: TrackFormat = .json) throws -> String {
    var text = ""
    try write(report, format: format) { text += $0 }
    return text
  }

  /// The input's name without its folders; `-` for standard input.
  var inputName: String { input == "-" ? "-" : (MediaAddress(input).description as NSString).lastPathComponent }

  /// Returns the digits of a number with at most three behind the point.
  static func digits(_ value: Double) -> String { rounded(value, 1e3).line }
}
