// Colours between the pixels of an image, for images that are painted through any map.

extension RGB16: WarpSample {
  public var channels: SIMD4<Float> { SIMD4(Float(r), Float(g), Float(b), 0) }
  public init(channels: SIMD4<Float>) {
    let limited = channels.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 65535)) + 0.5
    self.init(UInt16(limited.x), UInt16(limited.y), UInt16(limited.z))
  }
}

extension Plane where Scalar: WarpSample {
  /// Calls `body` with a view that samples colours, not rounded.
  package func withSampler<Result>(_ body: (ImageSampler<Scalar>) throws -> Result) rethrows -> Result {
    try withView { try body(ImageSampler(view: $0)) }
  }
}

/// Samples an image anywhere; beyond the borders lies the nearest pixel. Valid only inside the closure that received
/// it.
///
/// A position is a pair of finite numbers between −10⁹ and 10⁹.
package struct ImageSampler<Scalar: WarpSample>: Sendable {
  fileprivate let view: PlaneView<Scalar>
  fileprivate let limit: SIMD2<Double>

  fileprivate init(view: PlaneView<Scalar>) {
    self.view = view
    limit = SIMD2(Double(view.width - 1), Double(view.height - 1))
  }
}

extension ImageSampler<RGBA8> {
  /// Between sixteen pixels (Keys 1981, a = −½): keeps details, overshoots a little at edges.
  package func bicubic(_ position: SIMD2<Double>) -> SIMD4<Float> { bicubicSample(self, position) }
  /// Between four pixels: for reduced images that are only compared.
  package func bilinear(_ position: SIMD2<Double>) -> SIMD4<Float> { bilinearSample(self, position) }
}

extension ImageSampler<RGB16> {
  /// Between sixteen pixels (Keys 1981, a = −½): keeps details, overshoots a little at edges.
  package func bicubic(_ position: SIMD2<Double>) -> SIMD4<Float> { bicubicSample(self, position) }
}

@inline(__always)
private func bilinearSample<Scalar>(_ sampler: ImageSampler<Scalar>, _ position: SIMD2<Double>) -> SIMD4<Float> {
  let position = position.clamped(lowerBound: .zero, upperBound: sampler.limit)
  return bilinearChannels(sampler.view, position.x, position.y)
}

@inline(__always)
private func bicubicSample<Scalar>(_ sampler: ImageSampler<Scalar>, _ position: SIMD2<Double>) -> SIMD4<Float> {
  let position = position.clamped(lowerBound: .zero, upperBound: sampler.limit)
  return bicubicChannels(sampler.view, position.x, position.y)
}

extension Plane where Scalar == RGBA8 {
  /// The image with one pixel, the mean, for each block of `step × step`; what is left at the right and lower border is
  /// lost.
  public func averaged(by step: Int, parallelism: Parallelism = .serial) -> Plane<RGBA8> {
    blockMeans(of: self, step, parallelism) { source, columns, rows in
      var sum = SIMD4<UInt32>.zero
      for j in rows {
        let row = source.row(j)
        for i in columns { sum &+= SIMD4(UInt32(row[i].r), UInt32(row[i].g), UInt32(row[i].b), UInt32(row[i].a)) }
      }
      let count = UInt32(columns.count * rows.count)
      let mean = (sum &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count)
      return RGBA8(UInt8(mean.x), UInt8(mean.y), UInt8(mean.z), UInt8(mean.w))
    }
  }

  /// 0.299 R + 0.587 G + 0.114 B.
  public var luma: Plane<Float> {
    withView { source in
      Plane<Float>(
        size: size,
        filledBy: { target in
          for y in 0..<source.height {
            let (from, to) = (source.row(y), target.row(y))
            for x in 0..<source.width {
              to[x] = 0.299 * Float(from[x].r) + 0.587 * Float(from[x].g) + 0.114 * Float(from[x].b)
            }
          }
        })
    }
  }
}

extension Plane where Scalar == Float {
  /// The plane with one pixel, the mean, for each block of `step × step`; what is left at the right and lower border is
  /// lost.
  public func averaged(by step: Int, parallelism: Parallelism = .serial) -> Plane<Float> {
    blockMeans(of: self, step, parallelism) { source, columns, rows in
      var sum: Float = 0
      for j in rows {
        let samples = source.row(j)
        for i in columns { sum += samples[i] }
      }
      return sum / Float(rows.count * columns.count)
    }
  }
}

@inline(__always)
private func blockMeans<Scalar: PlaneScalar>(
  of plane: Plane<Scalar>, _ step: Int, _ parallelism: Parallelism,
  _ mean: @escaping @Sendable (_ source: PlaneView<Scalar>, _ columns: Range<Int>, _ rows: Range<Int>) -> Scalar
) -> Plane<Scalar> {
  guard step > 1 else { return plane }
  return plane.withView { source in
    Plane(size: PixelSize(width: max(plane.width / step, 1), height: max(plane.height / step, 1))) { target in
      parallelism.forEachStripe(rows: target.height) { stripe in
        for y in stripe {
          let (row, rows) = (target.row(y), y * step..<min((y + 1) * step, source.height))
          for x in 0..<target.width { row[x] = mean(source, x * step..<min((x + 1) * step, source.width), rows) }
        }
      }
    }
  }
}
