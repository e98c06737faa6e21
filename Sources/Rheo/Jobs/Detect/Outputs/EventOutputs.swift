// What a detection writes besides its report.

import Foundation

/// The files of the events of one input. Nothing is written, unless asked for.
public struct EventOutputs: Sendable {
  /// A PNG image of each event's peak goes into this folder.
  public var snapshotFolder: String?
  /// A video of each event goes into this folder.
  public var clipFolder: String?
  /// How these videos are made.
  public var clipMode = ClipMode.copy
  /// The whole video is written here, with what was found drawn over it; `-` for standard output.
  public var annotated: String?
  /// Encoder, quality, sound and container of what is encoded. (``overwrites`` takes the place of its own.)
  public var encoding = EncoderOptions()
  /// Whether each event's peak is handed on as ``Detection/News/peak(_:)``.
  public var tellsPeaks = false
  /// What file names begin with; nil: the input's name without its ending.
  public var stem: String?
  /// Whether existing files are replaced.
  public var overwrites = false

  /// How clips are made.
  public enum ClipMode: String, Sendable, CaseIterable {
    /// Packets are copied, from the key frame at or before the event's start on.
    case copy
    /// From the first to the last frame of the event, encoded anew.
    case encode
  }

  /// Nothing.
  public init() {}

  /// Whether images are needed.
  var needsFrames: Bool { needsPeaks || annotated != nil }
  /// Whether images of the peaks are needed.
  var needsPeaks: Bool { snapshotFolder != nil || tellsPeaks }
  /// Whether packets are needed.
  var needsPackets: Bool { clipFolder != nil }
  var isEmpty: Bool { !needsFrames && !needsPackets }

  /// - Throws: ``MotionDetectionError`` `invalidOption` for copies of what must not be seen.
  func validate(zones: ZoneSet) throws {
    let hidden = zones.zones.first { $0.effectiveMode == .privacy }
    guard clipFolder != nil, clipMode == .copy, let hidden else { return }
    throw MotionDetectionError(
      .invalidOption,
      "clips that are copied would show the privacy zone '\(hidden.name)'; let them be encoded (--clip-mode encode)")
  }
}

/// The files that were written of one event; paths as they were given.
public struct EventFiles: Sendable, Hashable {
  /// The image of the peak.
  public var snapshot: String?
  /// The video of the event.
  public var clip: String?

  /// None.
  public init() {}
}
