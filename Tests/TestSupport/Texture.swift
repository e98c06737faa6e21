// Images with exact truth: a texture that is a function of real coordinates can be shifted, turned and zoomed without
// interpolation.

import Foundation
import Imaging

/// Random numbers that are the same in every run.
package typealias FixedRandom = SplitMix64

/// A sum of plane waves between 0 and 255, with wavelengths of 7 to 60 pixels.
public struct Texture: Sendable {
  /// Eight waves: their numbers are turns per pixel, turns, and grey levels.
  private struct Waves {
    var kx = SIMD8<Double>.zero
    var ky = SIMD8<Double>.zero
    var phase = SIMD8<Double>.zero
    var amplitude = SIMD8<Double>.zero
  }

  private let waves: [Waves]

  public init(seed: UInt64 = 1, waveCount: Int = 24) {
    var random = FixedRandom(seed: seed)
    var waves = [Waves](repeating: Waves(), count: (waveCount + 7) / 8)
    for index in 0..<waveCount {
      let wavelength = 7 * pow(60 / 7, Double(index) / Double(max(waveCount - 1, 1)))
      let angle = Double.random(in: 0..<(2 * .pi), using: &random)
      waves[index / 8].kx[index % 8] = cos(angle) / wavelength
      waves[index / 8].ky[index % 8] = sin(angle) / wavelength
      waves[index / 8].phase[index % 8] = Double.random(in: 0..<(2 * .pi), using: &random) / (2 * .pi)
      waves[index / 8].amplitude[index % 8] = 127 / Double(waveCount)
    }
    self.waves = waves
  }

  public func value(_ x: Double, _ y: Double) -> Float {
    var sum = 127.5
    for wave in waves { sum += (wave.amplitude * Self.sine(wave.kx * x + wave.ky * y + wave.phase)).sum() }
    return Float(sum)
  }

  /// The sines of angles in turns: the series up to the 17th power, exact to 1e-13. Half of what tests drew was libm's.
  @inline(__always)
  private static func sine(_ turns: SIMD8<Double>) -> SIMD8<Double> {
    let part = turns - turns.rounded(.toNearestOrEven)
    // sin(½ − x) = sin x, in turns: at most a quarter is left.
    let folded = part.replacing(with: 0.5 - part, where: part .> 0.25)
    let angle = folded.replacing(with: -0.5 - folded, where: folded .< -0.25) * (2 * .pi)
    let square = angle * angle
    var series = SIMD8(repeating: 1 / 355_687_428_096_000.0)
    for factorial in [-1_307_674_368_000, 6_227_020_800, -39_916_800, 362_880, -5040, 120, -6, 1.0] {
      series = series * square + 1 / factorial
    }
    return series * angle
  }

  /// Returns the image whose pixel (x, y) shows the texture at `position(x, y)`.
  public func image(
    width: Int, height: Int, at position: (Double, Double) -> (Double, Double) = { ($0, $1) }
  ) -> Plane<Float> {
    Plane(width: width, height: height) { x, y in
      let (sourceX, sourceY) = position(Double(x), Double(y))
      return value(sourceX, sourceY)
    }
  }
}

extension Plane where Scalar == Float {
  /// The bit patterns of all pixels, row by row: tells −0 from 0, and one NaN equals itself.
  public var bits: [UInt32] {
    withView { view in (0..<view.height).flatMap { y in (0..<view.width).map { view.row(y)[$0].bitPattern } } }
  }
}

extension FlowField {
  /// The bit patterns of all vectors.
  public var bits: [UInt32] { u.bits + v.bits }

  /// The mean distance to `truth(x, y)` over the pixels at least `margin` from the border.
  public func meanError(margin: Int, truth: (Double, Double) -> (Double, Double)) -> Double {
    var sum = 0.0
    var count = 0
    for y in margin..<height - margin {
      for x in margin..<width - margin {
        let (u, v) = truth(Double(x), Double(y))
        sum += hypot(Double(self[x, y].u) - u, Double(self[x, y].v) - v)
        count += 1
      }
    }
    return sum / Double(count)
  }
}
