import Imaging

/// Smooth noise: random numbers on a square lattice, interpolated by uniform cubic B-splines.
///
/// B-splines are twice differentiable, and their spectrum falls like sinc⁴: next to nothing lies above one period
/// per two cells. So a cell of 2 px is band-limited enough for exact sub-pixel motion. Interpolated gradient noise
/// has zeros at all lattice points and spectral tails that would alias; hence not that.
///
/// The lattice repeats after 256 cells. Octaves read it at other angles and offsets, so their sum does not repeat.
struct NoiseLattice: Sendable {
  static let period = 256
  private static let mask = period - 1

  /// Rows of `period` numbers, and three more from the row's start, so that four neighbours are one load.
  private let values: Plane<Float>

  init(seed: UInt64) {
    // Uniform numbers in ±a have deviation a/√3, and the spline's weights take a factor of 151/315.
    let amplitude = Float(3.0.squareRoot() * 315 / 151)
    values = Plane(width: Self.period + 3, height: Self.period) { x, y in
      amplitude * Float(signedUnit(SplitMix64.hash(SplitMix64.hash(seed) ^ UInt64(y << 32 | x & Self.mask))))
    }
  }

  /// Gives `body` the lattice to read from.
  func withSampler(_ body: (Sampler) -> Void) {
    values.withView { body(Sampler(values: $0)) }
  }

  /// The noise, for use that does not escape. Mean 0, standard deviation 1, absolute value below 4.
  struct Sampler {
    let values: PlaneView<Float>

    /// The noise at (u, v) in cells. Both must be positive.
    @inline(__always)
    func value(_ u: Double, _ v: Double) -> Float {
      let column = Int(u)
      let row = Int(v)
      let weightsX = Self.weights(Float(u - Double(column)))
      let weightsY = Self.weights(Float(v - Double(row)))
      var sum = weightsY[0] * four(column, row)
      sum += weightsY[1] * four(column, row &+ 1)
      sum += weightsY[2] * four(column, row &+ 2)
      sum += weightsY[3] * four(column, row &+ 3)
      sum *= weightsX
      return (sum[0] + sum[1]) + (sum[2] + sum[3])
    }

    @inline(__always)
    private func four(_ column: Int, _ row: Int) -> SIMD4<Float> {
      let start =
        UnsafeRawPointer(values.base) + (row & NoiseLattice.mask) &* values.stride
        + (column & NoiseLattice.mask) &* 4
      return start.loadUnaligned(as: SIMD4<Float>.self)
    }

    /// The cubic B-spline's weights of the four lattice points around `t` in 0 ..< 1.
    @inline(__always)
    private static func weights(_ t: Float) -> SIMD4<Float> {
      let c0 = SIMD4<Float>(1 / 6, 4 / 6, 1 / 6, 0)
      let c1 = SIMD4<Float>(-0.5, 0, 0.5, 0)
      let c2 = SIMD4<Float>(0.5, -1, 0.5, 0)
      let c3 = SIMD4<Float>(-1 / 6, 0.5, -0.5, 1 / 6)
      // Step by step: as one expression it takes the compiler too long.
      var sum = c3 * t
      sum += c2
      sum *= t
      sum += c1
      sum *= t
      sum += c0
      return sum
    }
  }
}
