/// The progress of a job.
public struct JobProgress: Sendable {
  /// The number of frames that are done, those of an earlier run among them.
  public var frames: Int
  /// A guess at the number of frames; nil when nothing is known.
  public var estimatedFrames: Int?
  /// The presentation time of the last frame that is done, in seconds; 0 for images.
  public var mediaSeconds: Double
  /// The time since the start, in seconds.
  public var elapsed: Double
  /// The number of frames that were there at the start, when work is resumed.
  public var framesBefore = 0

  /// The number of frames of this run per second since its start; 0 at the start.
  public var framesPerSecond: Double { elapsed > 0 ? Double(frames - framesBefore) / elapsed : 0 }
  /// The share of the work that is done, 0…1; nil when the length is unknown.
  public var share: Double? { estimatedFrames.map { min(1, Double(frames) / Double(max($0, 1))) } }
}
