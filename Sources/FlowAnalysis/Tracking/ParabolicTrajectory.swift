// The parabola of something thrown.

import Imaging

/// A path with constant acceleration, fitted to the positions of a track.
///
/// Position p(t) = p₀ + v·(t − t₀) + ½·a·(t − t₀)² in both directions, by least squares with Tukey's biweight (Beaton &
/// Tukey, Technometrics 16, 1974, doi:10.1080/00401706.1974.10489171), so that single wrong positions do not count.
/// Vision's trajectory observations have ``equationCoefficients``, ``movingAverageRadius`` and ``confidence`` too.
public struct ParabolicTrajectory: Sendable, Hashable, Codable {
  /// The bounds on what counts as a trajectory, as Vision's request for trajectories has them.
  public struct Parameters: Sendable, Hashable, Codable {
    /// The minimum number of positions, ``lengthRange``.
    public var trajectoryLength = ParabolicTrajectory.minimumCount
    /// The minimum diameter of what was followed, the mean diagonal of its boxes, in pixels; a point has none.
    public var minimumSize = 0.0
    /// The maximum diameter, in pixels; nil: any.
    public var maximumSize: Double?

    /// The values that ``trajectoryLength`` may have.
    public static let lengthRange = ParabolicTrajectory.minimumCount...100_000
    /// The values that ``minimumSize`` and ``maximumSize`` may have, in pixels.
    public static let sizeRange = 0.0...1e6

    /// The defaults that the properties name.
    public init() {}

    /// - Throws: ``AnalysisError`` with code `invalidParameters` for a value out of its range.
    public func validate() throws(AnalysisError) {
      guard Self.lengthRange.contains(trajectoryLength) else {
        throw AnalysisError(
          code: .invalidParameters, message: "a trajectory of \(trajectoryLength) positions: they are 5…100000")
      }
      // Also false for NaN.
      guard Self.sizeRange.contains(minimumSize), Self.sizeRange.contains(maximumSize ?? 0),
        minimumSize <= maximumSize ?? .infinity
      else {
        throw AnalysisError(
          code: .invalidParameters,
          message: "sizes of \(minimumSize) px and more, up to \(maximumSize.map { "\($0) px" } ?? "any"): they are "
            + "0…1000000 px, the minimum first")
      }
    }

    /// Returns whether a track is long enough, and what it follows neither too small nor too large.
    func accepts(count: Int, radius: Double) -> Bool {
      count >= trajectoryLength && 2 * radius >= minimumSize && 2 * radius <= maximumSize ?? .infinity
    }
  }

  /// The minimum number of positions that a fit needs, as in Vision.
  public static let minimumCount = 5
  /// The minimum extent of a path, in pixels; shorter ones do not tell anything. Chosen by hand, as the
  /// constants below.
  public static let minimumExtent = 4.0
  /// The maximum distance, in pixels, with which a position fits; ``relativeTolerance`` may allow more.
  private static let tolerance = 1.0
  /// The maximum distance with which a position fits, in shares of the path's extent; ``tolerance`` may allow more.
  private static let relativeTolerance = 0.02
  /// The share of the positions that must fit, else the path is no parabola.
  private static let minimumInlierShare = 0.5
  /// The number of reweighted fits.
  private static let iterationCount = 12

  /// The time in seconds at which ``position`` and ``velocity`` hold: that of the first position.
  public let start: Double
  /// The position at ``start``, in pixels.
  public let position: SIMD2<Double>
  /// The velocity at ``start``, in pixels per second.
  public let velocity: SIMD2<Double>
  /// The acceleration, in pixels per second per second; gravity is this with y down.
  public let acceleration: SIMD2<Double>
  /// The coefficients a, b, c of y = a·x² + b·x + c, in pixels; nil when the path goes straight up or down.
  public let equationCoefficients: SIMD3<Double>?
  /// The mean radius of what was followed, in pixels: half the diagonal of the box; 0 for a point.
  public let movingAverageRadius: Double
  /// The root mean square distance of the positions that fit, in pixels.
  public let residual: Double
  /// The share of the positions that fit, less the farther they lie from the path, 0.25…1: the share over
  /// 1 + (residual/tolerance)², so that of positions that all just fit it is a half.
  public let confidence: Double

  /// Nil when the track is too short, hardly moves, follows no parabola, or lies outside the bounds of the parameters.
  public init?(_ track: MotionTrack, parameters: Parameters = Parameters()) {
    let radius =
      track.kind == .point
      ? 0
      : track.positions.reduce(0) { sum, position in
        let (width, height) = (position.box.width, position.box.height)
        return sum + (width * width + height * height).squareRoot() / 2
      } / Double(max(track.positions.count, 1))
    guard parameters.accepts(count: track.positions.count, radius: radius) else { return nil }
    self.init(
      seconds: track.positions.map(\.time.seconds), points: track.positions.map(\.center), movingAverageRadius: radius)
  }

