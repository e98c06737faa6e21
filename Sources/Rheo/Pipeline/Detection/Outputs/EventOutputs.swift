// What a detection writes besides its report.

import Foundation

/// The files of the events of one input. Nothing is written, unless asked for.
public struct EventOutputs: Sendable {
  /// A PNG picture of each event's peak goes into this folder.
  public var snapshotFolder: String?
  /// Whether each event's peak is handed on as ``Detection/News/peak(_:)``.
  public var tellsPeaks = false
  /// What file names begin with; nil: the input's name without its ending.
  public var stem: String?
  /// Whether existing files are replaced.
  public var overwrites = false

  /// Nothing.
  public init() {}

  /// Whether pictures are needed.
  var needsFrames: Bool { snapshotFolder != nil || tellsPeaks }
  var isEmpty: Bool { !needsFrames }
}

/// The files that were written of one event; paths as they were given.
public struct EventFiles: Sendable, Hashable {
  /// The picture of the peak.
  public var snapshot: String?
  /// The video of the event.
  public var clip: String?

  /// None.
  public init() {}
}
