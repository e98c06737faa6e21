// The search for what travels behind rain and snow.

import Imaging
import Registration

/// Analyses medians of the last frames while much moves here and there: drops and flakes are at no pixel for long, and
/// what walks behind them is. Used by one thread. The constants were tuned on the tuning half of the drawn scenes
/// (Tests/DetectionScenes).
final class WeatherAnalyzer {
  private let pairs: FramePairAnalyzer
  private var median: TemporalMedian
  /// The median of the last frames; nil while there are too few, or the camera moves.
  private(set) var steadyImage: Plane<Float>?
  /// A Boolean value that tells whether medians stand for the frames.
  private(set) var isOn = false

  /// The share of the image that moves without travelling from which on frames are replaced by medians.
  private static let onShare = 0.02
  /// The share below which frames are looked at again.
  private static let offShare = 0.008

  /// The maximum ratio of what travels to what moves without travelling when weather begins: people who fill the image
  /// travel. Rain, snow and trees reach 0.17, a street with people nearby 0.56.
  private static let maximumTravelRatio = 0.3

  /// The ``TravelFilter/clutterSpread``, 0…1, from which on clutter may be weather: rain and snow reach 0.92 and more
  /// within a second, busy roads and pavements up to 0.75.
  private static let onSpread = 0.85
  /// The spread, 0…1, below which it is none.
  private static let offSpread = 0.45

  /// The spread, 0…1, from which on clutter may prove to be weather, where the ground hides drops in parts of the
  /// image: it reaches 0.67 and more when a scene is three seconds old, roads and water up to 0.5.
  private static let doubtfulSpread = 0.55

  /// Returns whether what moved so far may be weather, though it does not show in all parts of the image.
  ///
  /// The parameters are those of ``complete(_:_:clutterShare:clutterSpread:travelShare:)``.
  static func isLikely(clutterShare: Double, clutterSpread: Double, travelShare: Double) -> Bool {
    begins(clutterShare: clutterShare, clutterSpread: clutterSpread, travelShare: travelShare, from: doubtfulSpread)
  }

  /// Returns whether clutter that is spread so far is weather.
  private static func begins(
    clutterShare: Double, clutterSpread: Double, travelShare: Double, from spread: Double
  ) -> Bool {
    clutterShare > onShare && clutterSpread > spread && travelShare < maximumTravelRatio * clutterShare
  }

  private var claims = CameraClaims()
  /// A Boolean value that tells whether the image looks moved after some way by account of the registration, with the
  /// frame that was asked about last.
  var cameraHasMoved: Bool { claims.cameraHasMoved }

  /// - Parameter size: The size of the analysed images, in pixels.
  init(size: PixelSize) {
    pairs = FramePairAnalyzer(analyzedSize: size, compensation: .identity, parallelism: .serial)
    median = TemporalMedian(size: size)
  }

  /// Begins anew: after a gap or a cut.
  func restart() {
    median.reset()
    isOn = false
    claims.reset()
  }

  /// Returns whether the camera stood still all the same: a registration of single frames may follow snow or water.
  /// - Parameters:
  ///   - map: The map from pixels of the frame before to those of `frame`, as it was found.
  ///   - clutterSpread: The share of the image in all parts of which something moves without travelling now and then.
  func contradicts(_ map: Homography, _ frame: AnalyzedFrame, clutterSpread: Double) -> Bool {
    claims.contradict(
      map, frame.image, median: median.median()?.image, clutterSpread: clutterSpread, isWeather: isOn,
      seconds: frame.time.seconds)
  }

  /// Takes a frame that is not looked at: medians have it all the same.
  func noteLeftOut(_ image: Plane<Float>, seconds: Double) { median.append(image, seconds: seconds) }

  /// Takes the next pair.
  /// - Parameters:
  ///   - observation: What travels from frame to frame.
  ///   - clutterShare: The share of the image that moves without travelling, 0…1.
  ///   - clutterSpread: The share of the image in all parts of which something does so now and then, 0…1.
  ///   - travelShare: The share of the image that travels, 0…1.
  /// - Returns: The observation; where there is much clutter, with what travels in the medians instead.
  func complete(
    _ observation: MotionObservation, _ analyzed: AnalyzedPair, clutterShare: Double, clutterSpread: Double,
    travelShare: Double
  ) -> MotionObservation {
    let frame = analyzed.frame
    median.append(frame.image, seconds: frame.time.seconds)
    steadyImage = nil
    guard analyzed.camera == nil else {
      isOn = false
      return observation
    }
    let wasOn = isOn
    isOn =
      isOn
      ? clutterShare > Self.offShare && clutterSpread > Self.offSpread
      : Self.begins(
        clutterShare: clutterShare, clutterSpread: clutterSpread, travelShare: travelShare, from: Self.onSpread)
    let steady = median.median()
    steadyImage = steady?.image
    guard isOn, let (image, lag) = steady else { return observation }
    let pair = pairs.measure(
      AnalyzedFrame(number: frame.number, time: frame.time, image: image, followsBreak: !wasOn))
    var seen = observation
    seen.movingCells = pair.observation?.movingCells ?? []
    let pairLag = lag / analyzed.frameCount
    for index in seen.movingCells.indices { seen.movingCells[index].lag = max(seen.movingCells[index].lag, pairLag) }
    return seen
  }
}
