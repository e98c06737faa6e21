import Imaging
import Testing

@testable import ObjectTracking

/// A grey street with a rectangle of another luma or colour.
@Suite struct BackgroundModelTests {
  // Odd, so that the colours are half of it rounded up.
  private let size = PixelSize(width: 81, height: 61)
  private let rect = (x: 30..<50, y: 20..<44)

  private func image(lumaOffset: Float = 0, colorOffset: SIMD2<Float> = .zero, hasColor: Bool = true) -> ObservedImage {
    let half = ObservedImage.colorSize(of: size)
    func isInside(_ x: Int, _ y: Int) -> Bool { rect.x.contains(x) && rect.y.contains(y) }
    let luma = Plane<Float>(width: size.width, height: size.height) { x, y in
      120 + Float((x * 7 + y * 13) % 5) + (isInside(x, y) ? lumaOffset : 0)
    }
    let colors = (0..<2).map { index in
      Plane<Float>(width: half.width, height: half.height) { x, y in
        128 + (isInside(2 * x, 2 * y) ? colorOffset[index] : 0)
      }
    }
    return ObservedImage(luma: luma, colors: hasColor ? colors : [])
  }

  /// The share of the rectangle that stands out, and that of all else.
  private func shares(_ mask: BitMask) -> (inside: Double, outside: Double) {
    var (inside, outside) = (0, 0)
    for y in 0..<size.height {
      for x in 0..<size.width where mask[x, y] {
        if rect.x.contains(x) && rect.y.contains(y) { inside += 1 } else { outside += 1 }
      }
    }
    let area = rect.x.count * rect.y.count
    return (Double(inside) / Double(area), Double(outside) / Double(size.area - area))
  }

  @Test(arguments: [SIMD2<Float>(0, 30), SIMD2(-12, 14), SIMD2(-25, 0)])
  func colorAloneStandsOut(offset: SIMD2<Float>) {
    let background = BackgroundModel(Array(repeating: image(), count: 5))
    let (inside, outside) = shares(background.foreground(of: image(colorOffset: offset)))
    #expect(inside > 0.9 && outside < 0.05, "\(inside), \(outside)")
  }

  /// A shadow is darker, and a little bluer.
  @Test func aShadowDoesNotStandOut() {
    let background = BackgroundModel(Array(repeating: image(), count: 5))
    let mask = background.foreground(of: image(lumaOffset: -22, colorOffset: SIMD2(3, -2)))
    #expect(mask.share == 0)
  }

  /// In the dark, where all differences are less, less stands out; noise does not.
  @Test func inTheDarkLessStandsOut() {
    func darkened(_ image: ObservedImage, noiseSeed: Int = 0) -> ObservedImage {
      ObservedImage(
        luma: Plane<Float>(width: size.width, height: size.height) { x, y in
          let noise = noiseSeed == 0 ? 0 : Float((x * 31 + y * 17 + noiseSeed * 13) % 9) - 4
          return 0.4 * image.luma[x, y] + noise
        })
    }
    let background = BackgroundModel(Array(repeating: darkened(image()), count: 5))
    let (inside, outside) = shares(background.foreground(of: darkened(image(lumaOffset: -60), noiseSeed: 3)))
    #expect(inside > 0.9 && outside < 0.05, "\(inside), \(outside)")
    #expect(background.foreground(of: darkened(image(lumaOffset: -22), noiseSeed: 5)).share < 0.01)
    let bright = BackgroundModel(Array(repeating: image(), count: 5))
    #expect(bright.foreground(of: image(lumaOffset: -18)).share == 0)
  }

  @Test func aFrameWithoutColorIsJudgedByItsLuma() {
    var background = BackgroundModel(Array(repeating: image(), count: 5))
    let gray = image(lumaOffset: -60, hasColor: false)
    #expect(shares(background.foreground(of: gray)).inside > 0.9)
    background.learn(gray, occupied: [])
    #expect(shares(background.foreground(of: image(colorOffset: SIMD2(0, 30)))).inside > 0.9)
    let colorless = BackgroundModel([gray])
    #expect(colorless.foreground(of: image(lumaOffset: -60, colorOffset: SIMD2(0, 30))).share == 0)
  }

  /// A colour that stays becomes background where nothing is followed; where something is, it does so much later.
  @Test func whatStaysIsLearned() {
    let offset = SIMD2<Float>(0, 30)
    var (free, held) = (BackgroundModel([image()]), BackgroundModel([image()]))
    let area = PixelRect(x: 28, y: 18, width: 24, height: 28)
    for _ in 0..<60 {
      free.learn(image(colorOffset: offset), occupied: [])
      held.learn(image(colorOffset: offset), occupied: [.init(pixels: area, isStill: false)])
    }
    #expect(free.foreground(of: image(colorOffset: offset)).share == 0)
    #expect(shares(held.foreground(of: image(colorOffset: offset))).inside > 0.9)
  }
}
