// The outputs of a detection besides its report.

import Foundation
import MotionDetection
import VideoIO

/// The files of the events of one input. Nothing is written, unless asked for.
public struct EventOutputs: Sendable {
  /// The folder for a PNG image of each event's peak; nil: none is written.
  public var snapshotFolder: String?
  /// The folder for a video of each event; nil: none is written.
  public var clipFolder: String?
  /// The video of all events, which the caller completes; nil: there is none.
  public var joined: JoinedVideo?
  /// The way clips and the joined video are made.
  public var clipMode = ClipMode.copy
  /// The path of the whole video with the findings drawn over it; `-` for standard output, nil: it is not written.
  public var annotated: String?
  /// The path of a video that is white where something travels that counts and black elsewhere; `-` for standard
  /// output, nil: it is not written.
  public var maskVideo: String?
  /// The path of a PNG image that shows where anything moved over the whole time; `-` for standard output, nil: none is
  /// written.
  public var heatMap: String?
  /// The encoder, quality, sound and container of the encoded videos. (``overwrites`` replaces its own.)
  public var encoding = EncoderOptions()
  /// A Boolean value that tells whether each event's peak is handed on as ``Detection/Update/peak(_:)``.
  public var tellsPeaks = false
  /// A Boolean value that tells whether the heat map is handed on as ``Detection/Update/heatMap(_:)``.
  public var tellsHeatMap = false
  /// The beginning of the file names; nil: the input's name without its ending.
  public var stem: String?
  /// A Boolean value that tells whether existing files are replaced.
  public var overwrites = false

  /// The ways to make clips.
  public enum ClipMode: String, Sendable, CaseIterable {
    /// Packets are copied, from the key frame at or before the event's start on.
    case copy
    /// Images are encoded anew, from the first to the last frame of the event.
    case encode
  }

  /// Creates the outputs of a detection that writes nothing.
  public init() {}

  /// A Boolean value that tells whether images are needed.
  var needsFrames: Bool { needsPeaks || needsHeatMap || annotated != nil || maskVideo != nil }
  /// A Boolean value that tells whether images of the peaks are needed.
  var needsPeaks: Bool { snapshotFolder != nil || tellsPeaks }
  /// A Boolean value that tells whether it is summed up where anything moved.
  var needsHeatMap: Bool { heatMap != nil || tellsHeatMap }
  /// A Boolean value that tells whether packets are needed.
  var needsPackets: Bool { clipFolder != nil || joined != nil }
  var isEmpty: Bool { !needsFrames && !needsPackets }

  /// Checks that no clip shows a privacy zone.
  /// - Throws: ``MotionDetectionError`` `invalidOption` for copies of what must not be seen.
  func validate(zones: ZoneSet) throws {
    let hidden = zones.zones.first { $0.effectiveMode == .privacy }
    guard needsPackets, clipMode == .copy, let hidden else { return }
    throw MotionDetectionError(
      .invalidOption,
      "clips that are copied would show the privacy zone '\(hidden.name)'; let them be encoded (--clip-mode encode)")
  }
}

/// The files that were written of one event; paths as they were given.
public struct EventFiles: Sendable, Hashable {
  /// The path of the image of the peak.
  public var snapshot: String?
  /// The path of the video of the event.
  public var clip: String?

  /// Creates the files of an event of which none was written.
  public init() {}
}
