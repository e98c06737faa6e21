import FlowKernels
import Imaging
import TestSupport
import Testing

@testable import FlowRendering

@Suite struct CompositorTests {
  static let sizes = [
    PixelSize(width: 48, height: 36), PixelSize(width: 37, height: 35), PixelSize(width: 1, height: 1),
    PixelSize(width: 3, height: 70), PixelSize(width: 67, height: 2),
  ]

  @Test(arguments: ImageFormat.all)
  func transparentPixelsKeepTheirSamples(format: ImageFormat) {
    for size in Self.sizes {
      let image = TestImage(size: size, format: format)
      let before = image.bytes
      // Transparent, but of every colour.
      blend(Plane(width: size.width, height: size.height) { x, y in RGBA8(255, UInt8(x), UInt8(y), 0) }, image)
      #expect(image.bytes == before)
    }
  }

  @Test(arguments: ImageFormat.all)
  func chromaIsTouchedOnlyUnderOpaquePixels(format: ImageFormat) {
    let size = PixelSize(width: 45, height: 39)
    let image = TestImage(size: size, format: format)
    let before = (0..<format.planeCount).map(image.samples)
    let guards = image.guards
    let (left, top, right, bottom) = (13, 9, 30, 22)
    blend(
      Plane(width: 45, height: 39) { x, y in
        RGBA8(200, 30, 90, x >= left && x < right && y >= top && y < bottom ? 255 : 0)
      }, image)
    for plane in 0..<format.planeCount {
      let planeSize = format.planeSize(plane, of: size)
      let isChroma = format.colorModel == .yuv && plane > 0
      let (shiftX, shiftY) = isChroma ? (format.chromaShiftX, format.chromaShiftY) : (0, 0)
      for y in 0..<planeSize.height {
        for x in 0..<planeSize.width {
          let isUnder =
            (x + 1) << shiftX > left && x << shiftX < right && (y + 1) << shiftY > top && y << shiftY < bottom
          if !isUnder { #expect(image[plane, x, y] == before[plane][y * planeSize.width + x]) }
        }
      }
    }
    #expect(image.guards == guards)
  }

  @Test(arguments: ImageFormat.all)
  func opaqueColoursHaveTheirReferenceValues(format: ImageFormat) {
    let colors = [
      RGBA8(255, 0, 0), RGBA8(0, 255, 0), RGBA8(0, 0, 255), .white, .black, RGBA8(128, 128, 128), RGBA8(12, 200, 77),
    ]
    for size in Self.sizes {
      for color in colors {
        let image = TestImage(size: size, format: format)
        let guards = image.guards
        blend(Plane(size: size, repeating: color), image)
        for plane in 0..<format.planeCount {
          let expected = reference(color, plane: plane, format)
          #expect(
            image.samples(plane).allSatisfy { abs($0 - expected) <= 1 },
            "\(format), \(size), \(color), plane \(plane): \(image.samples(plane).prefix(3)), not \(expected)")
        }
        #expect(image.guards == guards)
      }
    }
  }

  @Test(arguments: ImageFormat.all)
  func opaqueLayersHideWhatWasThere(format: ImageFormat) {
    for size in Self.sizes {
      let layer = randomLayer(size, opacity: 255)
      let images = [7, 8].map { TestImage(size: size, format: format, seed: $0) }
      for image in images { blend(layer, image) }
      for plane in 0..<format.planeCount {
        #expect(images[0].samples(plane) == images[1].samples(plane), "\(format), \(size), plane \(plane)")
      }
    }
  }

