import FlowKernelTypes
import FlowKernels
import Foundation
import Imaging
import TestSupport
import Testing

@testable import OpticalFlow

@Suite struct PlaneFitTests {
  private static let size = PixelSize(width: 320, height: 240)
  private static let motions = [
    Homography.identity, .translation(x: 7.5, y: -3.25),
    Homography([1.02, -0.03, 2, 0.03, 1.02, -5, 0, 0, 1]),
    PlaneScene.ground, PlaneScene.groundMotion(rate: -0.0009, turn: -11),
  ]

  /// Cells of a level with the motion of a homography and trusted vectors.
  private struct Samples {
    let cells: FlowCells
    private let memory = GridMemory()

    init(_ motion: Homography, noise: Float = 0, using random: inout FixedRandom) {
      cells = FlowCells(size: size, memory: memory)
      for cell in 0..<cells.count {
        let (x, y) = (cell % cells.columns * cells.side, cell / cells.columns * cells.side)
        let target = motion.apply(x: Double(x), y: Double(y))
        (cells.x[cell], cells.y[cell], cells.level[cell]) = (Float(x), Float(y), 100)
        cells.u[cell] = Float(target.x - Double(x)) + noise * Self.normal(using: &random)
        cells.v[cell] = Float(target.y - Double(y)) + noise * Self.normal(using: &random)
        cells.squaredTolerance[cell] = 0.0625
      }
    }

    /// Replaces vectors.
    func disturb(_ isChosen: (Int) -> Bool, _ vector: (Int) -> (Float, Float)) {
      for cell in 0..<cells.count where isChosen(cell) {
        (cells.u[cell], cells.v[cell]) = vector(cell)
      }
    }

    /// About normal, with a deviation of 1: the sum of twelve.
    private static func normal(using random: inout FixedRandom) -> Float {
      (0..<12).reduce(-6) { sum, _ in sum + Float.random(in: 0..<1, using: &random) }
    }
  }

