// Images with exact truth: a texture that is a function of real coordinates can be shifted, turned and zoomed without
// interpolation.

import Foundation
import Imaging

/// Random numbers that are the same in every run.
package typealias FixedRandom = SplitMix64

/// A sum of plane waves between 0 and 255, with wavelengths of 7 to 60 pixels.
public struct Texture: Sendable {
  private struct Wave {
    var kx: Double
    var ky: Double
    var phase: Double
    var amplitude: Double
  }

  private let waves: [Wave]

  public init(seed: UInt64 = 1, waveCount: Int = 24) {
    var random = FixedRandom(seed: seed)
    waves = (0..<waveCount).map { index in
      let wavelength = 7 * pow(60 / 7, Double(index) / Double(max(waveCount - 1, 1)))
      let angle = Double.random(in: 0..<(2 * .pi), using: &random)
      return Wave(
        kx: 2 * .pi / wavelength * cos(angle), ky: 2 * .pi / wavelength * sin(angle),
        phase: Double.random(in: 0..<(2 * .pi), using: &random), amplitude: 127 / Double(waveCount))
    }
  }

  public func value(_ x: Double, _ y: Double) -> Float {
    Float(waves.reduce(127.5) { $0 + $1.amplitude * sin($1.kx * x + $1.ky * y + $1.phase) })
  }

  /// The image whose pixel (x, y) shows the texture at `place(x, y)`.
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
