import Imaging
import Registration
import TestSupport
import Testing

@testable import MotionDetection

/// What moves by a twentieth of a pixel a frame is found in means of eight frames, while the camera stands.
@Suite struct TemporalAverageTests {
  private static let size = PixelSize(width: 160, height: 96)

  /// Returns how many cells something slow travels through at last.
  /// - Parameter speed: The speed of the camera, in pixels a frame.
  private static func slowCells(cameraSpeed speed: Double) -> Int {
    let (ground, cover) = (Texture(seed: 3), Texture(seed: 8))
    let analyzer = TemporalAverageAnalyzer(
      frames: TemporalAverageAnalyzer.slowFrames, size: size, parallelism: .serial)
    analyzer.restart(newScene: true)
    let nothing = MotionObservation(grid: CellGrid(size: size))
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
        nothing, image: image, camera: speed == 0 ? nil : .translation(x: -speed, y: 0), seconds: Double(t) / 25)
    }
    return last.movingCells.count
  }

  @Test(arguments: [0, 0.3]) func whatIsSlowIsFound(cameraSpeed: Double) {
    #expect(Self.slowCells(cameraSpeed: cameraSpeed) >= 3)
  }

  @Test func whileTheCameraPansNothingSlowIsBelieved() { #expect(Self.slowCells(cameraSpeed: 0.5) == 0) }
}
