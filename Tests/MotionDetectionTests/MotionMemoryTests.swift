import Imaging
import TestSupport
import Testing

@testable import MotionDetection

/// An image in which a textured square moves over another texture, with its exact flow.
private struct MovingSquare {
  static let size = PixelSize(width: 160, height: 96)
  static let side = 20.0
  private static let ground = Texture(seed: 3)
  private static let cover = Texture(seed: 8)
  /// The position of the square's corner in each frame.
  var positions: [(x: Double, y: Double)]
  /// Gain of each frame.
  var gain: (Int) -> Float = { _ in 1 }

  private func isCovered(_ x: Double, _ y: Double, _ t: Int) -> Bool {
    let (dx, dy) = (x - positions[t].x, y - positions[t].y)
    return dx >= 0 && dy >= 0 && dx < Self.side && dy < Self.side
  }

  func image(_ t: Int) -> Plane<Float> {
    Plane(width: Self.size.width, height: Self.size.height) { x, y in
      let (x, y) = (Double(x), Double(y))
      let value =
        isCovered(x, y, t) ? Self.cover.value(x - positions[t].x, y - positions[t].y) : Self.ground.value(x, y)
      return value * gain(t)
    }
  }

  func flow(_ t: Int) -> FlowField {
    let (u, v) = (positions[t + 1].x - positions[t].x, positions[t + 1].y - positions[t].y)
    return FlowField(width: Self.size.width, height: Self.size.height) { x, y in
      isCovered(Double(x), Double(y), t) ? (Float(u), Float(v)) : (0, 0)
    }
  }

  /// The observations of memory for each pair, at 25 frames a second.
  func observations() -> [MotionObservation] {
    var analyzer = PairByPair(size: Self.size)
    let images = positions.indices.map(image)
    return positions.indices.dropLast().map { t in
      analyzer.observe(previous: images[t], current: images[t + 1], flow: flow(t), seconds: Double(t + 1) / 25)
    }
  }
}

/// Evidence and memory of a sequence whose flow is known.
private struct PairByPair {
  private var comparer: CellComparer
  var memory: MotionMemory

  init(size: PixelSize) {
    comparer = CellComparer(grid: CellGrid(size: size))
    memory = MotionMemory(grid: CellGrid(size: size))
    memory.start(seconds: 0)
  }

  mutating func observe(
    previous: Plane<Float>, current: Plane<Float>, flow: FlowField, seconds: Double
  ) -> MotionObservation {
    let differences = comparer.differences(previous: previous, current: current)
    let floor = memory.noiseFloor ?? NoiseFloor(first: differences)
    let evidence = comparer.evidence(
      of: comparer.candidates(in: differences, floor), in: differences, floor, previous: previous, current: current,
      along: flow)
    return memory.advance(evidence, seconds: seconds)
  }
}

@Suite struct MotionMemoryTests {
  /// Forty frames from (20, 30) on.
  private func line(vx: Double, vy: Double) -> [(x: Double, y: Double)] {
    (0..<40).map { frame in
      let time = Double(frame)
      return (x: 20 + vx * time, y: 30 + vy * time)
    }
  }

  @Test func whatTravelsIsFoundWithItsMotion() throws {
    let scene = MovingSquare(positions: line(vx: 1.5, vy: 0.5))
    let last = try #require(scene.observations().last)
    #expect(last.movingCells.count >= 16, "\(last.movingCells.count) cells of 25")
    let count = Float(last.movingCells.count)
    // Points near the border may have rested for a moment.
    let mean = (last.movingCells.map(\.u).reduce(0, +) / count, last.movingCells.map(\.v).reduce(0, +) / count)
    #expect(abs(mean.0 - 1.5) < 0.1 && abs(mean.1 - 0.5) < 0.05, "\(mean)")
    for movingCell in last.movingCells {
      let (x, y) = (Double(movingCell.cell % last.grid.columns * 4), Double(movingCell.cell / last.grid.columns * 4))
      // The points ride on the square, which ends at (78.5, 49.5); a window of three cells may look over its border.
      #expect((70...104).contains(x) && (41...75).contains(y), "\(x) \(y)")
    }
  }

