import Testing

@testable import Rheo

@Suite struct TripLineDetectionTests {
  /// A line from the lower edge up, at x = 160.
  private static let gate = TripLine(name: "gate", from: [0.5, 1], to: [0.5, 0])

  private func detect(_ scene: WatchedScene, _ line: TripLine = gate) throws -> Detection.Report {
    try scene.detect(try ZoneSet([], tripLines: [line]), frames: 150)
  }

  /// Walks 2 pixels a frame through x = 160 at frame 100; the middle of the thing.
  private func walker(_ speed: Double) -> WatchedScene {
    WatchedScene { t in t < 60 ? nil : (x: 154 + speed * Double(t - 100), y: 90) }
  }

  @Test(arguments: [(2.0, LineCrossing.Direction.leftToRight), (-2, .rightToLeft)])
  func aWalkerIsCountedOnceInTheirDirection(speed: Double, direction: LineCrossing.Direction) throws {
    let report = try detect(walker(speed))
    #expect(report.crossings.map(\.crossing) == [LineCrossing(line: "gate", direction: direction)])
    let crossing = try #require(report.crossings.first)
    // The front arrives 3 frames before the middle; the other side is reached half a cell behind the line.
    #expect((92...106).contains(crossing.timestamp.frame), "\(crossing.timestamp.frame)")
    #expect(report.events.map(\.zones) == [["gate"]])
    #expect(report.events.first?.start.frame == crossing.timestamp.frame)
  }

  @Test func aCrossingThatIsNotAskedForIsNoEvent() throws {
    var line = Self.gate
    line.direction = .rightToLeft
    let report = try detect(walker(2), line)
    #expect(report.crossings.isEmpty && report.events.isEmpty)
  }

  @Test func whoWalksBesideTheLineOrTurnsBackIsNoEvent() throws {
    let beside = WatchedScene { t in t < 60 ? nil : (x: 170, y: 150 - 1.5 * Double(t - 60)) }
    let back = WatchedScene { t in t < 60 ? nil : (x: 130 - abs(2 * Double(t - 100)), y: 90) }
    for scene in [beside, back] {
      // It is seen: without the line it is an event.
      #expect(try scene.detect(.everywhere, frames: 150).events.count == 1)
      let report = try detect(scene)
      #expect(report.crossings.isEmpty && report.events.isEmpty, "\(report.crossings)")
    }
  }

  @Test func whatWavesOnTheLineIsNoEvent() throws {
    let scene = WatchedScene { t in
      let turn = Double(t) / 10
      return (x: 149 + 10 * abs(turn - (turn / 2).rounded() * 2), y: 90)
    }
    let report = try detect(scene)
    #expect(report.crossings.isEmpty && report.events.isEmpty, "\(report.crossings)")
  }

  @Test func oneWhoComesAndGoesIsCountedTwice() throws {
    let scene = WatchedScene { t in
      t < 60 ? nil : (x: t < 105 ? 104 + 2 * Double(t - 60) : 194 - 2 * Double(t - 105), y: 90)
    }
    let directions = try detect(scene).crossings.map(\.crossing.direction)
    #expect(directions == [.leftToRight, .rightToLeft])
  }

  @Test func statisticsKeepCrossings() throws {
    let zones = try ZoneSet([], tripLines: [Self.gate])
    let report = try walker(2).detect(zones, frames: 150)
    let read = try DetectionStatistics(text: try DetectionStatistics(report, zones: zones).text())
    #expect(read.zones == zones && read.frames == report.statistics)
    #expect(try read.detect(EventParameters()).crossings == report.crossings)
  }
}

@Suite struct SceneZoneTests {
  /// The scene moves left by a pixel a frame from frame 30 on; someone walks in it from frame 60 on.
  private static let scene = WatchedScene(
    position: { t in t < 60 ? nil : (x: 100 + 1.6 * Double(t - 60), y: 90) }, camera: { t in max(0, min(t, 130) - 30) })

  private func detect(_ anchor: Zone.Anchor) throws -> Detection.Report {
    // In the first image the zone is at x = 180…260: there the walker is from frame 102 to the end.
    let zone = Zone(
      name: "door", units: .pixels, polygon: [[180, 60], [260, 60], [260, 150], [180, 150]], anchor: anchor)
    return try Self.scene.detect(try ZoneSet([zone]), frames: 150)
  }

  @Test func aZoneOfTheSceneGoesWithTheCamera() throws {
    let report = try detect(.scene)
    #expect(report.events.count == 1, "\(report.events.map { [$0.start.frame, $0.end.frame] })")
    let event = try #require(report.events.first)
    // The walker's front is 12 pixels ahead.
    #expect((93...106).contains(event.start.frame), "\(event.start.frame)")
    // Where the walker is seen then: 180 in the scene, less what the camera has turned.
    #expect(event.boxes.contains { abs($0.box.x - (180 - ($0.frame - 30))) < 16 })
    #expect(report.suppressed.contains { $0.reason == .camera })
    // In the image the walker does not get that far.
    #expect(try detect(.image).events.isEmpty)
  }

  @Test func privacyIsAnchoredToTheImage() {
    let zone = Zone(name: "a", mode: .privacy, polygon: [[0, 0], [1, 0], [1, 1]], anchor: .scene)
    #expect(throws: MotionDetectionError.self) { try ZoneSet([zone]) }
  }
}
