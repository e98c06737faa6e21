import Foundation
import Imaging
import Testing

@testable import SceneSynthesis

@Suite("The scenes that try the detection of motion")
struct DetectionSceneTests {
  /// The scene without its objects.
  private static func empty(_ scene: Scene) -> Scene {
    var scene = scene
    scene.composition.objects = []
    return scene
  }

  /// The pixels that differ by more than a limit.
  private static func changed(_ a: Plane<Float>, _ b: Plane<Float>, limit: Float = 0) -> [(x: Int, y: Int)] {
    (0..<a.size.area).map { ($0 % a.width, $0 / a.width) }.filter { abs(a[$0.0, $0.1] - b[$0.0, $0.1]) > limit }
  }

  @Test("the same seed gives the same bytes, another one another disturbance", arguments: SceneName.disturbed)
  func seeds(name: SceneName) throws {
    func scene(_ seed: UInt64) throws -> Scene { try smallScene(name, noiseSigma: 0, seed: seed) }
    let (first, again, other) = try (scene(1), scene(1), scene(2))
    for t in [0, 101, 249] { #expect(first.frame(t) == again.frame(t)) }
    // The light of cars is away at times.
    func mask(_ scene: Scene) -> [[Int]] {
      Self.changed(scene.luma(50), scene.luma(54), limit: 2).map { [$0.x, $0.y] }
    }
    let (masks, others) = (mask(first), mask(other))
    #expect(!masks.isEmpty && masks != others)
  }

  @Test("somebody passes late, and is one event", arguments: SceneName.disturbed)
  func passerBy(name: SceneName) throws {
    let scene = try smallScene(name)
    let events = scene.events()
    #expect(scene.presence() == events)
    let event = try #require(events.first)
    #expect(events.count == 1 && event.object == "passer-by")
    #expect(event.frames.lowerBound >= Composition.entry && event.frames.upperBound < scene.frameCount)
    #expect(event.frames.count > 60)
    #expect(Self.empty(scene).luma(100) == scene.luma(100))
  }

  private static let scenesInLuma = SceneName.forDetection.filter { $0 != .equalLuma }

  @Test("what differs from the empty scene lies in the box, and fills it", arguments: scenesInLuma)
  func boxes(name: SceneName) throws {
    let scene = try smallScene(name, noiseSigma: 0)
    let event = try #require(scene.presence().first)
    for box in [event.boxes[event.boxes.count / 4], event.boxes[event.boxes.count / 2]] {
      let (full, empty) = (scene.luma(box.frame), Self.empty(scene).luma(box.frame))
      let (columns, rows) = (box.x..<box.x + box.width, box.y..<box.y + box.height)
      let pixels = Self.changed(full, empty)
      // The soft edge is 0.75 px wide outside of the outline.
      #expect(pixels.allSatisfy { columns.contains($0.x, within: 1) && rows.contains($0.y, within: 1) })
      let (xs, ys) = (Set(pixels.map(\.x)), Set(pixels.map(\.y)))
      #expect(columns.allSatisfy(xs.contains) && rows.allSatisfy(ys.contains))
    }
  }

  @Test("of equal luma, only the colours tell somebody from the ground")
  func equalLuma() throws {
    let scene = try smallScene(.equalLuma, noiseSigma: 0)
    let box = try #require(scene.events().first.map { $0.boxes[$0.boxes.count / 2] })
    let empty = Self.empty(scene)
    #expect(Self.changed(scene.luma(box.frame), empty.luma(box.frame), limit: 1e-3).isEmpty)
    let (colors, ground) = (scene.frame(box.frame), empty.frame(box.frame))
    var (inside, outside) = (0, 0)
    for y in 0..<colors.height {
      for x in 0..<colors.width where abs(Int(colors[x, y].r) - Int(ground[x, y].r)) > 20 {
        let isInside =
          (box.x..<box.x + box.width).contains(x, within: 1) && (box.y..<box.y + box.height).contains(y, within: 1)
        if isInside { inside += 1 } else { outside += 1 }
      }
    }
    #expect(inside > box.width * box.height / 2 && outside == 0)
  }

  @Test("a standing visitor is present all the time, and moves now and then")
  func standingVisitor() throws {
    let scene = try smallScene(.standingVisitor)
    let (events, presence) = (scene.events(), scene.presence())
    let visit = try #require(presence.first)
    #expect(presence.count == 1 && visit.boxes.map(\.frame) == Array(visit.frames))
    #expect(visit.frames.lowerBound > 30 && visit.frames.upperBound < scene.frameCount - 20)
    // It comes, shifts its weight six times, and leaves.
    #expect(events.count == 8)
    #expect(events.first?.frames.lowerBound == visit.frames.lowerBound)
    #expect(events.last?.frames.upperBound == visit.frames.upperBound)
    #expect(
      events.dropFirst().dropLast().allSatisfy { (95..<295).contains($0.frames.lowerBound) && $0.frames.count < 14 })
  }

  @Test("more snow changes more of the image")
  func snow() throws {
    let counts = try [SceneName.snowLight, .snowMedium, .snowHeavy].map { name in
      let scene = try smallScene(name, noiseSigma: 0)
      return Self.changed(scene.luma(40), scene.luma(41), limit: 5).count
    }
    #expect(counts[0] > 0 && counts[1] > 2 * counts[0] && counts[2] > 2 * counts[1], "\(counts)")
  }

  @Test("the slow camera has two frames a second")
  func slowCamera() throws {
    let scene = try Scene(SceneParameters(name: .slowCamera))
    #expect(scene.presentationTime(3).seconds == 1.5)
    let event = try #require(scene.events().first)
    #expect((10...14).contains(event.frames.count) && event.frames.lowerBound == 17)
  }
}

extension Range<Int> {
  fileprivate func contains(_ value: Int, within margin: Int) -> Bool {
    value >= lowerBound - margin && value < upperBound + margin
  }
}
