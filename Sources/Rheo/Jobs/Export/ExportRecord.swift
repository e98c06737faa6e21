// The part of an export that is there, before and while it runs.

import Foundation
import VideoIO

/// The pairs that are written, and the journal that the next ones come into.
struct ExportRecord {
  /// The times of the two frames of a pair.
  struct Times: Equatable, Sendable {
    let previous: Int64
    let current: Int64
    let timeBase: String

    init(_ previous: PairRecord.Frame, _ current: PairRecord.Frame) {
      self.previous = previous.ticks
      self.current = current.ticks
      timeBase = current.timeBase
    }
  }

  /// The journal of the export; nil when the export is complete already.
  private(set) var journal: ExportJournal?
  /// The lock on an unfinished export that is replaced.
  private var replacedJournal: ExportJournal?
  /// The number of pairs in the output.
  private(set) var count = 0
  /// The number of pairs in the output that an earlier run had written.
  private(set) var resumedCount = 0
  /// The times of the pairs that an earlier run had written.
  private(set) var times: [Times] = []
  /// The last pair in the output.
  private(set) var last: PairRecord?
  private var clamped = 0
  private var lostUnknown = 0
  var gaps: [MediaGap] = []
  var notes: [String] = []
  var stageSeconds: [PipelineStage: Double] = [:]

  /// Settles what happens to an output that is there.
  /// - Throws: `MediaError` `outputExists` when it must not be replaced, or cannot be resumed with these options.
  static func open(
    _ store: any ExportStore, manifest: ExportManifest, existing: FlowExport.Existing
  ) throws -> ExportRecord {
    var record = ExportRecord()
    switch (try store.presence(), existing) {
    case (.nothing, _):
      try store.prepare()
      try record.begin(store, manifest)
    case (_, .replace):
      record.replacedJournal = try store.prepareReplacement()
      try record.begin(store, manifest)
    case (_, .resume) where store.findReplacement(): try record.resume(store, manifest)
    case (.unfinished, .resume): try record.resume(store, manifest)
    case (.complete, .resume): try record.recheck(store, manifest)
    case (.unfinished, .refuse):
      throw MediaError(
        .outputExists, "holds an unfinished export; --resume goes on with it, --overwrite begins anew", file: store.path
      )
    case (.foreign, .resume):
      throw MediaError(
        .outputExists, "is there already and was not made by export; --overwrite writes to it", file: store.path)
    case (_, .refuse):
      throw MediaError(.outputExists, "is there already; --overwrite replaces it", file: store.path)
    }
    record.resumedCount = record.count
    return record
  }

  /// Takes note of a pair that is written.
  mutating func add(_ pair: PairRecord) {
    count += 1
    last = pair
    // Of a manifest that somebody made up the sums may be anything.
    clamped &+= pair.clamped
    lostUnknown &+= pair.lostUnknown
  }

  func report(interrupted: Bool, seconds: Double) -> FlowExport.Report {
    FlowExport.Report(
      pairs: count, resumedPairs: resumedCount, seconds: seconds,
      stageSeconds: stageSeconds, clampedVectors: clamped, lostUnknownVectors: lostUnknown, gaps: gaps, notes: notes,
      wasInterrupted: interrupted)
  }

  // MARK: Steps

  private mutating func begin(_ store: any ExportStore, _ manifest: ExportManifest) throws {
    let journal = try ExportJournal(path: store.journalPath)
    try journal.truncate(to: 0)
    try journal.append(manifest.head.line)
    self.journal = journal
  }

  /// Keeps the pairs of a journal up to the first one that is not whole.
  private mutating func resume(_ store: any ExportStore, _ manifest: ExportManifest) throws {
    let journal = try ExportJournal(path: store.journalPath)
    let lines = try TextLines(path: store.journalPath)
    guard let head = lines.next() else {
      // Killed before the first line was whole.
      try journal.truncate(to: 0)
      try journal.append(manifest.head.line)
      self.journal = journal
      return
    }
    let description: JSONText
    do {
      description = try JSONDecoder().decode(JSONText.self, from: Data(head.text.utf8))
    } catch {
      throw MediaError(
        .outputExists, "is no journal of an export; --overwrite begins anew", file: store.journalPath)
    }
    try check(description, manifest, store)
    var kept = head.bytes
    while let line = lines.next() {
      // Where no pair was begun, what is there may be another output, which stays.
      if kept == head.bytes { try store.reopen(isUnfinished: true) }
      guard try keep(PairRecord(line: line.text), store) else { break }
      kept += line.bytes
    }
    try journal.truncate(to: kept)
    self.journal = journal
  }

  /// Looks at a complete export: if a file is not as it was written, the export goes on from there.
  private mutating func recheck(_ store: any ExportStore, _ manifest: ExportManifest) throws {
    let earlier = try ExportManifest.read(store.manifestPath)
    try check(earlier.head, manifest, store)
    try store.reopen(isUnfinished: false)
    gaps = earlier.gaps
    var isWhole = earlier.isComplete
    for pair in earlier.pairs where isWhole { isWhole = try keep(pair, store) }
    guard !isWhole else {
      notes.append("all pairs are there already")
      return
    }
    gaps = []
    try begin(store, manifest)
    for pair in earlier.pairs.prefix(count) { try journal?.append(pair.line) }
    try store.reopen(isUnfinished: true)
  }

  /// Counts a pair in if its files are as the record says; nil is a line that was cut short.
  private mutating func keep(_ pair: PairRecord?, _ store: any ExportStore) throws -> Bool {
    guard let pair, pair.number == pair.previous.frame + 1,
      last.map({ $0.current == pair.previous }) ?? true, try store.isWhole(pair)
    else {
      notes.append("pair \(count + 1) is not as it was written; the export goes on from there")
      return false
    }
    add(pair)
    times.append(Times(pair.previous, pair.current))
    return true
  }

  private func check(_ head: JSONText, _ manifest: ExportManifest, _ store: any ExportStore) throws {
    guard let difference = manifest.difference(from: head) else { return }
    throw MediaError(.outputExists, "\(difference); --overwrite begins anew", file: store.path)
  }
}
