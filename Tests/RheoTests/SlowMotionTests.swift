import Testing

@testable import Rheo

@Suite struct SlowMotionTests {
  private func events(
    _ thing: PixelSize, frames: Int = 300, _ position: @escaping @Sendable (Int) -> (x: Double, y: Double)?
  ) throws -> [MotionEvent] {
    try WatchedScene(thing: thing, position: position).detect(.everywhere, frames: frames).events
  }

  /// Slower than 0.15 pixels a frame, from which on motion from frame to frame counts.
  @Test(arguments: [0.05, 0.08, 0.12])
  func whatCreepsIsAnEvent(speed: Double) throws {
    let found = try events(PixelSize(width: 12, height: 24)) { t in
      (x: 100 + speed * Double(max(t - 50, 0)), y: 90)
    }
    #expect(found.count == 1, "\(found.map { [$0.start.frame, $0.end.frame] })")
    let event = try #require(found.first)
    // Four pixels must be covered, and the way is known up to 64 frames back.
    #expect((42...200).contains(event.start.frame) && event.end.frame >= 290, "\(event.start) \(event.end)")
    #expect(event.u > 0.5 * speed && event.u < 1.5 * speed && abs(event.v) < 0.3 * speed, "\(event.u) \(event.v)")
    // The thing is 12 pixels wide, and cells around it may take its flow.
    for box in event.boxes {
      #expect(box.box.x >= 80 && box.box.x + box.box.width <= 170, "\(box)")
    }
  }

  @Test func whatIsSmallAndSlowIsAnEvent() throws {
    let found = try events(PixelSize(width: 5, height: 5)) { t in
      t < 50 ? nil : (x: 100 + 0.12 * Double(t - 50), y: 90 - 0.04 * Double(t - 50))
    }
    let event = try #require(found.first)
    #expect(event.start.frame >= 42 && event.u > 0 && event.v < 0, "\(event.start) \(event.u) \(event.v)")
  }

  /// An object of a few pixels on textured ground is found, at most positions. What flits by, as moths do, 17 times as
  /// far as it is large in a second, must be seen for longer than three pixels always are.
  @Test(arguments: [(3, 1.0, 9), (3, 2.0, 6), (4, 1.0, 9), (4, 2.0, 9), (6, 1.0, 10)])
  func whatIsTinyIsAnEvent(side: Int, speed: Double, minimum: Int) throws {
    var found = 0
    for index in 0..<10 {
      let (left, top) = (30 + 17.3 * Double(index), 20 + 13.1 * Double(index))
      let events = try events(PixelSize(width: side, height: side), frames: 140) { t in
        t < 60 ? nil : (x: left + 0.9 * speed * Double(t - 60), y: top + 0.3 * speed * Double(t - 60))
      }
      if events.contains(where: { $0.start.frame >= 55 && $0.u > 0.3 * speed }) { found += 1 }
      #expect(events.allSatisfy { $0.start.frame >= 55 })
    }
    #expect(found >= minimum, "\(found) of 10")
  }

  /// The image passes by a pixel a frame, over a ground so smooth that a change of light would nearly explain it.
  @Test func whatWalksIsFoundWhereItIsThoughTheCameraTurns() throws {
    @Sendable func thing(_ t: Int) -> Double { 200 + 0.4 * Double(t) }
    let scene = WatchedScene(position: { (x: thing($0), y: 90) }, camera: { $0 })
    let detection = SerialDetection(Detection(input: "scene"), size: WatchedScene.size, analyzedSize: WatchedScene.size)
    var distances: [Double] = []
    for t in 0..<220 {
      let time = MediaTime(value: Int64(t), timeBase: Rational(1, 25))
      let frame = detection.statistics(AnalyzedFrame(number: t, time: time, image: scene.image(t)))
      guard t > 100 else { continue }
      #expect(frame.state == .cameraMoving, "frame \(t)")
      for box in frame.zones[0].boxes {
        let middle = Double(box.x) + Double(box.width) / 2
        distances.append(middle - (thing(t) + 6 - Double(t)))
        // Half of it, and a cell.
        #expect(abs(distances[distances.count - 1]) < 6 + 4, "frame \(t): \(box)")
      }
    }
    let mean = distances.reduce(0, +) / Double(max(distances.count, 1))
    #expect(abs(mean) < 4, "a cell: \(mean)")
    #expect(distances.count > 60, "\(distances.count)")
  }

  @Test(arguments: [40, 75, 125])
  func whatSwaysSlowlyIsNoEvent(period: Int) throws {
    let found = try events(PixelSize(width: 24, height: 24), frames: 400) { t in
      let turn = 2 * Double(t) / Double(period)
      return (x: 100 + 3 * abs(turn - (turn / 2).rounded() * 2), y: 90)
    }
    #expect(found.isEmpty, "\(found.map { [$0.start.frame, $0.end.frame] })")
  }

  @Test func whatPassedFastLeavesNothingBehind() throws {
    let found = try events(PixelSize(width: 40, height: 30), frames: 200) { t in
      (40..<80).contains(t) ? (x: -40 + 9 * Double(t - 40), y: 90) : nil
    }
    #expect(found.count == 1, "\(found.map { [$0.start.frame, $0.end.frame] })")
    // It is gone at frame 80. What moved within 0.2 s still moves, and 1.2 s are added to an event.
    #expect(try #require(found.first).end.frame <= 80 + 5 + 30, "\(found[0].end)")
  }
}
