import FlowKernelTypes
import Foundation
import Imaging
import Testing

@testable import FlowRendering

@Suite struct RenderingPaletteTests {
  @Test func ringsAreClosed() {
    for palette in RenderingPalette.allCases {
      #expect(palette.ring.count == DirectionRing.count + 1)
      #expect(palette.ring.first == palette.ring.last)
      #expect(palette.ring.allSatisfy { $0 >> 24 == 0 })
    }
    // The first colours of the published tables.
    #expect(RenderingPalette.hue.ring[0] == 0x0000FF && RenderingPalette.hue.ring[255] == 0x00FFFF)
    #expect(RenderingPalette.uniform.ring[0] == 0xF255EF && RenderingPalette.colorblind.ring[0] == 0xEA873E)
  }

  /// A vector has the colour of its direction, clockwise from the right.
  @Test(arguments: RenderingPalette.allCases)
  func directionsGoClockwise(palette: RenderingPalette) throws {
    var options = RenderingOptions(style: .flowview)
    (options.palette, options.cell, options.maxLength) = (palette, 80, .fixed(10))
    for quarter in 0..<4 {
      let (u, v): (Float, Float) = [(10, 0), (0, 10), (-10, 0), (0, -10)][quarter]
      let flow = FlowField(width: 161, height: 161) { _, _ in (u, v) }
      let pixel = try FlowRenderer(options: options, size: flow.size, parallelism: .serial).image(of: flow)[80, 80]
      let word = palette.ring[quarter * DirectionRing.count / 4]
      let expected = RGBA8(UInt8(word & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word >> 16 & 0xFF))
      #expect(maximumDifference(pixel, expected) <= 1, "\(palette) \(quarter): \(pixel)")
    }
  }

  /// Equal turns are equal steps of lightness, which the eye goes by (Kovesi 2015, section 5); the hue circle's are
  /// not.
  @Test func stepsAreEven() {
    func unevenness(_ palette: RenderingPalette) -> Double {
      let colors = colors(palette, count: 90, Vision.usual)
      let steps = colors.indices.map { abs(colors[$0].x - colors[($0 + 1) % colors.count].x) }.sorted()
      return (steps.last ?? 0) / steps[steps.count / 2]
    }
    #expect(unevenness(.uniform) < 1.4)
    #expect(unevenness(.colorblind) < 1.4)
    #expect(unevenness(.hue) > 3)
  }

  /// Eight directions, 45° apart, are told from each other by everybody: a difference of 2.3 can just be seen (Mahy et
  /// al. 1994), one of 10 at a glance.
  @Test(arguments: Vision.allCases)
  func directionsAreToldApart(vision: Vision) {
    func nearest(_ palette: RenderingPalette) -> Double {
      let colors = colors(palette, count: 8, vision)
      return colors.indices.flatMap { a in (0..<a).map { distance(colors[a], colors[$0]) } }.min() ?? 0
    }
    #expect(nearest(.colorblind) > 20)
    #expect(nearest(.uniform) > 11)
    if vision == .withoutRed || vision == .withoutGreen { #expect(nearest(.hue) < 6) }
  }

  /// Ways of seeing colours, as matrices on linear RGB: Machado, Oliveira & Fernandes, IEEE TVCG 15, 2009,
  /// doi:10.1109/TVCG.2009.113, severity 1.
  enum Vision: CaseIterable {
    case usual, withoutRed, withoutGreen, withoutBlue

    var matrix: [Double] {
      switch self {
      case .usual: [1, 0, 0, 0, 1, 0, 0, 0, 1]
      case .withoutRed:
        [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998]
      case .withoutGreen:
        [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881]
      case .withoutBlue:
        [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900]
      }
    }
  }

  private func colors(_ palette: RenderingPalette, count: Int, _ vision: Vision) -> [SIMD3<Double>] {
    (0..<count).map { lab(palette.ring[$0 * DirectionRing.count / count], vision) }
  }

  private func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double { ((a - b) * (a - b)).sum().squareRoot() }

  /// CIELAB, with the white point D65, of a colour as it is seen.
  private func lab(_ word: UInt32, _ vision: Vision) -> SIMD3<Double> {
    let linear = (0..<3).map { channel -> Double in
      let x = Double(word >> (8 * UInt32(channel)) & 0xFF) / 255
      return x <= 0.04045 ? x / 12.92 : power((x + 0.055) / 1.055, 2.4)
    }
    let seen = (0..<3).map { row -> Double in
      let channels = (0..<3).map { column -> Double in vision.matrix[3 * row + column] * linear[column] }
      return min(max(channels.reduce(0, +), 0), 1)
    }
    func f(_ t: Double) -> Double { t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116 }
    let x = f((0.412_456_4 * seen[0] + 0.357_576_1 * seen[1] + 0.180_437_5 * seen[2]) / 0.950_47)
    let y = f(0.212_672_9 * seen[0] + 0.715_152_2 * seen[1] + 0.072_175 * seen[2])
    let z = f((0.019_333_9 * seen[0] + 0.119_192 * seen[1] + 0.950_304_1 * seen[2]) / 1.088_83)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
  }
}
