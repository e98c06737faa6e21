import FlowAnalysis
import Imaging

/// Where a box is and how it moves, from uncertain sightings: the filter of Kalman (1960, doi:10.1115/1.3662552) with
/// constant motion, for the two coordinates of the centre and the two sides, each by itself. Uncertainties are shares
/// of the height of the box, as Wojke et al. (ICIP 2017, doi:10.1109/ICIP.2017.8296962) have them.
struct BoxKalmanFilter: Sendable, Hashable {
  private var (x, y): (ScalarKalmanFilter, ScalarKalmanFilter)
  private var (width, height): (ScalarKalmanFilter, ScalarKalmanFilter)

  /// The deviations of a sighting's place and of its sides, and of the motion that is not known yet, as shares of the
  /// height of the box. These and those below were chosen on the errors drawn with the first seeds, see
  /// `compare_detections.py`.
  private static let (placeDeviation, sideDeviation, firstMotionDeviation) = (0.05, 0.08, 0.1)
  /// The deviations by which motion and growth change from frame to frame, as shares of the height of the box.
  private static let (motionChange, growthChange) = (0.008, 0.0015)
  /// The minimum side of a box, in pixels.
  private static let minimumSide = 1.0

  /// A filter that has seen one box.
  init(_ box: BoundingBox) {
    let (place, side, motion) = (
      Self.placeDeviation * box.height, Self.sideDeviation * box.height, Self.firstMotionDeviation * box.height
    )
    x = ScalarKalmanFilter(box.center.x, deviation: place, motionDeviation: motion)
    y = ScalarKalmanFilter(box.center.y, deviation: place, motionDeviation: motion)
    width = ScalarKalmanFilter(box.width, deviation: side, motionDeviation: 0.1 * motion)
    height = ScalarKalmanFilter(box.height, deviation: side, motionDeviation: 0.1 * motion)
  }

  /// The box where it is thought to be.
  var box: BoundingBox {
    BoundingBox(
      center: SIMD2(x.value, y.value), width: max(width.value, Self.minimumSide),
      height: max(height.value, Self.minimumSide))
  }

  /// The standard deviation of the centre, in pixels, across and down.
  var deviation: SIMD2<Double> { SIMD2(x.variance.squareRoot(), y.variance.squareRoot()) }

  /// Goes on by a frame.
  mutating func predict() {
    let scale = box.height
    x.predict(change: Self.motionChange * scale)
    y.predict(change: Self.motionChange * scale)
    width.predict(change: Self.growthChange * scale)
    height.predict(change: Self.growthChange * scale)
  }

  /// Takes in a sighting.
  /// - Parameter doubt: The factor on its uncertainty.
  mutating func correct(with sighting: BoundingBox, doubt: Double = 1) {
    let (place, side) = (doubt * Self.placeDeviation * box.height, doubt * Self.sideDeviation * box.height)
    x.correct(with: sighting.center.x, deviation: place)
    y.correct(with: sighting.center.y, deviation: place)
    width.correct(with: sighting.width, deviation: side)
    height.correct(with: sighting.height, deviation: side)
  }

  /// Goes along with the camera.
  /// - Parameter map: From pixels of the frame before to those of this one.
  mutating func move(by map: Homography) {
    let before = box
    let half = SIMD2(0, before.height / 2)
    let next = SIMD2(x.value + x.motion, y.value + y.motion)
    let points = [before.center, next, before.center - half, before.center + half]
    // What the map sends to infinity is not in the image.
    guard points.allSatisfy({ map.depth($0) > 1e-6 }) else { return }
    let mapped = points.map(map.apply)
    (x.value, y.value) = (mapped[0].x, mapped[0].y)
    (x.motion, y.motion) = (mapped[1].x - mapped[0].x, mapped[1].y - mapped[0].y)
    let growth = (mapped[3] - mapped[2]).length / before.height
    width.value *= growth
    height.value *= growth
  }
}
