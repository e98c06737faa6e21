import Foundation
import Imaging
import Testing

@testable import SceneSynthesis

@Suite("The events of a scene")
struct SceneEventTests {
  @Test("boxes hold exactly the pixels of the object", arguments: [.walkers, .objectsPan] as [SceneName])
  func boxesMatchLayers(name: SceneName) throws {
    let scene = try smallScene(name)
    let events = scene.events()
    #expect(!events.isEmpty)
    for t in stride(from: 0, to: scene.frameCount, by: 9) {
      let layers = scene.layers(t)
      for (index, object) in scene.objectNames.enumerated() {
        let box = events.filter { $0.object == object }.flatMap(\.boxes).first { $0.frame == t }
        let seen = Self.box(of: UInt8(index + 1), in: layers)
        if let box {
          #expect(seen?.x == box.x && seen?.y == box.y && seen?.width == box.width && seen?.height == box.height)
        } else {
          // Out of the image, or standing still: the parked cart, and the third walker's rest.
          #expect(seen == nil || object == "cart" || (object == "third" && 160..<178 ~= t))
        }
      }
    }
  }

  private static func box(of layer: UInt8, in layers: Plane<UInt8>) -> (x: Int, y: Int, width: Int, height: Int)? {
    let pixels = (0..<layers.size.area).map { ($0 % layers.width, $0 / layers.width) }
      .filter { layers[$0.0, $0.1] == layer }
    guard let left = pixels.map(\.0).min(), let right = pixels.map(\.0).max(), let top = pixels.map(\.1).min(),
      let bottom = pixels.map(\.1).max()
    else { return nil }
    return (left, top, right - left + 1, bottom - top + 1)
  }

  @Test("walkers come and go, and one stops")
  func walkers() throws {
    let scene = try Scene(SceneParameters(name: .walkers))
    let events = scene.events()
    #expect(events.map(\.object) == ["first", "second", "third", "third"])
    #expect(events.map(\.frames) == [21...91, 126...205, 136...159, 178...221])
    #expect(events.allSatisfy { $0.boxes.map(\.frame) == Array($0.frames) })
  }

  @Test("a camera's motion alone is no event", arguments: [.pan, .zoom, .rotation, .perspective] as [SceneName])
  func cameraIsNoEvent(name: SceneName) throws {
    #expect(try smallScene(name, frameCount: 20).events().isEmpty)
  }

  @Test("the summary survives JSON")
  func json() throws {
    let scene = try smallScene(.walkers, frameCount: 60)
    let truth = SceneTruth(scene)
    let data = try truth.json()
    #expect(try JSONDecoder().decode(SceneTruth.self, from: data) == truth)
    #expect(truth.frames.count == 60)
    #expect(truth.frames.last?.homography == nil)
    #expect(truth.frames.first?.homography == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(truth.events.first?.start.frame == scene.events().first?.frames.lowerBound)
    #expect(truth.events.first?.boxes.count == scene.events().first?.boxes.count)
    #expect(truth.parameters.frameRate == "25/1")
  }
}
