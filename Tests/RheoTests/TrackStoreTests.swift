// Tracks that wait in a file until the report is written.

import FlowAnalysis
import Foundation
import Imaging
import TestSupport
import Testing

@testable import Rheo

@Suite struct TrackStoreTests {
  private func position(_ frame: Int, of track: Int) -> TrackPosition {
    TrackPosition(
      frame: frame, time: MediaTime(value: Int64(frame) * 3 - 7, timeBase: Rational(1, 90_000)),
      box: BoundingBox(x: Double(track) / 3, y: -Double(frame) / 7, width: 20.5, height: 1e-3),
      confidence: Double(frame % 5) / 7)
  }

  /// Tracks that begin, end and miss frames at random.
  private func tracks(seed: UInt64) -> [MotionTrack] {
    var random = FixedRandom(seed: seed)
    return (1...40).map { id in
      let first = Int.random(in: 0...300, using: &random)
      let count = Int.random(in: 1...200, using: &random)
      let frames = (first..<first + count).filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
      return MotionTrack(
        id: id, kind: id % 4 == 0 ? .point : .box, positions: frames.map { position($0, of: id) },
        loss: id % 3 == 0 ? nil : .leftImage)
    }
  }

  /// Parts of the tracks as they come from a stream, in which each goes on by itself.
  private func fill(_ store: TrackStore, _ tracks: [MotionTrack], seed: UInt64) throws {
    var random = FixedRandom(seed: seed)
    var left = tracks.map { $0.positions[...] }
    while let index = left.indices.filter({ !left[$0].isEmpty }).randomElement(using: &random) {
      let part = left[index].prefix(Int.random(in: 1...60, using: &random))
      left[index].removeFirst(part.count)
      let loss = left[index].isEmpty ? tracks[index].loss : nil
      try store.append(
        MotionTrack(id: tracks[index].id, kind: tracks[index].kind, positions: Array(part), loss: loss))
    }
  }

  @Test(arguments: [0, 100, 1 << 20]) func partsComeTogetherAgain(heldLimit: Int) throws {
    for seed in 1...4 {
      let tracks = tracks(seed: UInt64(seed)).filter { !$0.positions.isEmpty }
      let store = TrackStore(heldLimit: heldLimit)
      try fill(store, tracks, seed: UInt64(seed))
      #expect(try store.summaries.map(store.track) == tracks)
      #expect(store.summaries.map(\.count) == tracks.map(\.positions.count))
      for kind in [MotionTrack.Kind.box, .point] {
        let expected = tracks.filter { $0.kind == kind }.flatMap { track in
          track.positions.map { (track: track.id, position: $0) }
        }.sorted { ($0.position.frame, $0.track) < ($1.position.frame, $1.track) }
        var index = 0
        try store.forEachPosition(of: kind) { track, position in
          #expect(index < expected.count && expected[index].track == track && expected[index].position == position)
          index += 1
        }
        #expect(index == expected.count)
      }
    }
  }

  @Test func nothingIsNoTrack() throws {
    let store = TrackStore()
    #expect(store.summaries.isEmpty)
    try store.append(MotionTrack(id: 7, kind: .box, positions: []))
    #expect(try store.track(store.summaries[0]).positions.isEmpty)
    try store.forEachPosition(of: .box) { _, _ in Issue.record("a position of a track that has none") }
  }
}
