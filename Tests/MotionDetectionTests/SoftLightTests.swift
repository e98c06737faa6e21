import Imaging
import TestSupport
import Testing

@testable import MotionDetection

@Suite struct SoftLightTests {
  private static let size = PixelSize(width: 320, height: 180)

  /// A wall in the dark, with the light of a car that wanders over it, and with somebody who walks past it.
  private struct Room {
    /// The light's spread in pixels, what it multiplies the wall with, and the frames in which it comes and goes.
    var light: (spread: Float, gain: Float, frames: ClosedRange<Int>)?
    /// The frames in which somebody walks past.
    var walk: ClosedRange<Int>?
    /// The frames in which a car passes with its headlights on.
    var drive: ClosedRange<Int>?
    /// The share of its brightness that the wall has.
    var brightness: Float = 0.4
    /// The standard deviation of a lens that is out of focus, in pixels.
    var blur = 0.0
    var seed: UInt64 = 3
    var frameCount = 150

    func frames() -> [Plane<Float>] {
      let (wall, coat) = (Texture(seed: seed), Texture(seed: seed + 5))
      let ground = Plane(width: size.width, height: size.height) { x, y in wall.value(Double(x), Double(y)) }
      let body = Plane(width: 24, height: 60) { x, y in 255 - 0.5 * coat.value(Double(x), Double(y)) }
      return (0..<frameCount).map { t in
        let image = Plane(width: size.width, height: size.height) { x, y -> Float in
          let left = 20 + 3 * (t - (walk?.lowerBound ?? 0))
          let isBody = walk?.contains(t) == true && (left..<left + 24).contains(x) && (80..<140).contains(y)
          let value = isBody ? body[x - left, y - 80] : ground[x, y]
          return car(x, y, t, over: brightness * value * (1 + gain(x, y, t)))
        }
        return blur > 0 ? blurred(image) : image
      }
    }

    /// Returns a pixel with a dark car before it, the glare of its headlight, and what that lights.
    private func car(_ x: Int, _ y: Int, _ t: Int, over ground: Float) -> Float {
      guard let drive, drive.contains(t) else { return ground }
      let front = 4 * Float(t - drive.lowerBound)
      func bell(_ left: Float, _ top: Float, _ width: Float, _ height: Float) -> Float {
        let (dx, dy) = ((Float(x) - front - left) / width, (Float(y) - top) / height)
        return 1 / (1 + dx * dx + dy * dy) / (1 + dx * dx + dy * dy)
      }
      let isBody = (front - 70..<front).contains(Float(x)) && (80..<105).contains(y)
      let lit = isBody ? 6 : ground * (1 + 4 * bell(30, 105, 25, 8))
      return min(lit + 260 * bell(0, 92, 9, 9), 255)
    }

    private func gain(_ x: Int, _ y: Int, _ t: Int) -> Float {
      guard let light, light.frames.contains(t) else { return 0 }
      let part = Float(t - light.frames.lowerBound) / Float(light.frames.count)
      let (dx, dy) = (Float(x) - part * Float(size.width), Float(y) - 80)
      let distance = (dx * dx + dy * dy) / (light.spread * light.spread)
      // A bell without transcendental functions.
      let bell = 1 / (1 + distance) / (1 + distance)
      return 4 * part * (1 - part) * light.gain * bell
    }

    /// Three passes of a box, which are close to a bell.
    private func blurred(_ image: Plane<Float>) -> Plane<Float> {
      let reach = Int((blur * blur * 4 + 1).squareRoot() / 2)
      var image = image
      for pass in 0..<6 {
        let source = image
        image = Plane(width: size.width, height: size.height) { x, y in
          var sum: Float = 0
          for offset in -reach...reach {
            let (column, row) = pass % 2 == 0 ? (x + offset, y) : (x, y + offset)
            sum += source[min(max(column, 0), size.width - 1), min(max(row, 0), size.height - 1)]
          }
          return sum / Float(2 * reach + 1)
        }
      }
      return image
    }
  }

  private func events(_ room: Room) throws -> [MotionEvent] {
    let detector = try MotionDetector(size: Self.size)
    var ended: [MotionEvent] = []
    func note(_ updates: [MotionDetector.Update]) {
      for case .ended(let event) in updates { ended.append(event) }
    }
    for (t, image) in room.frames().enumerated() {
      note(try detector.detect(image, at: MediaTime(value: Int64(t), timeBase: Rational(1, 25))))
    }
    note(detector.finish())
    return ended
  }

  @Test(arguments: [(24, 1.5, 3), (40, 2.0, 4), (60, 1.0, 5), (80, 2.0, 6)] as [(Float, Float, UInt64)])
  func lightThatWandersOverAWallIsNoEvent(spread: Float, gain: Float, seed: UInt64) throws {
    let found = try events(Room(light: (spread, gain, 60...110), seed: seed))
    #expect(found.isEmpty, "\(found.map { ($0.start.frame, $0.end.frame) })")
  }

  @Test(arguments: [3, 4] as [UInt64])
  func whoWalksThroughTheLightIsFound(seed: UInt64) throws {
    let found = try events(Room(light: (40, 2, 60...110), walk: 50...120, seed: seed))
    #expect(found.count == 1)
    let event = try #require(found.first)
    #expect(event.start.frame <= 62 && event.end.frame >= 110, "\(event.start.frame) \(event.end.frame)")
  }

  /// The glare of headlights is as soft as what is close to the lens, and brightens the ground as light on a wall does.
  @Test(arguments: [3, 4, 5, 7, 17, 19, 21, 22] as [UInt64])
  func aCarAtNightIsFound(seed: UInt64) throws {
    let found = try events(Room(drive: 60...165, brightness: 0.12, seed: seed, frameCount: 200))
    let event = try #require(found.first)
    #expect(event.start.frame <= 80 && event.end.frame >= 135, "\(event.start.frame) \(event.end.frame)")
  }

  /// All edges are wide in a camera that is out of focus: those of the scene tell.
  @Test(arguments: [2.0, 3.5])
  func aCameraOutOfFocusSeesWhoWalks(blur: Double) throws {
    let found = try events(Room(walk: 80...140, blur: blur, frameCount: 160))
    #expect(found.count == 1, "\(found.map { ($0.start.frame, $0.end.frame) })")
  }
}
