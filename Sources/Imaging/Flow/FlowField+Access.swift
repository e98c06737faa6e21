// Single vectors, other layouts in memory, and images moved by a field.

extension FlowField {
  /// The vector at a point between pixels, in pixels: bilinear between the four around it, of those that are known.
  ///
  /// Not `PlaneView.bilinear`, which has four known samples: unknown vectors do not count here, and the weights of the
  /// others are made to sum to 1.
  /// - Returns: nil outside the image (more than half a pixel beyond the middle of its border pixels), or where none of
  ///   the four is known.
  public func vector(at point: PixelPoint) -> (u: Float, v: Float)? {
    guard point.x >= -0.5, point.y >= -0.5, point.x <= Double(width) - 0.5, point.y <= Double(height) - 0.5 else {
      return nil
    }
    let (x, y) = (min(max(point.x, 0), Double(width - 1)), min(max(point.y, 0), Double(height - 1)))
    let (left, top) = (Int(x), Int(y))
    let (fx, fy) = (Float(x - Double(left)), Float(y - Double(top)))
    var (u, v, weight): (Float, Float, Float) = (0, 0, 0)
    for (column, row, share) in [
      (left, top, (1 - fx) * (1 - fy)), (left + 1, top, fx * (1 - fy)), (left, top + 1, (1 - fx) * fy),
      (left + 1, top + 1, fx * fy),
    ] where share > 0 && isKnown(x: column, y: row) {
      let vector = self[column, row]
      u += share * vector.u
      v += share * vector.v
      weight += share
    }
    // Where all four are known the weights sum to 1 but for rounding.
    return weight > 0 ? (u / weight, v / weight) : nil
  }

  /// The two components as they lie in memory, without a copy.
  package func withVectors<Result, Failure: Error>(
    _ body: (_ u: PlaneView<Float>, _ v: PlaneView<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try u.withView { (u) throws(Failure) in try v.withView { (v) throws(Failure) in try body(u, v) } }
  }

  /// The vectors as pairs (u, v), a copy: the layout of `.flo` files, NumPy arrays of shape (height, width, 2) and
  /// textures.
  public func interleaved() -> Plane<SIMD2<Float>> { paired { SIMD2($0, $1) } }

  /// Returns the vectors as pairs (u, v) with 16 bits a component, a copy: half the memory of `interleaved()`; exact to
  /// 1/2048 of the length, and lengths up to 65504.
  public func interleavedHalf() -> Plane<SIMD2<Float16>> { paired { SIMD2(Float16($0), Float16($1)) } }

  /// The components with 16 bits each, a copy.
  public func planarHalf() -> (u: Plane<Float16>, v: Plane<Float16>) {
    (u.mapped { Float16($0) }, v.mapped { Float16($0) })
  }

  private func paired<Pair: PlaneScalar>(_ pair: (Float, Float) -> Pair) -> Plane<Pair> {
    withVectors { u, v in
      Plane(size: size) { target in
        for y in 0..<u.height {
          let (uRow, vRow, output) = (u.row(y), v.row(y), target.row(y))
          for x in 0..<u.width { output[x] = pair(uRow[x], vRow[x]) }
        }
      }
    }
  }

  /// The image that the vectors point into, as it looks on the field's grid: the pixel (x, y) of the result shows what
  /// `image` shows at (x + u, y + v). With forward flow and `current` that is `previous`, but for what is hidden.
  ///
  /// - Parameters:
  ///   - image: An image of the field's size.
  ///   - interpolation: How the image is sampled between its pixels.
  ///   - fill: Shown where the vector is unknown or leaves the image.
  ///   - parallelism: The number of threads to use; changes no result.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == UInt8)
  @_specialize(where Scalar == RGBA8)
  @_specialize(where Scalar == RGB16)
  public func warp<Scalar: WarpSample>(
    _ image: Plane<Scalar>, interpolation: Interpolation = .bicubic, fill: Scalar,
    parallelism: Parallelism = Parallelism()
  ) -> Plane<Scalar> {
    precondition(image.size == size, "an image of \(image.size), a field of \(size)")
    return image.withView { source in
      withVectors { u, v in
        Plane(size: size) { target in
          parallelism.forEachStripe(rows: u.height) { rows in
            for y in rows {
              let (uRow, vRow, output) = (u.row(y), v.row(y), target.row(y))
              for x in 0..<u.width {
                output[x] =
                  source.sample(Double(x) + Double(uRow[x]), Double(y) + Double(vRow[x]), interpolation) ?? fill
              }
            }
          }
        }
      }
    }
  }
}

extension Plane {
  fileprivate func mapped<Other: PlaneScalar>(_ transform: (Scalar) -> Other) -> Plane<Other> {
    withView { source in
      Plane<Other>(size: size) { target in
        for y in 0..<source.height {
          let (input, output) = (source.row(y), target.row(y))
          for x in 0..<source.width { output[x] = transform(input[x]) }
        }
      }
    }
  }
}
