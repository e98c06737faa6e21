// From the shards of an annotated video to the video.

import Foundation
import Imaging
import VideoIO

/// Joins the shards of an annotated video: their frames are copied as they were encoded, sound, subtitles and chapters
/// come from the input, once. The output is the same, byte for byte, for any number of shards.
public struct AnnotationMerge: VideoJob {
  /// The folders of all shards, in any order.
  public var shards: [String]
  /// The file to write.
  public var output: String
  /// The input, where it does not lie where the shards found it; nil: it does.
  public var input: String?
  /// A Boolean value that tells whether an existing file is replaced.
  public var overwrites: Bool

  /// Makes a merge that refuses to touch what is there, unless given.
  public init(shards: [String], output: String, input: String? = nil, overwrites: Bool = false) {
    self.shards = shards
    self.output = output
    self.input = input
    self.overwrites = overwrites
  }

  /// Returns whether a folder is a shard of an annotated video.
  package static func isShard(_ path: String) -> Bool { AnnotationManifest.isShard(path) }

  /// Writes the video.
  /// - Parameters:
  ///   - interruption: Setting it ends the work; then there is no output.
  ///   - progress: Called on this thread after each frame.
  /// - Throws: `MediaError` `cannotOpen` when a shard is missing, there twice or of another annotation, `damaged` when
  ///   one is not as it was written, and the errors of writing. Then there is no output.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Annotation.Report {
    let monitor = JobMonitor(interruption, progress)
    let parts = try ShardSet.ordered(shards, read: AnnotationManifest.init(shard:))
    let manifest = parts[0].description
    let groups = parts.flatMap { part in
      part.description.groups.map { (group: $0, path: (part.path as NSString).appendingPathComponent($0.name)) }
    }
    guard !groups.isEmpty else { throw MediaError(.noVideo, "the shards hold no frame", file: shards[0]) }
    monitor.estimatedFrames = groups.reduce(0) { $0 + $1.group.frames }
    var options = manifest.encoding.options
    options.overwrites = overwrites
    let container = try VideoWriter.containerName(of: output, format: nil)
    guard try VideoWriter.containerName(of: output, format: options.format) == container else {
      throw MediaError(
        .invalidOption, "the shards were encoded for the container \(manifest.encoding.container)", file: output)
    }
    options.format = nil
    let reader = try VideoReader(input ?? manifest.input.path, options: manifest.input.reading)
    _ = try reader.videoFormat()
    let writer = try VideoWriter(output, options: options, source: reader, canvasSize: manifest.canvas)
    let frames: Int
    do {
      frames = try writer.complete(interruption) {
        // Where the range has a start, that is the zero of the output, too.
        let (count, end) = try copy(
          groups, from: reader, to: writer, zero: manifest.start, keepsZero: manifest.input.start != nil, monitor)
        try reader.passLastPackets(before: manifest.end ?? end)
        return count
      }
    } catch is Stop {
      return Annotation.Report(
        frames: 0, pairs: 0, seconds: monitor.elapsed, stageSeconds: [:], gaps: [], notes: [], wasInterrupted: true)
    }
    var notes = parts.last { !$0.description.notes.isEmpty }?.description.notes ?? []
    for note in writer.notes(on: reader, frames: frames) where !notes.contains(note) { notes.append(note) }
    var gaps: [MediaGap] = []
    for gap in parts.flatMap(\.description.gaps).map(\.gap) where !gaps.contains(gap) { gaps.append(gap) }
    return Annotation.Report(
      frames: frames, pairs: max(0, frames - 1), seconds: monitor.elapsed, stageSeconds: [:], gaps: gaps, notes: notes,
      wasInterrupted: false)
  }

  /// Ends the work where somebody asked for it.
  private struct Stop: Error {}

  /// Copies all frames.
  /// - Returns: Their number, and the time in the input at which the last one ends.
  private func copy(
    _ groups: [(group: AnnotationManifest.Group, path: String)], from reader: VideoReader, to writer: VideoWriter,
    zero: MediaTime, keepsZero: Bool, _ monitor: JobMonitor
  ) throws -> (count: Int, end: MediaTime) {
    var order = DecodingOrder(delay: groups.map(\.group.reorderDepth).max() ?? 0)
    var (count, end) = (0, zero)
    for (group, path) in groups {
      guard FileDigest(of: path)?.text == group.digest else {
        throw MediaError(.damaged, "is not as it was written; annotate the shard anew", file: path)
      }
      let encoded = try EncodedGroup(path, end: group.end)
      try writer.append(encoded, zero: zero, keepsZero: keepsZero, order: &order) { time in
        guard !monitor.interruption.isSet else { throw Stop() }
        try reader.passPackets(before: time)
        count += 1
        try monitor.count(time)
      }
      end = encoded.end
    }
    // Ends are told from the zero of the groups.
    let last = end.value.addingReportingOverflow(zero.rescaled(to: end.timeBase).value).partialValue
    return (count, MediaTime(value: last, timeBase: end.timeBase))
  }
}
