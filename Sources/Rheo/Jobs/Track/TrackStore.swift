// Tracks, out of memory until the report is written.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

/// Tracks whose positions wait in a temporary file, so that a stream without end takes no more memory than what is
/// followed at a time, and some hundred bytes for each track.
///
/// A track comes in parts, in order. Used by one thread until it is complete; then by any.
final class TrackStore: @unchecked Sendable {
  /// A track and where its positions are.
  private struct Entry {
    var summary: MotionTracking.TrackSummary
    var firstFrame: Int
    var parts: [Part] = []
  }

  /// Positions in a row, in the file or still in memory.
  private struct Part {
    var bytes: StoredBytes?
    var positions: [TrackPosition] = []
  }

  private let store = ReportStore()
  private var entries: [Int: Entry] = [:]
  /// The number of positions that are in memory.
  private var heldCount = 0
  /// The numbers of the tracks with positions in memory.
  private var held: Set<Int> = []

  /// The maximum number of positions in memory: with fewer there is no temporary file.
  private let heldLimit: Int

  init(heldLimit: Int = 1 << 14) { self.heldLimit = heldLimit }

  /// Takes the next positions of a track, which go on after those that were taken before.
  /// - Throws: ``MediaError`` `cannotWrite` when the folder for temporary files is full, say.
  func append(_ track: MotionTrack) throws {
    let summary = MotionTracking.TrackSummary(id: track.id, kind: track.kind, loss: nil, count: 0)
    var entry = entries[track.id] ?? Entry(summary: summary, firstFrame: track.positions.first?.frame ?? 0)
    entry.summary.loss = track.loss
    if !track.positions.isEmpty {
      entry.parts.append(Part(positions: track.positions))
      entry.summary.count += track.positions.count
      heldCount += track.positions.count
      held.insert(track.id)
    }
    entries[track.id] = entry
    if heldCount > heldLimit { try putAway() }
  }

  /// Moves all positions into the file.
  private func putAway() throws {
    for id in held.sorted() {
      guard var entry = entries[id] else { continue }
      for index in entry.parts.indices where entry.parts[index].bytes == nil {
        entry.parts[index].bytes = try store.keep(Self.bytes(of: entry.parts[index].positions))
        entry.parts[index].positions = []
      }
      entries[id] = entry
    }
    held = []
    heldCount = 0
  }

  /// All tracks without their positions, by number.
  var summaries: [MotionTracking.TrackSummary] { entries.values.map(\.summary).sorted { $0.id < $1.id } }

  /// Returns a track with its positions.
  func track(_ summary: MotionTracking.TrackSummary) throws -> MotionTrack {
    var positions: [TrackPosition] = []
    positions.reserveCapacity(summary.count)
    for part in entries[summary.id]?.parts ?? [] { positions += try self.positions(of: part) }
    return MotionTrack(id: summary.id, kind: summary.kind, positions: positions, loss: summary.loss)
  }

  /// A track of which a part is in memory, and the next of its positions there.
  private struct Cursor {
    var id: Int
    var parts: ArraySlice<Part>
    var positions: [TrackPosition] = []
    var index = 0

    var position: TrackPosition { positions[index] }
  }

  /// Calls a function with all positions of the tracks of one kind, sorted by frame, then by the number of the track.
  ///
  /// One part of each track that goes on is in memory at a time.
  func forEachPosition(
    of kind: MotionTrack.Kind, _ body: (_ track: Int, _ position: TrackPosition) throws -> Void
  ) throws {
    var coming = beginnings(of: kind)[...]
    var active: [Cursor] = []
    while let frame = (active.map(\.position.frame) + coming.prefix(1).map(\.frame)).min() {
      while let next = coming.first, next.frame == frame {
        coming.removeFirst()
        let cursor = try cursor(next.id)
        active.insert(cursor, at: active.firstIndex { $0.id > next.id } ?? active.count)
      }
      for index in active.indices where active[index].position.frame == frame {
        try body(active[index].id, active[index].position)
        try advance(&active[index])
      }
      active.removeAll(where: \.positions.isEmpty)
    }
  }

  /// Returns the first frames of the tracks of one kind, and their numbers, in this order.
  private func beginnings(of kind: MotionTrack.Kind) -> [(frame: Int, id: Int)] {
    let tracks = entries.values.filter { $0.summary.kind == kind && $0.summary.count > 0 }
    return tracks.map { ($0.firstFrame, $0.summary.id) }.sorted { $0 < $1 }
  }

  private func cursor(_ id: Int) throws -> Cursor {
    var cursor = Cursor(id: id, parts: entries[id].map { $0.parts[...] } ?? [])
    if let first = cursor.parts.popFirst() { cursor.positions = try positions(of: first) }
    return cursor
  }

  /// Goes on to the next position; without one there are no positions left.
  private func advance(_ cursor: inout Cursor) throws {
    cursor.index += 1
    guard cursor.index == cursor.positions.count else { return }
    cursor.index = 0
    cursor.positions = try cursor.parts.popFirst().map(positions) ?? []
  }

  // MARK: Bytes

  private func positions(of part: Part) throws -> [TrackPosition] {
    guard let bytes = part.bytes else { return part.positions }
    return try bytes.bytes().withUnsafeBytes { buffer in
      buffer.bindMemory(to: Record.self).map(\.position)
    }
  }

  private static func bytes(of positions: [TrackPosition]) -> Data {
    positions.map(Record.init).withUnsafeBytes { Data($0) }
  }

  /// A position in the file, as this machine lays it in memory.
  private struct Record {
    var (frame, ticks): (Int, Int64)
    var (numerator, denominator): (Int32, Int32)
    var (x, y, width, height, confidence): (Double, Double, Double, Double, Double)

    init(_ position: TrackPosition) {
      (frame, ticks) = (position.frame, position.time.value)
      (numerator, denominator) = (position.time.timeBase.numerator, position.time.timeBase.denominator)
      (x, y, width, height) = (position.box.x, position.box.y, position.box.width, position.box.height)
      confidence = position.confidence
    }

    var position: TrackPosition {
      TrackPosition(
        frame: frame,
        time: MediaTime(value: ticks, timeBase: Rational(numerator, denominator)),
        box: BoundingBox(x: x, y: y, width: width, height: height), confidence: confidence)
    }
  }
}
