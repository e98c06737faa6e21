// The colours of the styles that look them up.

import FlowKernelTypes
import Imaging

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The ring of 55 colours of Baker et al., "A Database and Evaluation Methodology for Optical Flow", IJCV 92, 2011,
/// doi:10.1007/s11263-010-0390-2.
enum MiddleburyRing {
  /// Added to the longest vector before lengths are divided by it, as flow_vis does.
  static let epsilon: Float = 1e-5

  /// Steps from red to yellow, green, cyan, blue, magenta and back to red.
  private static let steps = [15, 6, 4, 11, 13, 6]

  /// The 55 colours, 0…255.
  static let colors: [SIMD4<Float>] = {
    let corners: [SIMD4<Float>] = [
      [255, 0, 0, 0], [255, 255, 0, 0], [0, 255, 0, 0], [0, 255, 255, 0], [0, 0, 255, 0], [255, 0, 255, 0],
      [255, 0, 0, 0],
    ]
    var ring: [SIMD4<Float>] = []
    for (index, count) in steps.enumerated() {
      let direction = (corners[index + 1] - corners[index]) / 255
      for step in 0..<count { ring.append(corners[index] + direction * Float(255 * step / count)) }
    }
    return ring
  }()

  /// The table that the kernel reads: each colour in 0…1, and the way to the next one.
  static let table: [SIMD4<Float>] = table(of: colors)

  /// The table of another palette's ring, which replaces the wheel's own; that of `hue` is the wheel's.
  static func table(of palette: RenderingPalette) -> [SIMD4<Float>] {
    if palette == .hue { return table }
    return table(
      of: colors.indices.map { index in
        let word = palette.ring[index * DirectionRing.count / (colors.count - 1)]
        return [Float(word & 0xFF), Float(word >> 8 & 0xFF), Float(word >> 16 & 0xFF), 0]
      })
  }

  private static func table(of colors: [SIMD4<Float>]) -> [SIMD4<Float>] {
    colors.indices.flatMap { index in
      let next = colors[(index + 1) % colors.count]
      return [colors[index] / 255, (next - colors[index]) / 255]
    }
  }
}

/// A perceptually uniform ramp from black through violet, red and orange to pale yellow.
///
/// Lightness L* of CIELAB (ISO/CIE 11664-4) rises linearly and hue turns once from violet to yellow. Chroma follows
/// a smooth curve that stays inside the sRGB gamut (IEC 61966-2-1), for where it touches the gamut's corners the eye
/// sees edges; the darkest colours, which have next to no room, are pulled in. Hue and chroma were chosen by eye.
enum HeatMap {
  /// 256 colours, the opacity 0.
  static let table: [RGBA8] = (0..<256).map { color(at: Double($0) / 255) }

  /// The 256 colours of ``table``, one word a colour.
  static let words: [UInt32] = table.map { UInt32($0.r) | UInt32($0.g) << 8 | UInt32($0.b) << 16 }

  static let lightnessRange = 0.0...97.0
  private static let hueStart = 290.0
  private static let hueEnd = 468.0
  /// Chroma at the two ends of the curve (if it did not start at 0), and in its middle.
  private static let chromaEnd = 46.0
  private static let chromaPeak = 64.0

  private static func color(at t: Double) -> RGBA8 {
    let lightness = lightnessRange.lowerBound + (lightnessRange.upperBound - lightnessRange.lowerBound) * t
    let hue = (hueStart + (hueEnd - hueStart) * t) * .pi / 180
    let bell = sin(.pi * t) * sin(.pi * t)
    var (low, high) = (0.0, (chromaEnd + (chromaPeak - chromaEnd) * bell) * (1 - pow(1 - t, 8)))
    if inGamut(linear(lightness, high, hue)) { low = high }
    for _ in 0..<40 where low < high {
      let middle = (low + high) / 2
      if inGamut(linear(lightness, middle, hue)) { low = middle } else { high = middle }
    }
    let rgb = linear(lightness, low, hue).map { encode(min(max($0, 0), 1)) }
    return RGBA8(rgb[0], rgb[1], rgb[2], 0)
  }

  private static func inGamut(_ rgb: [Double]) -> Bool { rgb.allSatisfy { $0 >= -1e-4 && $0 <= 1 + 1e-4 } }

  /// Linear sRGB of a colour given by lightness, chroma and hue in CIELAB with the white point D65.
  private static func linear(_ lightness: Double, _ chroma: Double, _ hue: Double) -> [Double] {
    func inverse(_ f: Double) -> Double { f > 6.0 / 29 ? f * f * f : 3 * (6.0 / 29) * (6.0 / 29) * (f - 4.0 / 29) }
    let f = (lightness + 16) / 116
    let x = 0.950_47 * inverse(f + chroma * cos(hue) / 500)
    let y = inverse(f)
    let z = 1.088_83 * inverse(f - chroma * sin(hue) / 200)
    return [
      3.240_454_2 * x - 1.537_138_5 * y - 0.498_531_4 * z, -0.969_266 * x + 1.876_010_8 * y + 0.041_556 * z,
      0.055_643_4 * x - 0.204_025_9 * y + 1.057_225_2 * z,
    ]
  }

  private static func encode(_ x: Double) -> UInt8 {
    UInt8((255 * (x <= 0.003_130_8 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055)).rounded())
  }
}
