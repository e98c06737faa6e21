import Foundation
import Imaging
import Registration
import TestSupport
import Testing

@testable import MotionDetection

/// Registrations of single frames that follow what falls, before a ground that stands still or goes with them.
@Suite struct CameraClaimsTests {
  private static let size = PixelSize(width: 320, height: 180)
  /// Two pixels down from frame to frame.
  private static let fall = Homography.translation(x: 0, y: 2)

  /// A texture that was moved down.
  private static func ground(down distance: Int = 0) -> Plane<Float> {
    let texture = Texture(seed: 3)
    return Plane(width: size.width, height: size.height) { x, y in texture.value(Double(x), Double(y - distance)) }
  }

  /// Returns for each frame whether the camera is said to have stood still.
  private static func answers(
    frames: Int, speed: Int, clutterSpread: Double, isWeather: Bool, claims: inout CameraClaims
  ) -> [Bool] {
    (1...frames).map { frame in
      claims.contradict(
        fall, ground(down: speed * frame), median: ground(down: speed * (frame - 1)), clutterSpread: clutterSpread,
        isWeather: isWeather, seconds: Double(frame) / 25)
    }
  }

  @Test func whatFallsBeforeAGroundThatStandsIsNoMotionOfTheCamera() {
    var claims = CameraClaims()
    let answers = Self.answers(frames: 24, speed: 0, clutterSpread: 1, isWeather: false, claims: &claims)
    #expect(answers.first == false && answers.last == true)
    #expect(!claims.cameraHasMoved)
  }

  @Test func withoutClutterThereIsNoDoubt() {
    var claims = CameraClaims()
    #expect(!Self.answers(frames: 40, speed: 0, clutterSpread: 0.1, isWeather: false, claims: &claims).contains(true))
  }

  @Test func aCameraThatMovesIsBelieved() {
    var claims = CameraClaims()
    let answers = Self.answers(frames: 60, speed: 2, clutterSpread: 1, isWeather: false, claims: &claims)
    #expect(!answers.contains(true))
  }

  /// Broad bands of brightness behind dense flakes: within six pixels they change by less than the flakes do.
  private static func bands(down distance: Int, flakes seed: UInt64? = nil) -> Plane<Float> {
    var random = FixedRandom(seed: seed ?? 0)
    return Plane(width: size.width, height: size.height) { _, y in
      let band = 128 + 30 * sin(2 * .pi * Float(y - distance) / 90)
      return seed == nil ? band : band + Float.random(in: -39...39, using: &random)
    }
  }

  /// Only after a long way medians tell that flakes fell.
  @Test(arguments: [0, 2]) func denseFlakesAreToldAfterALongWay(speed: Int) {
    var claims = CameraClaims()
    let answers = (1...24).map { frame in
      claims.contradict(
        Self.fall, Self.bands(down: speed * frame, flakes: UInt64(frame)),
        median: Self.bands(down: speed * (frame - 1)), clutterSpread: 1, isWeather: true, seconds: Double(frame) / 25)
    }
    #expect(!answers.prefix(15).contains(true))
    #expect(answers.last == (speed == 0))
  }

  /// A camera that begins to tremble where it was known to stand is believed after a while.
  @Test func thatTheCameraStoodIsForgotten() throws {
    var claims = CameraClaims()
    #expect(Self.answers(frames: 24, speed: 0, clutterSpread: 1, isWeather: false, claims: &claims).last == true)
    let ground = Self.ground()
    let trembling = (25..<125).map { frame in
      claims.contradict(
        .translation(x: frame % 2 == 0 ? 1 : -1, y: 0), ground, median: ground, clutterSpread: 1, isWeather: false,
        seconds: Double(frame) / 25)
    }
    #expect(trembling.first == true && trembling.last == false)
  }
}
