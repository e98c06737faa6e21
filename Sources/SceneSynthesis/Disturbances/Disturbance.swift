import Imaging

/// Something that changes the image although nobody wants to be told of it: weather, cloth, water, screens, light. It
/// is drawn over the layers and is no part of the truth.
struct Disturbance: Sendable {
  /// Paints over the row `y` of a frame, whose colours are red, green, blue, 0 in 8-bit levels.
  typealias RowPainter = @Sendable (_ y: Int, _ row: UnsafeMutableBufferPointer<SIMD4<Float>>) -> Void

  /// A Boolean value that tells whether it is part of the ground, so that objects hide it.
  var isBehindObjects = false
  /// Returns the painter of the frame at `time`: the frame's number times the factor on all speeds.
  var painter: @Sendable (_ time: Double) -> RowPainter
}

extension SIMD4<Float> {
  /// A grey colour.
  init(level: Float) { self.init(level, level, level, 0) }

  /// Paints a colour over this one.
  /// - Parameter coverage: 0 (this one stays) to 1 (it is hidden).
  @inline(__always)
  mutating func cover(with color: SIMD4<Float>, _ coverage: Float) { self += (color - self) * coverage }
}

extension UnsafeMutableBufferPointer<SIMD4<Float>> {
  /// The columns of this row whose centres may lie from `left` to `right`.
  func columns(from left: Float, to right: Float) -> Range<Int> {
    guard right >= 0, left < Float(count), left <= right else { return 0..<0 }
    return Int(Swift.max(left, 0))..<Int(Swift.min(right + 1, Float(count)))
  }
}

/// The share of a pixel inside an outline that is `distance` pixels away, negative inside.
@inline(__always)
func softCoverage(_ distance: Float) -> Float { max(0, min(1, 0.5 - distance)) }

/// Random numbers by name, each the same whenever it is asked for.
struct RandomTable: Sendable {
  private let key: UInt64

  init(_ canvas: Canvas, _ disturbance: UInt64) { key = SplitMix64.hash(canvas.seed &+ 400 &+ disturbance) }

  /// Returns the random number `name` of thing `index` within a range, evenly spread.
  func number(_ name: Int, of index: Int = 0, in range: ClosedRange<Double>) -> Double {
    let bits = SplitMix64.hash(SplitMix64.hash(key &+ UInt64(bitPattern: Int64(index))) &+ UInt64(name))
    return range.lowerBound + (range.upperBound - range.lowerBound) * (signedUnit(bits) + 1) / 2
  }
}

extension Canvas {
  /// The number of columns.
  var width: Double { 2 * halfWidth + 1 }
  /// The number of rows.
  var height: Double { 2 * halfHeight + 1 }
}
