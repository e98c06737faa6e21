import Foundation
import Rheo
import TestSupport

/// An image without end, of which cameras show parts: coloured, as a function of real coordinates.
struct TexturedWorld: Sendable {
  private let light: Texture
  private let hue: Texture

  init(seed: UInt64) {
    light = Texture(seed: seed, waveCount: 40)
    hue = Texture(seed: seed + 1, waveCount: 12)
  }

  func color(_ x: Double, _ y: Double) -> SIMD3<Double> {
    let (l, c) = (Double(light.value(x, y)), Double(hue.value(x, y)) - 127.5)
    return SIMD3(l + c / 2, l, l - c / 2)
  }

  /// Returns the image of a camera whose pixel (x, y) shows the world at `position(x, y)`.
  func view(
    _ size: PixelSize, gain: Double = 1, noise: Double = 0, seed: UInt64 = 1,
    at position: (Double, Double) -> (x: Double, y: Double)
  ) -> Plane<RGBA8> {
    var random = FixedRandom(seed: seed)
    return Plane(width: size.width, height: size.height) { x, y in
      let position = position(Double(x), Double(y))
      let color = color(position.x, position.y) * gain
      func sample(_ value: Double) -> UInt8 {
        let noise = noise > 0 ? normal(&random) * noise : 0
        return UInt8(min(max((value + noise).rounded(), 0), 255))
      }
      return RGBA8(sample(color.x), sample(color.y), sample(color.z))
    }
  }

  /// The sum of twelve even numbers is nearly normal.
  private func normal(_ random: inout FixedRandom) -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 }
  }
}

/// Images as a video without loss.
func writeVideo(_ images: [Plane<RGBA8>], to file: URL) throws {
  let encoding = EncoderOptions(codec: "ffv1", pixelFormat: "yuv444p", overwrites: true)
  let writer = try VideoWriter(file.path, options: encoding, size: images[0].size, frameRate: Rational(25, 1))
  let maker = CanvasMaker(format: writer.canvasFormat)
  for (number, image) in images.enumerated() {
    let time = MediaTime(value: Int64(number), timeBase: Rational(1, 25))
    try writer.append(try maker.canvas(for: VideoFrame(image: image, number: number, presentationTime: time)))
  }
  try writer.finish()
}

/// The differences of an image from what it should be, where it is opaque.
struct ImageError {
  var meanSquare = 0.0
  /// The largest mean error of a block of 16 × 16 pixels, over the channels: exposure steps.
  var maximumBlockDifference = 0.0
  /// The largest mean error of such a block in a single channel: ghosts of another colour.
  var maximumTint = 0.0

  /// Peak signal-to-noise ratio in dB, of 255.
  var ratio: Double { 10 * log10(255 * 255 / meanSquare) }

  /// - Parameter truth: The colour of each pixel.
  init(_ image: Plane<RGBA8>, truth: (Int, Int) -> SIMD3<Double>) {
    var blocks: [Int: (sum: SIMD3<Double>, count: Double)] = [:]
    var (sum, count) = (0.0, 0.0)
    for y in 0..<image.height {
      for x in 0..<image.width where image[x, y].a == 255 {
        let pixel = image[x, y]
        let error = SIMD3(Double(pixel.r), Double(pixel.g), Double(pixel.b)) - truth(x, y)
        sum += (error * error).sum()
        count += 3
        let block = blocks[y / 16 * 10_000 + x / 16] ?? (.zero, 0)
        blocks[y / 16 * 10_000 + x / 16] = (block.sum + error, block.count + 1)
      }
    }
    meanSquare = sum / max(count, 1)
    let means = blocks.values.filter { $0.count > 128 }.map { $0.sum / $0.count }
    maximumBlockDifference = means.map { abs($0.sum() / 3) }.max() ?? .infinity
    maximumTint = means.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? .infinity
  }
}
