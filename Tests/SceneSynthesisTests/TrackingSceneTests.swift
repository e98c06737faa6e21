import Foundation
import Imaging
import Testing

@testable import SceneSynthesis

@Suite("The scenes that try trackers")
struct TrackingSceneTests {
  private static let names = SceneName.allCases.filter(\.isForTracking)

  @Test("boxes hold exactly the pixels of the people that are not hidden", arguments: names)
  func boxesMatchLayers(name: SceneName) throws {
    let scene = try smallScene(name)
    let tracks = scene.tracks()
    #expect(tracks.map(\.identity) == Array(1...tracks.count))
    #expect(tracks.map(\.object).sorted() == (1...tracks.count).map { "person \($0)" })
    for t in stride(from: 40, to: scene.frameCount, by: 37) {
      let layers = scene.layers(t)
      for track in tracks {
        let pixels = (0..<layers.size.area).map { ($0 % layers.width, $0 / layers.width) }
          .filter { layers[$0.0, $0.1] == UInt8(track.identity) }
        guard let box = track.boxes.first(where: { $0.frame == t }) else {
          #expect(pixels.isEmpty)
          continue
        }
        #expect(pixels.allSatisfy { box.x..<box.x + box.width ~= $0.0 && box.y..<box.y + box.height ~= $0.1 })
        guard box.visibility == 1 else {
          #expect(pixels.isEmpty == (box.visibility == 0))
          continue
        }
        #expect(pixels.map(\.0).min() == box.x && pixels.map(\.0).max() == box.x + box.width - 1)
        #expect(pixels.map(\.1).min() == box.y && pixels.map(\.1).max() == box.y + box.height - 1)
      }
    }
  }

  @Test("everybody comes and goes once, also where they are hidden", arguments: names, [1, 2, 3] as [UInt64])
  func identitiesLast(name: SceneName, seed: UInt64) throws {
    let tracks = try smallScene(name, seed: seed).tracks()
    #expect(tracks.count == [.crossingWalkers: 5, .meetingWalkers: 3][name] ?? 4)
    for track in tracks {
      let frames = track.boxes.map(\.frame)
      #expect(frames == Array(frames[0]...frames[frames.count - 1]) && frames.count > 60, "\(track.object)")
    }
  }

  @Test("another seed draws other people, the same seed the same", arguments: names)
  func seeds(name: SceneName) throws {
    let (first, again, other) = try (
      smallScene(name).tracks(), smallScene(name).tracks(), smallScene(name, seed: 2).tracks()
    )
    #expect(first == again && first != other)
  }

  @Test("a pillar hides people whole", arguments: [1, 2, 3, 4] as [UInt64])
  func pillar(seed: UInt64) throws {
    let tracks = try smallScene(.hiddenWalkers, seed: seed).tracks()
    #expect(tracks.allSatisfy { $0.boxes.contains { $0.visibility == 0 } })
    #expect(tracks.allSatisfy { $0.boxes.count { $0.visibility > 0.9 } > 60 })
  }

  @Test("people who cross hide each other", arguments: [1, 2, 3, 4] as [UInt64])
  func crossing(seed: UInt64) throws {
    let tracks = try smallScene(.crossingWalkers, seed: seed).tracks()
    #expect(tracks.count { $0.boxes.contains { $0.visibility < 0.7 } } >= 2)
  }

  @Test("two meet, go on side by side, and part", arguments: [1, 2, 3, 4] as [UInt64])
  func meeting(seed: UInt64) throws {
    let scene = try smallScene(.meetingWalkers, seed: seed)
    let couple = ["person 1", "person 2"].compactMap { name in scene.tracks().first { $0.object == name } }
    #expect(couple.count == 2)
    /// The distance of the two in heights, in the frames that hold both.
    let distances = couple[0].boxes.compactMap { box -> Double? in
      guard let other = couple[1].boxes.first(where: { $0.frame == box.frame }) else { return nil }
      return Double(abs(2 * (box.x - other.x) + box.width - other.width)) / 2 / Double(box.height)
    }
    #expect(distances.count { $0 < 0.5 } > 50)
    #expect(distances[0] > 1.5 && distances[distances.count - 1] > 1.5)
  }

  @Test("who stands, stands still", arguments: [1, 2, 3, 4] as [UInt64])
  func standing(seed: UInt64) throws {
    let scene = try smallScene(.standingWalkers, seed: seed)
    let still = scene.tracks().filter { $0.object != "person 4" }.map { track in
      zip(track.boxes, track.boxes.dropFirst()).count { ($0.x, $0.y, $0.width) == ($1.x, $1.y, $1.width) }
    }
    #expect(still.allSatisfy { $0 > 55 }, "\(still)")
    #expect(!scene.events().isEmpty)
  }

  @Test("limbs swing while somebody walks")
  func limbs() throws {
    let scene = try smallScene(.crossingWalkers)
    let boxes = try #require(scene.tracks().first).boxes.filter { $0.x > 0 && $0.x + $0.width < scene.size.width }
    let widths = boxes.map(\.width)
    #expect(try #require(widths.max()) > (try #require(widths.min())) * 4 / 3)
  }

  @Test("the text of MOT Challenge counts from 1")
  func motText() throws {
    let truth = SceneTruth(try smallScene(.crossingWalkers, frameCount: 120))
    let tracks = try #require(truth.tracks)
    let lines = try #require(truth.motText).split(separator: "\n")
    #expect(lines.count == tracks.reduce(0) { $0 + $1.boxes.count })
    let first = try #require(
      tracks.flatMap { track in track.boxes.map { (track.identity, $0) } }
        .min { ($0.1.frame, $0.0) < ($1.1.frame, $1.0) })
    let (identity, box) = first
    #expect(
      lines[0].hasPrefix(
        "\(box.frame + 1),\(identity),\(box.x + 1),\(box.y + 1),\(box.width),\(box.height),1,1,"))
    let json = try JSONDecoder().decode(SceneTruth.self, from: truth.json())
    #expect(json.tracks == tracks)
    let other = SceneTruth(try smallScene(.walkers, frameCount: 30))
    #expect(other.tracks == nil && other.motText == nil)
  }
}
