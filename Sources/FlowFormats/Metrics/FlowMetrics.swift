// How far an estimated flow field is from the true one: the figures of the Middlebury, KITTI and Sintel benchmarks.

import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// Error figures of a flow field against ground truth.
///
/// Pixels whose true vector is unknown, or which the mask leaves out, do not count. Where only the estimate is
/// unknown, the pixel has no error to average but is an outlier at every threshold; `coverage` tells how often.
/// (KITTI's development kit fills such holes from their surroundings before it judges; here they stay holes, and
/// `outlierRatioOfEstimates` is what it reports without them.)
public struct FlowMetrics: Sendable, Hashable {
  /// The endpoint errors, in pixels, that `outlierRatios` lists: R0.5, R1, R2, R3, R5.
  public static let outlierThresholds: [Double] = [0.5, 1, 2, 3, 5]
  /// The angular errors, in degrees, that Middlebury's tables list: R2.5, R5, R10.
  public static let angularThresholds: [Double] = [2.5, 5, 10]
  /// KITTI's outliers are off by more than both (Menze & Geiger, CVPR 2015): pixels, and a share of the true length.
  static let outlierLimit = (pixels: 3.0, share: 0.05)

  /// Pixels that truly move this fast: Sintel's classes (Butler et al., ECCV 2012).
  public struct SpeedClass: Sendable, Hashable {
    /// `s0-10`, `s10-40` or `s40+`.
    public let name: String
    /// The number of pixels with a true vector of such a length, inside the mask.
    public let pixelCount: Int
    /// The mean endpoint error of the pixels of this class, in pixels; NaN without any that has an estimate.
    public let averageEndpointError: Double
  }

  /// The number of pixels with a true vector, inside the mask.
  public let pixelCount: Int
  /// The share of the ``pixelCount`` pixels that have an estimate, 0…1; NaN without pixels.
  public let coverage: Double
  /// The Euclidean distances between the estimated and the true vectors, in pixels.
  public let endpointErrors: ErrorStatistics
  /// The angles between (u, v, 1) of estimate and truth, in degrees.
  public let angularErrors: ErrorStatistics
  /// KITTI's Fl-all: the share of pixels whose endpoint error exceeds 3 pixels and 5 % of the true vector's length,
  /// 0…1.
  public let outlierRatio: Double
  /// KITTI's Fl-est: the share of such outliers among the pixels that have an estimate, 0…1.
  public let outlierRatioOfEstimates: Double
  /// The endpoint error by true speed: below 10 pixels, up to 40, above.
  public let speedClasses: [SpeedClass]

  /// Compares two fields.
  ///
  /// - Parameters:
  ///   - estimate: The field to judge.
  ///   - truth: The field to judge it by, of the same size.
  ///   - mask: The mask, of the same size; only pixels with a value other than 0 count.
  /// - Throws: ``FlowFormatError`` with code `sizeMismatch`.
  /// - Complexity: O(n log n) for n pixels.
  public init(estimate: FlowField, truth: FlowField, mask: Plane<UInt8>? = nil) throws {
    guard estimate.size == truth.size else {
      throw FlowFormatError(
        code: .sizeMismatch, message: "the estimate has \(estimate.size) pixels, the truth \(truth.size)")
    }
    if let mask, mask.size != truth.size {
      throw FlowFormatError(code: .sizeMismatch, message: "the mask has \(mask.size) pixels, the truth \(truth.size)")
    }
    var tally = ErrorTally(pixels: truth.size.area)
    for y in 0..<truth.height {
      tally.add(FlowRow(estimate, y), FlowRow(truth, y), width: truth.width) { mask?[$0, y] ?? 1 != 0 }
    }
    let known = tally.endpointErrors.count
    pixelCount = tally.pixelCount
    coverage = Double(known) / Double(pixelCount)
    endpointErrors = ErrorStatistics(tally.endpointErrors, missingCount: pixelCount - known)
    angularErrors = ErrorStatistics(tally.angularErrors, missingCount: pixelCount - known)
    outlierRatio = Double(tally.outliers + pixelCount - known) / Double(pixelCount)
    outlierRatioOfEstimates = Double(tally.outliers) / Double(known)
    speedClasses = tally.speeds.map {
      SpeedClass(name: $0.name, pixelCount: $0.pixels, averageEndpointError: $0.sum / Double($0.known))
    }
  }