  /// The longest distance between the flow of a plane and that of a homography, over the level.
  private func distance(_ plane: PlanarMotion, _ motion: Homography) -> Double {
    let n = plane.numbers.map(Double.init)
    let plane =
      Homography.translation(x: n[8], y: n[9]) * Homography([n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], 1])
      * .translation(x: -n[8], y: -n[9])
    var longest = 0.0
    for y in stride(from: 0.0, through: 240, by: 24) {
      for x in stride(from: 0.0, through: 320, by: 32) {
        let (a, b) = (plane.apply(x: x, y: y), motion.apply(x: x, y: y))
        longest = max(longest, hypot(a.x - b.x, a.y - b.y))
      }
    }
    return longest
  }

  @Test(arguments: motions)
  func exactSamplesGiveTheirHomography(motion: Homography) throws {
    var random = FixedRandom(seed: 110)
    let samples = Samples(motion, using: &random)
    let fit = PlaneFit(capacity: 1024)
    fit.add(stride(from: 0, to: samples.cells.count, by: 2), of: samples.cells)
    let plane = try #require(fit.solve(minimumCount: 8))
    // What keeps a plane parallel to the image where samples do not tell bends it a little.
    #expect(distance(plane, motion) < 0.05)
    #expect(fit.count == 0)
  }

  @Test(arguments: motions)
  func scatteredOutliersMoveAPlaneLittle(motion: Homography) throws {
    for seed in UInt64(1)...5 {
      var random = FixedRandom(seed: seed)
      let samples = Samples(motion, noise: 0.1, using: &random)
      let cells = samples.cells
      samples.disturb({ _ in Float.random(in: 0..<1, using: &random) < 0.3 }) {
        (
          cells.u[$0] + Float.random(in: -10...10, using: &random),
          cells.v[$0] + Float.random(in: -10...10, using: &random)
        )
      }
      let fit = PlaneFit(capacity: 1024)
      fit.add(stride(from: 0, to: cells.count, by: 2), of: cells)
      let plane = try #require(fit.solve(minimumCount: 8))
      #expect(distance(plane, motion) < 0.2)
    }
  }

  @Test func whatDoesNotMoveGivesExactlyTheIdentity() throws {
    var random = FixedRandom(seed: 113)
    let samples = Samples(.identity, using: &random)
    let fit = PlaneFit(capacity: 1024)
    for range in [0..<64, 300..<1000, 5..<1024] {
      fit.add(range, of: samples.cells)
      let plane = try #require(fit.solve(minimumCount: 8))
      #expect(Array(plane.numbers.prefix(8)) == [1, 0, 0, 0, 1, 0, 0, 0])
    }
    // And what moves after it moves.
    samples.disturb({ _ in true }) { _ in (0.25, 0) }
    fit.add(0..<512, of: samples.cells)
    let plane = try #require(fit.solve(minimumCount: 8))
    #expect(distance(plane, .translation(x: 0.25, y: 0)) < 0.01)
  }

  /// A third of the cells moves otherwise, as one.
  @Test(arguments: motions)
  func twoPlanesAreToldApart(motion: Homography) {
    for seed in UInt64(1)...5 {
      var random = FixedRandom(seed: seed)
      let samples = Samples(motion, noise: 0.05, using: &random)
      let cells = samples.cells
      let border = cells.columns * 7 / 10
      samples.disturb({ $0 % cells.columns >= border }) { (cells.u[$0] - 4, cells.v[$0] + 6) }
      let other = Homography.translation(x: -4, y: 6) * motion
      let detection = PlaneDetection()
      detection.find(in: cells, size: Self.size, limit: 8)
      #expect(detection.planes.count == 2)
      guard detection.planes.count >= 2 else { continue }
      #expect(distance(detection.planes[0], motion) < 0.1 && distance(detection.planes[1], other) < 0.3)
      let right = (0..<cells.count).count { detection.labels[$0] == ($0 % cells.columns >= border ? 1 : 0) }
      #expect(Double(right) > 0.97 * Double(cells.count), "\(right) of \(cells.count)")
    }
  }

  @Test(arguments: motions)
  func aPlaneIsFoundAmongOutliers(motion: Homography) throws {
    for seed in UInt64(1)...5 {
      var random = FixedRandom(seed: seed)
      let samples = Samples(motion, noise: 0.05, using: &random)
      samples.disturb({ _ in Float.random(in: 0..<1, using: &random) < 0.3 }) { _ in
        (Float.random(in: -40...40, using: &random), Float.random(in: -40...40, using: &random))
      }
      let detection = PlaneDetection()
      detection.find(in: samples.cells, size: Self.size, limit: 8)
      let plane = try #require(detection.planes.first)
      #expect(detection.planes.count == 1 && distance(plane, motion) < 0.1)
    }
  }

  /// A line's samples leave one direction of the plane open.
  @Test func samplesOnALineGiveNoPlane() {
    var random = FixedRandom(seed: 111)
    for noise in [Float(0), 0.1] {
      for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 3), (3, -2), (5, 7)] {
        for motion in Self.motions {
          let samples = Samples(motion, noise: noise, using: &random)
          let cells = samples.cells
          for (startX, startY) in [(0, 0), (20, 30), (3, cells.rows - 1), (cells.columns - 1, 4)] {
            var line: [Int] = []
            var (x, y) = (startX, startY)
            while x >= 0 && y >= 0 && x < cells.columns && y < cells.rows {
              line.append(y * cells.columns + x)
              (x, y) = (x + dx, y + dy)
            }
            guard line.count >= 8 else { continue }
            let fit = PlaneFit(capacity: 1024)
            fit.add(line, of: cells)
            #expect(fit.solve(minimumCount: 8) == nil, "\(line.count) along \(dx), \(dy), noise \(noise)")
            #expect(fit.count == 0)
          }
        }
      }
    }
  }

  @Test func fewSamplesOrEqualOnesGiveNoPlane() {
    var random = FixedRandom(seed: 112)
    let samples = Samples(.identity, using: &random)
    let fit = PlaneFit(capacity: 32)
    fit.add(0..<7, of: samples.cells)
    #expect(fit.solve(minimumCount: 8) == nil)
    fit.add([Int](repeating: 77, count: 20), of: samples.cells)
    #expect(fit.solve(minimumCount: 8) == nil)
    // What is not trusted does not count, nor what exceeds the capacity.
    for cell in 0..<100 { samples.cells.squaredTolerance[cell] = -1 }
    fit.add(0..<100, of: samples.cells)
    #expect(fit.count == 0)
    fit.add(0..<samples.cells.count, of: samples.cells)
    #expect(fit.count == 32)
  }

  @Test func aScaledPlaneMovesScaledPointsAlike() {
    let plane = PlanarMotion(numbers: [1.1, 0.02, -3.5, 0.01, 1.2, 4.25, 0.0007, 0.004, 33, 21])
    let scaled = plane.scaled(by: 2)
    func flow(_ plane: PlanarMotion, _ x: Int, _ y: Int) -> (u: [Float], v: [Float]) {
      let rows = ScratchRows(count: 2, width: 16)
      KernelTable.current.planes.planeFlowRow(
        plane.numbers, x, y, 1e6, MutableFlowRow(u: rows.row(0), v: rows.row(1)), 16)
      return ((0..<16).map { rows.row(0)[$0] }, (0..<16).map { rows.row(1)[$0] })
    }
    let (small, large) = (flow(plane, 20, 15), flow(scaled, 40, 30))
    for k in 0..<8 {
      #expect(abs(large.u[2 * k] - 2 * small.u[k]) < 1e-3 && abs(large.v[2 * k] - 2 * small.v[k]) < 1e-3)
    }
  }
}
