// Images as they look through a projective map: for stabilised videos, stitched images and registered pairs.

/// The ways to sample an image between its pixels.
public enum Interpolation: Sendable, Hashable, CaseIterable {
  /// Between four pixels: fast, softens.
  case bilinear
  /// Between sixteen pixels (Keys 1981, a = −½): keeps details, overshoots a little at edges.
  case bicubic
}

/// The ways to fill what lies outside an image.
public enum WarpBorder: Sendable, Hashable {
  /// A constant value everywhere: transparent, black.
  case constant
  /// The nearest pixel of the border.
  case replicate
}

/// A pixel that can be averaged.
public protocol WarpSample: PlaneScalar {
  /// The channels as numbers.
  var channels: SIMD4<Float> { get }
  /// A pixel from channels, rounded and limited to what it can hold.
  init(channels: SIMD4<Float>)
}

extension Float: WarpSample {
  public var channels: SIMD4<Float> { SIMD4(self, 0, 0, 0) }
  public init(channels: SIMD4<Float>) { self = channels.x }
}

extension UInt8: WarpSample {
  public var channels: SIMD4<Float> { SIMD4(Float(self), 0, 0, 0) }
  public init(channels: SIMD4<Float>) { self = UInt8(Swift.min(Swift.max(channels.x, 0), 255) + 0.5) }
}

extension RGBA8: WarpSample {
  public var channels: SIMD4<Float> { SIMD4(Float(r), Float(g), Float(b), Float(a)) }
  public init(channels: SIMD4<Float>) {
    let limited = channels.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)) + 0.5
    self.init(UInt8(limited.x), UInt8(limited.y), UInt8(limited.z), UInt8(limited.w))
  }
}

extension Plane where Scalar: WarpSample {
  /// The image as `map` shows it: the pixel p of the result shows what the pixel map⁻¹(p) of this one shows.
  ///
  /// - Parameters:
  ///   - map: From pixels of this image to pixels of the result, such as a `warpTransform` for its floating
  ///     image.
  ///   - size: The size of the result.
  ///   - interpolation: The way to sample this image between its pixels.
  ///   - border: The way to fill what lies outside of this image.
  ///   - fill: What `WarpBorder.constant` shows outside; also shown where the map has no inverse.
  ///   - parallelism: The number of threads to use; changes no result.
  /// - Complexity: O(width · height) of the result.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == UInt8)
  @_specialize(where Scalar == RGBA8)
  @_specialize(where Scalar == RGB16)
  public func warped(
    by map: Homography, size: PixelSize, interpolation: Interpolation = .bicubic, border: WarpBorder = .constant,
    fill: Scalar, parallelism: Parallelism = .serial
  ) -> Plane<Scalar> {
    guard let inverse = map.inverse, !self.size.isEmpty else { return Plane(size: size, repeating: fill) }
    return withView { source in
      Plane(
        size: size,
        filledBy: { target in
          parallelism.forEachStripe(rows: size.height) { stripe in
            for y in stripe {
              warpRow(source, inverse, y: y, into: target.row(y), count: size.width, interpolation, border, fill)
            }
          }
        })
    }
  }
}

private func warpRow<Scalar: WarpSample>(
  _ source: PlaneView<Scalar>, _ inverse: Homography, y: Int, into row: UnsafeMutablePointer<Scalar>, count: Int,
  _ interpolation: Interpolation, _ border: WarpBorder, _ fill: Scalar
) {
  let (right, bottom) = (Double(source.width - 1), Double(source.height - 1))
  // Rounding must not push the image's own border outside.
  let tolerance = 1e-6
  for x in 0..<count {
    let w = inverse.depth(SIMD2(Double(x), Double(y)))
    let (px, py) = inverse.apply(x: Double(x), y: Double(y))
    let isInside = px >= -tolerance && py >= -tolerance && px <= right + tolerance && py <= bottom + tolerance
    guard w > 0, isInside || (border == .replicate && px.isFinite && py.isFinite) else {
      row[x] = fill
      continue
    }
    let (cx, cy) = (min(max(px, 0), right), min(max(py, 0), bottom))
    row[x] = Scalar(
      channels: interpolation == .bilinear ? bilinearChannels(source, cx, cy) : bicubicChannels(source, cx, cy))
  }
}