  @Test func knownValuesOfBroadcastVideo() {
    // ITU-R BT.709, limited range, 8 bits: the colour bars' 100 % red, green and blue.
    let format = ImageFormat(colorModel: .yuv, isFullRange: false, matrix: .bt709)
    for (color, values) in [
      (RGBA8(255, 0, 0), [63, 102, 240]), (RGBA8(0, 255, 0), [173, 42, 26]), (RGBA8(0, 0, 255), [32, 240, 118]),
      (.white, [235, 128, 128]), (.black, [16, 128, 128]),
    ] {
      let image = TestImage(size: PixelSize(width: 9, height: 2), format: format)
      blend(Plane(size: image.size, repeating: color), image)
      for plane in 0..<3 { #expect(image.samples(plane).allSatisfy { abs($0 - values[plane]) <= 1 }) }
    }
  }

  @Test(arguments: ImageFormat.all)
  func bottomUpImagesGetTheSameSamples(format: ImageFormat) {
    let size = PixelSize(width: 37, height: 35)
    let layer = randomLayer(size)
    let (topDown, bottomUp) = (
      TestImage(size: size, format: format), TestImage(size: size, format: format, isBottomUp: true)
    )
    let guards = bottomUp.guards
    for plane in 0..<format.planeCount {
      let planeSize = format.planeSize(plane, of: size)
      for y in 0..<planeSize.height {
        for x in 0..<planeSize.width { bottomUp[plane, x, y] = topDown[plane, x, y] }
      }
    }
    blend(layer, topDown)
    blend(layer, bottomUp)
    for plane in 0..<format.planeCount { #expect(topDown.samples(plane) == bottomUp.samples(plane)) }
    #expect(bottomUp.guards == guards)
  }

  @Test(arguments: ImageFormat.all)
  func halfOpaqueLayersMixWithWhatIsThere(format: ImageFormat) {
    for size in Self.sizes {
      let layer = randomLayer(size)
      let image = TestImage(size: size, format: format)
      let before = TestImage(size: size, format: format)
      blend(layer, image)
      for plane in 0..<format.planeCount {
        let planeSize = format.planeSize(plane, of: size)
        for y in 0..<planeSize.height {
          for x in 0..<planeSize.width {
            let expected = mix(layer, before, plane, x, y)
            #expect(abs(Double(image[plane, x, y]) - expected) <= 0.6, "\(format) \(size) \(plane) (\(x), \(y))")
          }
        }
      }
    }
  }

  /// The mean over the pixels of a sample of (1 − a) · old + a · colour.
  private func mix(_ layer: Plane<RGBA8>, _ image: TestImage, _ plane: Int, _ x: Int, _ y: Int) -> Double {
    let format = image.format
    let isChroma = format.colorModel == .yuv && plane > 0
    let (shiftX, shiftY) = isChroma ? (format.chromaShiftX, format.chromaShiftY) : (0, 0)
    var (sum, count) = (0.0, 0.0)
    for row in y << shiftY..<min((y + 1) << shiftY, layer.height) {
      for column in x << shiftX..<min((x + 1) << shiftX, layer.width) {
        let pixel = layer[column, row]
        let opacity = Double(pixel.a) / 255
        sum += (1 - opacity) * Double(image[plane, x, y]) + opacity * value(pixel, plane: plane, format)
        count += 1
      }
    }
    return sum / count
  }

  private func randomLayer(_ size: PixelSize, opacity: UInt8? = nil) -> Plane<RGBA8> {
    var random = FixedRandom(seed: 21)
    return Plane(width: size.width, height: size.height) { _, _ in
      let bytes = random.next()
      let alpha = opacity ?? UInt8(bytes >> 24 & 255)
      return RGBA8(UInt8(bytes & 255), UInt8(bytes >> 8 & 255), UInt8(bytes >> 16 & 255), alpha)
    }
  }

  /// Blends in stripes of eight rows, with every variant of the kernels in turn; they must agree.
  private func blend(_ layer: Plane<RGBA8>, _ image: TestImage) {
    let pitch = image.size.width + 24
    let scratch = UnsafeMutablePointer<Float>.allocate(capacity: pitch * Compositor.scratchRows)
    defer { scratch.deallocate() }
    let start = image.bytes
    var results: [[[UInt8]]] = []
    for variant in variants {
      image.bytes = start
      let compositor = Compositor(format: image.format, kernels: variant.render)
      layer.withView { layer in
        for y in stride(from: 0, to: layer.height, by: 8) {
          compositor.blend(
            layer, rows: y..<min(y + 8, layer.height), onto: image.view, scratch: scratch, pitch: pitch)
        }
      }
      results.append(image.bytes)
    }
    for result in results { #expect(result == results[0]) }
  }

  private func reference(_ color: RGBA8, plane: Int, _ format: ImageFormat) -> Int {
    min(max(Int(value(color, plane: plane, format).rounded()), 0), 1 << format.bitDepth - 1)
  }

  /// ITU-T H.273: what a colour's sample is, before rounding and clipping.
  private func value(_ color: RGBA8, plane: Int, _ format: ImageFormat) -> Double {
    let (r, g, b) = (Double(color.r) / 255, Double(color.g) / 255, Double(color.b) / 255)
    let unit = Double(1 << (format.bitDepth - 8))
    let top = Double(1 << format.bitDepth) - 1
    let (kr, kb) = (format.matrix.kr, format.matrix.kb)
    let luma = kr * r + (1 - kr - kb) * g + kb * b
    func level(_ x: Double) -> Double { format.isFullRange ? x * top : (219 * x + 16) * unit }
    func chroma(_ x: Double) -> Double {
      let value = (format.isFullRange ? x * top : 224 * x * unit) + 128 * unit
      return min(max(value, 0), top)
    }
    switch (format.colorModel, plane) {
    case (.rgb, _): return level([r, g, b][plane])
    case (.gray, _), (.yuv, 0): return level(luma)
    case (.yuv, 1): return chroma((b - luma) / (2 * (1 - kb)))
    case (.yuv, _): return chroma((r - luma) / (2 * (1 - kr)))
    }
  }
}
