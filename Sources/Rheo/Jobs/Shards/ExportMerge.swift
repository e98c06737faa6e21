// From the exports of all shards to that of one run.

import Foundation
import Imaging
import VideoIO

/// Joins the exports of all shards of a video: the output is, byte for byte, that of one export of the whole.
///
/// Digests of all that is copied are checked. Where a frame could not be decoded, shards behind it have counted it, as
/// they have not seen that; their frames get the numbers that one run gives them. Memory is bounded by the longest
/// shard's manifest.
public struct ExportMerge: VideoJob {
  /// The folders or `.npy` files of all shards, in any order.
  public var shards: [String]
  /// The folder or the `.npy` file to write.
  public var output: String
  /// A Boolean value that tells whether an output that is there is replaced.
  public var overwrites: Bool

  /// Makes a merge that refuses to touch what is there, unless given.
  public init(shards: [String], output: String, overwrites: Bool = false) {
    self.shards = shards
    self.output = output
    self.overwrites = overwrites
  }

  /// Copies all pairs.
  /// - Parameters:
  ///   - interruption: Setting it ends the work; then there is no output.
  ///   - progress: Called on this thread after each pair.
  /// - Throws: `MediaError` `cannotOpen` when a shard is missing, there twice, not complete or of another export,
  ///   `damaged` when one is not as it was written, `invalidOption` when the output would replace one. Then there is no
  ///   output.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> FlowExport.Report {
    let monitor = JobMonitor(interruption, progress)
    let spans = try ShardSpan.joined(shards)
    let first = try ShardOutput(spans[0].path)
    let store = try first.makeStore(output)
    try requireNoShard(in: store)
    let head = first.contents.head
    let manifest = ExportManifest(head: head.without(ShardOutput.key), text: first.wholeHeadText)
    monitor.estimatedFrames = spans.reduce(0) { $0 + $1.pairs.count }
    var record = try ExportRecord.open(store, manifest: manifest, existing: overwrites ? .replace : .refuse)
    guard let journal = record.journal else { preconditionFailure("an export that is not resumed has no journal") }
    do {
      try store.open(keeping: 0, upTo: 0, size: first.size)
      for span in spans where !interruption.isSet {
        try copy(span, to: store, journal, &record, monitor)
      }
      try interruption.checkCancellation()
      if interruption.isSet {
        try store.discard()
        return record.report(interrupted: true, seconds: monitor.elapsed)
      }
      record.notes = spans.last { !$0.notes.isEmpty }?.notes ?? []
      if record.count == 0 { record.notes.append(FlowExport.noPairNote) }
      try store.finish()
      try manifest.write(
        to: store.manifestPath, overwrites: store.replacesManifest, journal: store.journalPath, isComplete: true,
        gaps: record.gaps, notes: record.notes)
      try store.publish()
      try store.removeFile(store.journalPath)
      return record.report(interrupted: false, seconds: monitor.elapsed)
    } catch {
      try store.discard()
      throw error
    }
  }

  /// - Throws: `MediaError` `invalidOption` when the output would replace a shard, which is read for it.
  private func requireNoShard(in store: any ExportStore) throws {
    if shards.contains(where: { OutputFile.isSame($0, output) }) {
      throw MediaError(.invalidOption, "is the input itself; write to another name", file: output)
    }
    try store.requireDifferent(from: FileIdentities(shards.flatMap(ShardOutput.arrayFiles)))
  }

  private func copy(
    _ span: ShardSpan, to store: any ExportStore, _ journal: ExportJournal, _ record: inout ExportRecord,
    _ monitor: JobMonitor
  ) throws {
    let source = try ShardOutput(span.path)
    guard source.contents.pairs.count >= span.pairs.upperBound else {
      throw MediaError(.cannotOpen, "changed while it was read", file: span.path)
    }
    // Empty shards do not know which damage is theirs.
    for gap in span.gaps where !record.gaps.contains(gap) { record.gaps.append(gap) }
    for var pair in source.contents.pairs[span.pairs] {
      guard !monitor.interruption.isSet else { return }
      pair.number += span.numberShift
      pair.previous.frame += span.numberShift
      pair.current.frame += span.numberShift
      let numbers = [pair.number, pair.previous.frame, pair.current.frame]
      guard numbers.allSatisfy({ PairRecord.countRange.contains($0) }) else { throw span.misnumbered }
      pair.files = try store.copy(pair, from: source)
      try journal.append(pair.line)
      record.add(pair)
      try monitor.count(seconds: pair.current.seconds)
    }
  }
}