  /// The mean endpoint error (EPE), in pixels; NaN without pixels.
  public var averageEndpointError: Double { endpointErrors.mean }
  /// The mean angular error (AAE), in degrees; NaN without pixels.
  public var averageAngularError: Double { angularErrors.mean }
  /// The share of pixels whose endpoint error exceeds each of `outlierThresholds`, 0…1.
  public var outlierRatios: [Double] { Self.outlierThresholds.map { endpointErrors.share(beyond: $0) } }

  /// The share of pixels whose endpoint error exceeds `threshold`, one of `outlierThresholds`.
  public func outlierRatio(beyond threshold: Double) -> Double? {
    Self.outlierThresholds.firstIndex(of: threshold).map { outlierRatios[$0] }
  }

  /// The endpoint error that `share` (0…1) of the estimated pixels do not exceed; nil without any.
  public func endpointErrorPercentile(_ share: Double) -> Double? { endpointErrors.percentile(share) }
}

/// A row of a field, copied: evaluation need not be fast.
private struct FlowRow {
  let u: [Float]
  let v: [Float]

  init(_ field: FlowField, _ y: Int) {
    u = field.u.withView { Array(UnsafeBufferPointer(start: $0.row(y), count: $0.width)) }
    v = field.v.withView { Array(UnsafeBufferPointer(start: $0.row(y), count: $0.width)) }
  }
}

/// Collects the errors pixel by pixel.
private struct ErrorTally {
  struct Speed {
    let name: String
    /// The test whether a true length, in pixels, belongs to the class.
    let contains: (Double) -> Bool
    var pixels = 0
    var known = 0
    var sum = 0.0
  }

  var pixelCount = 0
  var endpointErrors: [Double] = []
  var angularErrors: [Double] = []
  /// Pixels with an estimate that is an outlier.
  var outliers = 0
  var speeds = [
    Speed(name: "s0-10") { $0 < 10 }, Speed(name: "s10-40") { $0 >= 10 && $0 <= 40 }, Speed(name: "s40+") { $0 > 40 },
  ]

  init(pixels: Int) {
    // The errors and their sorted copies; the arrays would trap without a word.
    free(FrameMemory.allocate(byteCount: 4 * MemoryLayout<Double>.stride * pixels))
    endpointErrors.reserveCapacity(pixels)
    angularErrors.reserveCapacity(pixels)
  }

  mutating func add(_ estimate: FlowRow, _ truth: FlowRow, width: Int, counts: (Int) -> Bool) {
    for x in 0..<width where counts(x) {
      let (trueU, trueV) = (Double(truth.u[x]), Double(truth.v[x]))
      guard !trueU.isNaN, !trueV.isNaN else { continue }
      pixelCount += 1
      let length = (trueU * trueU + trueV * trueV).squareRoot()
      let speed = speeds.firstIndex { $0.contains(length) }
      if let speed { speeds[speed].pixels += 1 }
      let (u, v) = (Double(estimate.u[x]), Double(estimate.v[x]))
      guard !u.isNaN, !v.isNaN else { continue }
      let error = ((u - trueU) * (u - trueU) + (v - trueV) * (v - trueV)).squareRoot()
      endpointErrors.append(error)
      angularErrors.append(angle(u, v, trueU, trueV) * 180 / .pi)
      if error > FlowMetrics.outlierLimit.pixels, error > FlowMetrics.outlierLimit.share * length { outliers += 1 }
      guard let speed else { continue }
      speeds[speed].known += 1
      speeds[speed].sum += error
    }
  }

  /// The angle between (u, v, 1) and (trueU, trueV, 1) in radians: from the cross product's length, which unlike the
  /// arc cosine is exact for small angles.
  private func angle(_ u: Double, _ v: Double, _ trueU: Double, _ trueV: Double) -> Double {
    let cross = (v - trueV, trueU - u, u * trueV - v * trueU)
    let sine = (cross.0 * cross.0 + cross.1 * cross.1 + cross.2 * cross.2).squareRoot()
    return atan2(sine, u * trueU + v * trueV + 1)
  }
}
