// How strong the motion of a frame is, and which motion gets full colour.

import FlowKernelTypes
import FlowKernels
import Imaging

/// Lengths of motion, in pixels, between which colours grow from nothing to full strength.
package struct MotionRange: Sendable, Hashable {
  var minimum: Float
  var maximum: Float

  /// Turns a length into a strength: `length · scale + bias` is 0 at the minimum and 1 at the maximum.
  var scale: Float { 1 / (maximum - minimum) }
  var bias: Float { -minimum * scale }
  var lengths: LengthScale { LengthScale(scale: scale, bias: bias) }
}

/// A summary of a field's motion, from a fixed subsample of its vectors.
package struct MotionSummary: Sendable, Hashable {
  /// Mean length of the known vectors, in pixels; nil when none is known.
  var mean: Double?
  /// ``percentile`` of the lengths of the vectors that move; nil when fewer than ``movingShare`` of them do.
  var highLength: Double?
  /// The length of the longest of all known vectors, in pixels; nil when no scale asks for it.
  var maximumLength: Float?

  /// Vectors shorter than this, in pixels, are noise to the percentile.
  static let stillLength: Float = 0.5
  /// The percentile of what moves, not of the frame: people far off cover a hundredth of it. On security footage the
  /// 98th percentile doubles from frame to frame with the estimator's outliers, the 90th does not.
  static let percentile = 0.9
  static let movingShare = 0.0005
  /// The approximate number of vectors that are looked at.
  static let sampleCount = 25_000

  /// Measures every n-th vector in both directions, n depending on the size only.
  init(_ flow: FlowField) {
    // A square length's exponent and three mantissa bits name its bin: 8 bins for each factor of two, 4 % of length.
    var bins = [Int32](repeating: 0, count: 2048)
    var (sum, known, moving) = (0.0, 0, 0)
    var step = 1
    while (flow.width / step) * (flow.height / step) > Self.sampleCount { step += 1 }
    flow.u.withView { u in
      flow.v.withView { v in
        for y in Swift.stride(from: step / 2, to: flow.height, by: step) {
          let (rowU, rowV) = (u.row(y), v.row(y))
          for x in Swift.stride(from: step / 2, to: flow.width, by: step) {
            let square = rowU[x] * rowU[x] + rowV[x] * rowV[x]
            guard square < 1e18 else { continue }
            known += 1
            sum += Double(square.squareRoot())
            guard square >= Self.stillLength * Self.stillLength else { continue }
            moving += 1
            bins[Int(square.bitPattern >> 20)] += 1
          }
        }
      }
    }
    mean = known > 0 ? sum / Double(known) : nil
    guard moving > 0, Double(moving) >= Self.movingShare * Double(known) else { return }
    highLength = Self.length(atRank: Self.percentile * Double(moving), in: bins)
  }

  private static func length(atRank rank: Double, in bins: [Int32]) -> Double? {
    var below = 0.0
    for (index, count) in bins.enumerated() where count > 0 {
      if below + Double(count) >= rank {
        let low = Double(Float(bitPattern: UInt32(index) << 20))
        let high = Double(Float(bitPattern: UInt32(index + 1) << 20))
        return (low + (high - low) * (rank - below) / Double(count)).squareRoot()
      }
      below += Double(count)
    }
    return nil
  }
}

/// Chooses the range of every frame; causal, so that the past decides but never the future.
package struct MotionScale: Sendable {
  let options: RenderingOptions
  /// The followed length, once a frame has moved.
  private(set) var length: Double?

  /// The smallest automatic maximum of a stream, in pixels: less would blow up noise.
  static let minimumLength = 2.0
  /// Share of the way to a larger length that one frame goes: 94 % in three frames, so that colours saturate for a
  /// tenth of a second when fast motion enters, and an outlier of one frame counts but for a part.
  static let attack = 0.6
  /// Full colour over the measured length, by style: where all moves alike, as in a pan, the heat map still has a
  /// quarter of its colours for what is faster.
  static let headroom: [RenderingStyle: Double] = [.magnitude: 4.0 / 3]
  /// Share of the way to a smaller length that one frame goes: colours do not jump when fast motion leaves. Tuned by
  /// eye at 10 to 30 frames per second.
  static let release = 0.04

  /// A scale that has seen no frame yet.
  package init(options: RenderingOptions) { self.options = options }

  /// Returns the summary of a frame's flow that the scale needs.
  func summary(of flow: FlowField, kernels: RenderKernels) -> MotionSummary {
    var summary = MotionSummary(flow)
    if options.maxLength == .automatic, options.normalization == .frame {
      summary.maximumLength = Self.maximumLength(flow, kernels: kernels)
    }
    return summary
  }

  /// Returns the range for the next frame of the stream.
  /// - Parameter summary: The summary of the frame's flow; nil when it has none.
  package mutating func next(_ summary: MotionSummary?) -> MotionRange {
    guard let summary else { return current() }
    let maximum: Double
    switch (options.maxLength, options.normalization) {
    case (.fixed(let length), _): maximum = length
    case (.automatic, .fixed): maximum = RenderingOptions.defaultMaximumLength
    case (.automatic, .frame): maximum = Double(summary.maximumLength ?? 0)
    case (.automatic, .stream):
      follow(summary.highLength)
      maximum = streamMaximum
    }
    return range(maximum: maximum)
  }

  /// Forgets the frames before: another scene begins.
  package mutating func startScene() { length = nil }

  private var streamMaximum: Double {
    length.map { $0 * (Self.headroom[options.style] ?? 1) } ?? Self.minimumLength
  }

  /// The range when there is no flow to measure.
  private func current() -> MotionRange {
    if case .fixed(let length) = options.maxLength { return range(maximum: length) }
    return range(
      maximum: options.normalization == .fixed
        ? RenderingOptions.defaultMaximumLength : streamMaximum)
  }

  /// A frame without motion says nothing about the scale of motion, which therefore stays.
  private mutating func follow(_ measured: Double?) {
    guard let measured else { return }
    let target = max(measured, Self.minimumLength)
    guard let old = length else {
      length = target
      return
    }
    length = old + (target - old) * (target > old ? Self.attack : Self.release)
  }

  private func range(maximum: Double) -> MotionRange {
    let minimum = Float(options.minLength)
    return MotionRange(minimum: minimum, maximum: max(Float(maximum), minimum + 1e-3))
  }

  /// The length of the longest known vector.
  static func maximumLength(_ flow: FlowField, kernels: RenderKernels) -> Float {
    flow.u.withView { u in
      flow.v.withView { v in
        var square: Float = 0
        for y in 0..<flow.height { square = kernels.largestSquare(u.row(y), v.row(y), square, flow.width) }
        return square.squareRoot()
      }
    }
  }
}
