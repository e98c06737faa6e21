// How far an estimated flow field is from the true one: the figures of the Middlebury, KITTI and Sintel benchmarks.

import Foundation
import Imaging

/// Error figures of a flow field against ground truth.
///
/// Pixels whose true vector is unknown, or which the mask leaves out, do not count. Where only the estimate is
/// unknown, the pixel has no error to average but is an outlier at every threshold; `coverage` tells how often.
public struct FlowMetrics: Sendable, Hashable {
  /// The endpoint errors, in pixels, that `outlierRatios` lists: R0.5, R1, R2, R3, R5.
  public static let outlierThresholds: [Double] = [0.5, 1, 2, 3, 5]

  /// Pixels with a true vector, inside the mask.
  public let pixelCount: Int
  /// The share of them that have an estimate, 0…1.
  public let coverage: Double
  /// The mean Euclidean distance between the estimated and the true vector (EPE), in pixels; NaN without pixels.
  public let averageEndpointError: Double
  /// The mean angle between (u, v, 1) of estimate and truth (AAE), in degrees; NaN without pixels.
  public let averageAngularError: Double
  /// The share of pixels whose endpoint error exceeds each of `outlierThresholds`, 0…1.
  public let outlierRatios: [Double]
  /// KITTI's Fl-all: the share of pixels whose endpoint error exceeds 3 pixels and 5 % of the true vector's length, 0…1.
  public let outlierRatio: Double
  /// All endpoint errors in rising order.
  private let sortedErrors: [Float]

  /// Compares two fields.
  ///
  /// - Parameters:
  ///   - estimate: The field to judge.
  ///   - truth: The field to judge it by, of the same size.
  ///   - mask: Of the same size; only pixels with a value other than 0 count.
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
    var tally = Tally()
    for y in 0..<truth.height {
      tally.add(FlowRow(estimate, y), FlowRow(truth, y), width: truth.width) { mask?[$0, y] ?? 1 != 0 }
    }
    let count = Double(tally.pixelCount)
    let known = Double(tally.errors.count)
    pixelCount = tally.pixelCount
    coverage = known / count
    averageEndpointError = tally.endpointSum / known
    averageAngularError = tally.angleSum / known * 180 / .pi
    outlierRatios = tally.beyondThreshold.map { Double($0) / count }
    outlierRatio = Double(tally.outliers) / count
    sortedErrors = tally.errors.sorted()
  }

  /// The share of pixels whose endpoint error exceeds `threshold`, one of `outlierThresholds`.
  public func outlierRatio(beyond threshold: Double) -> Double? {
    Self.outlierThresholds.firstIndex(of: threshold).map { outlierRatios[$0] }
  }

  /// The endpoint error that `share` (0…1) of the estimated pixels do not exceed; nil without any.
  public func endpointErrorPercentile(_ share: Double) -> Double? {
    guard !sortedErrors.isEmpty else { return nil }
    let rank = (Double(sortedErrors.count) * min(max(share, 0), 1)).rounded(.up)
    return Double(sortedErrors[max(Int(rank) - 1, 0)])
  }
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

private struct Tally {
  var pixelCount = 0
  var errors: [Float] = []
  var endpointSum = 0.0
  var angleSum = 0.0
  var beyondThreshold = [Int](repeating: 0, count: FlowMetrics.outlierThresholds.count)
  var outliers = 0

  mutating func add(_ estimate: FlowRow, _ truth: FlowRow, width: Int, counts: (Int) -> Bool) {
    for x in 0..<width where counts(x) {
      let (trueU, trueV) = (Double(truth.u[x]), Double(truth.v[x]))
      guard !trueU.isNaN, !trueV.isNaN else { continue }
      pixelCount += 1
      let (u, v) = (Double(estimate.u[x]), Double(estimate.v[x]))
      let isKnown = !u.isNaN && !v.isNaN
      let error = isKnown ? ((u - trueU) * (u - trueU) + (v - trueV) * (v - trueV)).squareRoot() : .infinity
      for (index, threshold) in FlowMetrics.outlierThresholds.enumerated() where error > threshold {
        beyondThreshold[index] += 1
      }
      let length = (trueU * trueU + trueV * trueV).squareRoot()
      if error > 3 && error > 0.05 * length { outliers += 1 }
      guard isKnown else { continue }
      errors.append(Float(error))
      endpointSum += error
      angleSum += angle(u, v, trueU, trueV)
    }
  }

  /// The angle between (u, v, 1) and (trueU, trueV, 1) in radians: from the cross product's length, which unlike the arc
  /// cosine is exact for small angles.
  private func angle(_ u: Double, _ v: Double, _ trueU: Double, _ trueV: Double) -> Double {
    let cross = (v - trueV, trueU - u, u * trueV - v * trueU)
    let sine = (cross.0 * cross.0 + cross.1 * cross.1 + cross.2 * cross.2).squareRoot()
    return atan2(sine, u * trueU + v * trueV + 1)
  }
}