/// The pairs that a shard gives to the whole.
private struct ShardSpan {
  let path: String
  let shard: Shard
  /// The indices of the pairs among those of the shard: all of them.
  let pairs: Range<Int>
  /// The difference of the frames' numbers in one run to those here.
  var numberShift = 0
  var gaps: [MediaGap]
  let notes: [String]
  let first: PairRecord.Frame?
  let last: PairRecord.Frame?

  private init(_ output: ShardOutput) {
    (path, shard) = (output.path, output.shard)
    (gaps, notes) = (output.contents.gaps, output.contents.notes)
    pairs = 0..<output.contents.pairs.count
    first = output.contents.pairs.first?.previous
    last = output.contents.pairs.last?.current
  }

  /// Reads the manifests of all shards, and finds how they follow one another.
  static func joined(_ paths: [String]) throws -> [ShardSpan] {
    guard let path = paths.first else { throw MediaError(.cannotOpen, "there are no shards to merge") }
    let reference = try ShardOutput(path)
    var spans: [Int: ShardSpan] = [:]
    for path in paths {
      let output = try ShardOutput(path)
      if let difference = output.difference(from: reference) {
        throw MediaError(
          .cannotOpen, "is no shard of the export that \(reference.path) is of: \(difference)", file: path)
      }
      if let other = spans[output.shard.number] {
        throw MediaError(.cannotOpen, "is shard \(output.shard), as \(other.path) is", file: path)
      }
      spans[output.shard.number] = ShardSpan(output)
    }
    let count = reference.shard.count
    let missing = (1...count).filter { spans[$0] == nil }
    guard missing.isEmpty else {
      let list = missing.prefix(8).map(String.init).joined(separator: ", ") + (missing.count > 8 ? ", …" : "")
      throw MediaError(.cannotOpen, "of \(count) shards \(missing.count) are missing: \(list)")
    }
    var ordered = (1...count).compactMap { spans[$0] }
    try join(&ordered)
    return ordered
  }

  /// Lets each shard with pairs begin with the frame that the one before ends with.
  private static func join(_ spans: inout [ShardSpan]) throws {
    var previous: Int?
    for index in spans.indices {
      guard let first = spans[index].first else {
        spans[index].keepGaps(isFirst: index == 0, isLast: index == spans.count - 1)
        continue
      }
      if let previous {
        try spans[previous].requireEnd(at: first, of: spans[index].shard)
        let end = spans[previous].last?.frame ?? first.frame
        // Each of the three is within 2⁴⁸: the shift of the shard before was checked in its turn.
        spans[index].numberShift = spans[previous].numberShift + end - first.frame
        guard PairRecord.countRange.contains(abs(spans[index].numberShift)) else { throw spans[index].misnumbered }
      }
      previous = index
    }
    for index in spans.indices where spans[index].first != nil {
      spans[index].keepGaps(isFirst: index == 0, isLast: index == spans.count - 1)
    }
  }

  /// - Throws: `MediaError` `damaged` unless the last frame is the first one of the next shard.
  private func requireEnd(at next: PairRecord.Frame, of shard: Shard) throws {
    guard let last, last.timeBase == next.timeBase, last.ticks == next.ticks else {
      throw MediaError(
        .damaged, "frames are missing between its end and shard \(shard): one of the two was made of another input",
        file: path)
    }
  }

  /// The error of frames whose numbers cannot be those that one run gives them.
  var misnumbered: MediaError {
    MediaError(
      .damaged, "the numbers of its frames are none that can follow those of the shards before: export it anew",
      file: path)
  }

  /// Keeps the damage that lies within the frames of the shard: what comes before is told by the shard before.
  private mutating func keepGaps(isFirst: Bool, isLast: Bool) {
    let (lowest, highest) = (first?.frame ?? 0, last?.frame ?? 0)
    gaps = gaps.filter { (isFirst || $0.frameNumber > lowest) && (isLast || $0.frameNumber <= highest) }.map {
      MediaGap(seconds: $0.seconds, frameNumber: $0.frameNumber + numberShift, reason: $0.reason)
    }
  }
}

extension JSONText {
  /// Returns an object without a field.
  fileprivate func without(_ key: String) -> JSONText {
    guard case .object(let fields) = self else { return self }
    return .object(fields.filter { $0.0 != key })
  }
}
