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
  /// The spread, 0…1, below which it is none: in thin snow of large flakes it falls to 0.44 for moments.
  private static let offSpread = 0.35

  /// The spread, 0…1, from which on clutter is weather where what travels lies here and there, though the ground hides
  /// drops and flakes in parts of the image. Roads, pavements and water reach 0.5.
  private static let scatteredSpread = 0.55

  /// The minimum ratio of what travels to what moves without travelling where it lies here and there: where nothing is
  /// told of the drops, there is no need for medians, in which who walks is seen less well.
  private static let minimumTravelRatio = 0.03

  /// The shares of the image that moved without travelling, and that travelled, of late.
  struct Clutter: Sendable {
    /// The share of the image that moves without travelling, 0…1.
    var share: Double
    /// The share of the image in all parts of which something does so now and then, 0…1.
    var spread: Double
    /// The share of the image that travels, 0…1.
    var travelShare: Double
    /// A Boolean value that tells whether what travelled lies here and there, and not along a few ways.
    var travelIsScattered: Bool

    /// A Boolean value that tells whether what travelled so far may have been rain or snow.
    var mayBeWeather: Bool { isMuch && travelIsScattered && spread > scatteredSpread }

    /// A Boolean value that tells whether it is rain or snow.
    var isWeather: Bool {
      isMuch && spread > onSpread || mayBeWeather && travelShare > minimumTravelRatio * share
    }

    /// A Boolean value that tells whether most of what moves does not travel.
    var travelIsLittle: Bool { travelShare < maximumTravelRatio * share }

    private var isMuch: Bool { share > onShare && travelIsLittle }
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
  ///   - clutter: What moved without travelling up to the frame before.
  /// - Returns: The observation; where there is much clutter, with what travels in the medians instead.
  func complete(
    _ observation: MotionObservation, _ analyzed: AnalyzedPair, clutter: Clutter
  ) -> MotionObservation {
    let frame = analyzed.frame
    median.append(frame.image, seconds: frame.time.seconds)
    steadyImage = nil
    guard analyzed.camera == nil else {
      isOn = false
      return observation
    }
    let wasOn = isOn
    isOn = isOn ? clutter.share > Self.offShare && clutter.spread > Self.offSpread : clutter.isWeather
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