  /// Fits a parabola to points at times in seconds, which rise.
  public init?(seconds: [Double], points: [SIMD2<Double>], movingAverageRadius: Double = 0) {
    precondition(seconds.count == points.count, "\(seconds.count) times for \(points.count) points")
    guard points.count >= Self.minimumCount, let first = seconds.first, let last = seconds.last, last > first else {
      return nil
    }
    let extent = Self.extent(points)
    guard extent >= Self.minimumExtent else { return nil }
    // Times from −1 to 1, for the sake of the equations' condition.
    let (middle, half) = ((first + last) / 2, (last - first) / 2)
    let times = seconds.map { ($0 - middle) / half }
    guard let fit = Self.robustFit(times, points) else { return nil }
    let limit = max(Self.tolerance, Self.relativeTolerance * extent)
    let fitting = fit.distances.filter { $0 <= limit }
    let share = Double(fitting.count) / Double(points.count)
    guard share >= Self.minimumInlierShare else { return nil }
    residual = (fitting.reduce(0) { $0 + $1 * $1 } / Double(fitting.count)).squareRoot()
    confidence = share / (1 + (residual / limit) * (residual / limit))
    start = first
    let curve = SIMD2(fit.x.z, fit.y.z)
    let slope = SIMD2(fit.x.y, fit.y.y)
    position = SIMD2(fit.x.x, fit.y.x) - slope + curve
    velocity = (slope - 2 * curve) / half
    acceleration = 2 * curve / (half * half)
    equationCoefficients = Self.equation(points, fit.weights)
    self.movingAverageRadius = movingAverageRadius
  }

  /// Returns the position of the path at a time, in seconds.
  public func point(at seconds: Double) -> SIMD2<Double> {
    let t = seconds - start
    return position + velocity * t + acceleration * (t * t / 2)
  }

  // MARK: Fitting

  private struct Fit {
    /// Coefficients of 1, t, t².
    var x: SIMD3<Double>
    var y: SIMD3<Double>
    var distances: [Double]
    var weights: [Double]
  }

  private static func extent(_ points: [SIMD2<Double>]) -> Double {
    let low = points.reduce(points[0]) { SIMD2(min($0.x, $1.x), min($0.y, $1.y)) }
    let high = points.reduce(points[0]) { SIMD2(max($0.x, $1.x), max($0.y, $1.y)) }
    return max(high.x - low.x, high.y - low.y)
  }

  private static func robustFit(_ times: [Double], _ points: [SIMD2<Double>]) -> Fit? {
    var weights = [Double](repeating: 1, count: points.count)
    var best: Fit?
    for _ in 0..<iterationCount {
      guard let x = quadratic(times, points.map(\.x), weights), let y = quadratic(times, points.map(\.y), weights)
      else { return best }
      let distances = zip(times, points).map { t, point -> Double in
        let dx = point.x - (x.x + t * (x.y + t * x.z))
        let dy = point.y - (y.x + t * (y.y + t * y.z))
        return (dx * dx + dy * dy).squareRoot()
      }
      best = Fit(x: x, y: y, distances: distances, weights: weights)
      let scale = max(deviationPerMedian * (distances.median ?? 0), 0.05)
      weights = distances.map { biweight($0 / (biweightCutoff * scale)) }
    }
    return best
  }

  /// Least squares of c₀ + c₁·t + c₂·t².
  private static func quadratic(_ ts: [Double], _ values: [Double], _ weights: [Double]) -> SIMD3<Double>? {
    var moments = [Double](repeating: 0, count: 5)
    var sums = SIMD3(0.0, 0.0, 0.0)
    for ((t, value), weight) in zip(zip(ts, values), weights) {
      var power = weight
      for index in 0..<5 {
        moments[index] += power
        if index < 3 { sums[index] += power * value }
        power *= t
      }
    }
    let m = moments
    // Cramer's rule on the symmetric system.
    let c00 = m[2] * m[4] - m[3] * m[3]
    let c01 = m[3] * m[2] - m[1] * m[4]
    let c02 = m[1] * m[3] - m[2] * m[2]
    let determinant = m[0] * c00 + m[1] * c01 + m[2] * c02
    guard abs(determinant) > 1e-9 * m[0] * m[0] * m[0] else { return nil }
    let c11 = m[0] * m[4] - m[2] * m[2]
    let c12 = m[1] * m[2] - m[0] * m[3]
    let c22 = m[0] * m[2] - m[1] * m[1]
    let constant = c00 * sums.x + c01 * sums.y + c02 * sums.z
    let linear = c01 * sums.x + c11 * sums.y + c12 * sums.z
    let square = c02 * sums.x + c12 * sums.y + c22 * sums.z
    return SIMD3(constant, linear, square) / determinant
  }

  /// y over x, when x goes far enough.
  private static func equation(_ points: [SIMD2<Double>], _ weights: [Double]) -> SIMD3<Double>? {
    let xs = points.map(\.x)
    guard let low = xs.min(), let high = xs.max(), high - low >= minimumExtent else { return nil }
    let (middle, half) = ((low + high) / 2, (high - low) / 2)
    guard let c = quadratic(xs.map { ($0 - middle) / half }, points.map(\.y), weights) else { return nil }
    let (a, b) = (c.z / (half * half), c.y / half)
    return SIMD3(a, b - 2 * a * middle, c.x - b * middle + a * middle * middle)
  }
}
