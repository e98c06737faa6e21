// Tracks as texts of several formats.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

/// A format in which tracks are written.
public enum TrackFormat: String, CaseIterable, Sendable, Hashable, Codable {
  /// The report with everything that is known, see ``MotionTracking/text(of:)``.
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
  /// Returns the tracks as a text of the given format. Equal tracks give equal texts.
  public func text(of report: Report, format: TrackFormat) -> String {
    switch format {
    case .json: text(of: report)
    case .csv: tableText(of: report)
    case .mot: motText(of: report)
    case .coco: cocoText(of: report)
    case .cvat: cvatText(of: report)
    }
  }

  /// The input's name without its folders; `-` for standard input.
  var inputName: String { input == "-" ? "-" : (MediaAddress(input).description as NSString).lastPathComponent }

  /// Returns the digits of a number with at most three behind the point.
  static func digits(_ value: Double) -> String { rounded(value, 1e3).line }
}

extension MotionTracking.Report {
  /// The boxes of all frames, sorted by frame, then by track.
  var boxesByFrame: [(track: Int, position: TrackPosition)] {
    tracks.filter { $0.kind == .box }.flatMap { track in track.positions.map { (track: track.id, position: $0) } }
      .sorted { ($0.position.frame, $0.track) < ($1.position.frame, $1.track) }
  }
}