extension PlaneView where Scalar: WarpSample {
  /// The image at a position between pixels; nil outside, also for NaN.
  func sample(_ x: Double, _ y: Double, _ interpolation: Interpolation) -> Scalar? {
    guard x >= 0, y >= 0, x <= Double(width - 1), y <= Double(height - 1) else { return nil }
    return Scalar(channels: interpolation == .bilinear ? bilinearChannels(self, x, y) : bicubicChannels(self, x, y))
  }
}

extension PlaneView<Float> {
  /// The value between the pixels at (column, row), to the right of it and below; past the last ones, these count.
  ///
  /// - Parameters:
  ///   - fx, fy: The distance from the pixel, 0…1; their type is that in which the value is computed.
  @inlinable
  @inline(__always)
  package func bilinear<Value: BinaryFloatingPoint>(column: Int, row: Int, fx: Value, fy: Value) -> Value {
    let (top, low) = (self.row(row), self.row(Swift.min(row + 1, height - 1)))
    let right = Swift.min(column + 1, width - 1)
    let upper = Value(top[column]) + fx * (Value(top[right]) - Value(top[column]))
    let lower = Value(low[column]) + fx * (Value(low[right]) - Value(low[column]))
    return upper + fy * (lower - upper)
  }

  /// The value at a position inside.
  @inlinable
  @inline(__always)
  package func bilinear(x: Float, y: Float) -> Float {
    let (column, row) = (Int(x), Int(y))
    return bilinear(column: column, row: row, fx: x - Float(column), fy: y - Float(row))
  }
}

/// The channels at a position inside.
func bilinearChannels<Scalar: WarpSample>(_ source: PlaneView<Scalar>, _ x: Double, _ y: Double) -> SIMD4<Float> {
  let (x0, y0) = (Int(x), Int(y))
  let (fx, fy) = (Float(x - Double(x0)), Float(y - Double(y0)))
  let x1 = min(x0 + 1, source.width - 1)
  let (top, low) = (source.row(y0), source.clampedRow(y0 + 1))
  let upper = top[x0].channels * (1 - fx) + top[x1].channels * fx
  let lower = low[x0].channels * (1 - fx) + low[x1].channels * fx
  return upper * (1 - fy) + lower * fy
}

/// The channels at a position inside.
func bicubicChannels<Scalar: WarpSample>(_ source: PlaneView<Scalar>, _ x: Double, _ y: Double) -> SIMD4<Float> {
  let (x0, y0) = (Int(x), Int(y))
  let across = cubicWeights(Float(x - Double(x0)))
  let down = cubicWeights(Float(y - Double(y0)))
  var sum = SIMD4<Float>.zero
  for j in 0..<4 {
    let row = source.clampedRow(y0 + j - 1)
    var line = SIMD4<Float>.zero
    for i in 0..<4 {
      let column = min(max(x0 + i - 1, 0), source.width - 1)
      line += row[column].channels * across[i]
    }
    sum += line * down[j]
  }
  return sum
}

/// Keys's weights of the samples at −1, 0, 1, 2 for a position at 0 ≤ f < 1; exactly 0, 1, 0, 0 at 0.
private func cubicWeights(_ f: Float) -> SIMD4<Float> {
  SIMD4(
    ((1 - 0.5 * f) * f - 0.5) * f, (1.5 * f - 2.5) * (f * f) + 1, ((2 - 1.5 * f) * f + 0.5) * f,
    (0.5 * f - 0.5) * (f * f))
}