  @Test func whatStandsStillIsNothing() {
    let observations = MovingSquare(positions: Array(repeating: (x: 40, y: 40), count: 20)).observations()
    #expect(observations.allSatisfy { $0.movingCells.isEmpty && !$0.motionMask.contains(true) && $0.lightShare == 0 })
  }

  @Test func whatSwaysDoesNotTravel() {
    // Four pixels there and four back, a cycle of 16 frames.
    let oscillation = [0.0, 1, 2, 3, 4, 4, 4, 4, 3, 2, 1, 0, 0, 0, 0, 0]
    let scene = MovingSquare(positions: (0..<100).map { t in (x: 60 + oscillation[t % 16], y: 40) })
    let observations = scene.observations()
    #expect(observations.contains { $0.motionMask.contains(true) })
    #expect(observations.allSatisfy { $0.movingCells.isEmpty })
  }

  @Test func lightIsSeenAndIsNoMotion() throws {
    var scene = MovingSquare(positions: Array(repeating: (x: 60, y: 40), count: 40))
    scene.gain = { t in
      let share: Float = min(max(Float(t) - 10, 0) / 10, 1)
      return 1 - 0.4 * share
    }
    let observations = scene.observations()
    #expect(observations.allSatisfy { $0.movingCells.isEmpty && !$0.motionMask.contains(true) })
    #expect(observations[..<9].allSatisfy { $0.lightShare < 0.05 })
    #expect(observations[16].lightShare > 0.9, "\(observations[16].lightShare)")
    #expect(try #require(observations.last).lightShare < 0.05)
  }

  @Test func motionIsSeenWhileTheLightChanges() throws {
    var scene = MovingSquare(positions: line(vx: 1.5, vy: 0))
    scene.gain = { t in t % 2 == 0 ? 1 : 0.8 }
    let last = try #require(scene.observations().last)
    #expect(last.movingCells.count >= 12, "\(last.movingCells.count)")
  }

  @Test func aRestartForgetsWhatTravelled() {
    let scene = MovingSquare(positions: line(vx: 1.5, vy: 0))
    var analyzer = PairByPair(size: MovingSquare.size)
    func observe(_ t: Int) -> MotionObservation {
      analyzer.observe(
        previous: scene.image(t), current: scene.image(t + 1), flow: scene.flow(t), seconds: Double(t + 1) / 25)
    }
    for t in 0..<37 { _ = observe(t) }
    #expect(!observe(37).movingCells.isEmpty)
    analyzer.memory.restart(newScene: true)
    analyzer.memory.start(seconds: 38 / 25)
    let after = observe(38)
    #expect(after.movingCells.isEmpty)
  }

  @Test(arguments: [(1, 1), (3, 200), (5, 7), (17, 4)])
  func smallImagesAreNoFailure(width: Int, height: Int) {
    let image = Texture().image(width: width, height: height)
    var analyzer = PairByPair(size: image.size)
    let observation = analyzer.observe(
      previous: image, current: image, flow: FlowField(size: image.size), seconds: 0.04)
    #expect(observation.movingCells.isEmpty)
    #expect(observation.motionMask.count == (width / 4) * (height / 4))
  }

  @Test func aMovedImageOpensTheGateAndAPartDoesNot() {
    let image = Texture(seed: 2).image(width: 160, height: 96)
    let whole = FlowField(width: 160, height: 96) { _, _ in (0.5, 0.2) }
    let part = FlowField(width: 160, height: 96) { x, _ in x < 60 ? (2, 0) : (0, 0) }
    #expect(GlobalMotionGate.isRaised(by: whole, on: image))
    #expect(!GlobalMotionGate.isRaised(by: part, on: image))
    #expect(!GlobalMotionGate.isRaised(by: whole, on: Plane(size: image.size, repeating: 90)))
  }
}
