// Tracks, out of memory until the report is written.

import FlowAnalysis
import Foundation
import Imaging
import VideoIO

/// Tracks whose positions wait in a temporary file, so that a stream without end takes no more memory than what is
/// followed at a time, and some hundred bytes for each track.
///
/// A track comes in parts, in order. What stays for each lies in arrays that all share: small blocks of memory of its
/// own, made between those of the frames, would keep these from being used again. Used by one thread until it is
/// complete; then by any.
final class TrackStore: @unchecked Sendable {
  /// A track and where its positions are.
  private struct Entry {
    var summary: MotionTracking.TrackSummary
    var firstFrame: Int
    /// The number of its last part in the file; nil: none is there.
    var lastPart: Int?
    /// The number of its last position in memory; nil: none is there.
    var lastHeld: Int?
  }

  /// Positions in a row, in the file.
  private struct Part {
    var bytes: StoredBytes
    /// The number of the track's part before it.
    var previous: Int?
  }

  /// A position in memory.
  private struct Held {
    var position: TrackPosition
    /// The number of the track's position in memory before it.
    var previous: Int?
  }

  private let store = ReportStore()
  private var entries: [Int: Entry] = [:]
  private var parts: [Part] = []
  private var held: [Held] = []
  /// The numbers of the tracks with positions in memory.
  private var heldTracks: Set<Int> = []

  /// The maximum number of positions in memory: with fewer there is no temporary file.
  private let heldLimit: Int

  init(heldLimit: Int = 1 << 14) { self.heldLimit = heldLimit }

  /// Takes the next positions of a track, which go on after those that were taken before.
  /// - Throws: ``MediaError`` `cannotWrite` when the folder for temporary files is full, say.
  func append(_ track: MotionTrack) throws {
    let summary = MotionTracking.TrackSummary(id: track.id, kind: track.kind, loss: nil, count: 0)
    var entry = entries[track.id] ?? Entry(summary: summary, firstFrame: 0)
    entry.summary.loss = track.loss
    if entry.summary.count == 0, let first = track.positions.first { entry.firstFrame = first.frame }
    entry.summary.count += track.positions.count
    for position in track.positions {
      held.append(Held(position: position, previous: entry.lastHeld))
      entry.lastHeld = held.count - 1
    }
    entries[track.id] = entry
    if !track.positions.isEmpty { heldTracks.insert(track.id) }
    if held.count > heldLimit { try putAway() }
  }

  /// Moves all positions into the file.
  private func putAway() throws {
    for id in heldTracks.sorted() {
      guard var entry = entries[id] else { continue }
      let bytes = try store.keep(Self.bytes(of: heldPositions(of: entry)))
      parts.append(Part(bytes: bytes, previous: entry.lastPart))
      (entry.lastPart, entry.lastHeld) = (parts.count - 1, nil)
      entries[id] = entry
    }
    heldTracks.removeAll(keepingCapacity: true)
    held.removeAll(keepingCapacity: true)
  }

  /// All tracks without their positions, by number.
  var summaries: [MotionTracking.TrackSummary] { entries.values.map(\.summary).sorted { $0.id < $1.id } }

  /// Returns a track with its positions.
  func track(_ summary: MotionTracking.TrackSummary) throws -> MotionTrack {
    var positions: [TrackPosition] = []
    positions.reserveCapacity(summary.count)
    if let entry = entries[summary.id] {
      for part in partNumbers(of: entry) { positions += try self.positions(of: part) }
      positions += heldPositions(of: entry)
    }
    return MotionTrack(id: summary.id, kind: summary.kind, positions: positions, loss: summary.loss)
  }

  /// Returns the positions of a track that are in memory.
  private func heldPositions(of entry: Entry) -> [TrackPosition] {
    sequence(state: entry.lastHeld) { [held] number in
      guard let current = number else { return nil as TrackPosition? }
      number = held[current].previous
      return held[current].position
    }.reversed()
  }

  /// Returns the numbers of the parts of a track in the file.
  private func partNumbers(of entry: Entry) -> [Int] {
    guard let last = entry.lastPart else { return [] }
    return sequence(first: last) { [parts] in parts[$0].previous }.reversed()
  }

  /// A track of which a part is in memory, and the next of its positions there.
  private struct Cursor {
    var id: Int
    /// The numbers of the parts that are still to be read.
    var parts: ArraySlice<Int>
    /// The positions after the last part; empty once they are read.
    var rest: [TrackPosition]
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
    while !active.isEmpty || !coming.isEmpty {
      var frame = coming.first?.frame ?? .max
      for cursor in active { frame = min(frame, cursor.position.frame) }
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
    let entry = entries[id]
    var cursor = Cursor(
      id: id, parts: entry.map { partNumbers(of: $0)[...] } ?? [], rest: entry.map(heldPositions) ?? [])
    try read(&cursor)
    return cursor
  }

  /// Goes on to the next position; without one there are no positions left.
  private func advance(_ cursor: inout Cursor) throws {
    cursor.index += 1
    if cursor.index == cursor.positions.count { try read(&cursor) }
  }

  /// Goes on to the next part.
  private func read(_ cursor: inout Cursor) throws {
    cursor.index = 0
    if let part = cursor.parts.popFirst() {
      cursor.positions = try positions(of: part)
    } else {
      cursor.positions = cursor.rest
      cursor.rest = []
    }
  }

  // MARK: Bytes

  /// Returns the positions of a part in the file.
  private func positions(of part: Int) throws -> [TrackPosition] {
    try parts[part].bytes.bytes().withUnsafeBytes { buffer in
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
