import Foundation
import Imaging
import Registration
import TestSupport
import Testing

@testable import MotionDetection

/// What moves by a twentieth of a pixel a frame is found in means of eight frames, while the camera stands.
@Suite struct TemporalAverageTests {
  private static let size = PixelSize(width: 160, height: 96)

  /// Returns how many cells something slow travels through at last.
  /// - Parameters:
  ///   - speed: The speed of the camera, in pixels a frame.
  ///   - isRestless: Whether the whole image changes in shorter averages.
  private static func slowCells(cameraSpeed speed: Double, isRestless: Bool = false) -> Int {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    let analyzer = TemporalAverageAnalyzer(
      frames: TemporalAverageAnalyzer.slowFrames, size: size, parallelism: .serial)
    analyzer.restart(newScene: true)
    let nothing = MotionObservation(grid: CellGrid(size: size))
    var restless = nothing
    for cell in restless.motionMask.indices { restless.motionMask[cell] = isRestless }
    var last = nothing
    for t in 0..<200 {
      let shift = speed * Double(t)
      let left = 50 + 0.06 * Double(t)
      let image = Plane<Float>(width: size.width, height: size.height) { x, y in
        let (x, y) = (Double(x) + shift, Double(y))
        let isCovered = x >= left && x < left + 24 && y >= 30 && y < 60
        return isCovered ? cover.value(x - left, y) : ground.value(x, y)
      }
      last = analyzer.complete(
        nothing, restless: restless, image: image, camera: speed == 0 ? nil : .translation(x: -speed, y: 0),
        seconds: Double(t) / 25)
    }
    return last.movingCells.count
  }

  @Test(arguments: [0, 0.3]) func whatIsSlowIsFound(cameraSpeed: Double) {
    #expect(Self.slowCells(cameraSpeed: cameraSpeed) >= 3)
  }

  @Test func whileTheCameraPansNothingSlowIsBelieved() { #expect(Self.slowCells(cameraSpeed: 0.5) == 0) }

  @Test func amongWhatIsRestlessNothingSlowIsBelieved() {
    #expect(Self.slowCells(cameraSpeed: 0, isRestless: true) == 0)
  }

  /// In noise, what sways shows in means alone: so they tell where the background is dynamic.
  @Test func whatChangesInMeansIsTold() {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    let analyzer = TemporalAverageAnalyzer(frames: 2, size: Self.size, parallelism: .serial)
    analyzer.restart(newScene: true)
    let grid = CellGrid(size: Self.size)
    var random = FixedRandom(seed: 5)
    var counts = [Int](repeating: 0, count: grid.count)
    for t in 0..<60 {
      let sway = 3 * sin(Double(t) * 0.7)
      let image = Plane<Float>(width: Self.size.width, height: Self.size.height) { x, y in
        let isFlag = x >= 80 && x < 120 && y >= 32 && y < 64
        let value = isFlag ? cover.value(Double(x) + sway, Double(y)) : ground.value(Double(x), Double(y))
        return value + Float.random(in: -8...8, using: &random)
      }
      let seen = analyzer.complete(
        MotionObservation(grid: grid), image: image, camera: nil, seconds: Double(t) / 25)
      for cell in counts.indices where seen.changedMask[cell] { counts[cell] += 1 }
    }
    // Cells beside the flag see some of it.
    let flag = counts.indices.filter { (19..<31).contains($0 % grid.columns) && (7..<17).contains($0 / grid.columns) }
    let often = counts.indices.filter { counts[$0] > 15 }
    #expect(often.count > 20 && Set(often).isSubset(of: flag), "\(often.count) \(Set(often).subtracting(flag).count)")
  }
}
