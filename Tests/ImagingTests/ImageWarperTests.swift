import Imaging
import TestSupport
import Testing

@Suite struct ImageWarperTests {
  private static let formats = [
    ImageFormat(colorModel: .gray, bitDepth: 8, isFullRange: true, matrix: .bt601),
    ImageFormat(colorModel: .yuv, chromaShiftX: 1, chromaShiftY: 1, bitDepth: 8, isFullRange: false, matrix: .bt709),
    ImageFormat(colorModel: .yuv, chromaShiftX: 1, chromaShiftY: 0, bitDepth: 10, isFullRange: false, matrix: .bt709),
    ImageFormat(colorModel: .rgb, bitDepth: 8, isFullRange: true, matrix: .bt709),
  ]
  private let texture = Texture()

  /// Words instead of samples: planes of an image that shows the texture, seen through `map`.
  private func planes(
    _ format: ImageFormat, _ size: PixelSize, _ map: Homography = .identity
  ) -> [Plane<UInt16>] {
    (0..<format.planeCount).map { index in
      let plane = format.planeSize(index, of: size)
      let isChroma = format.colorModel == .yuv && index > 0
      let (sx, sy) = isChroma ? (1 << format.chromaShiftX, 1 << format.chromaShiftY) : (1, 1)
      return Plane(width: plane.width, height: plane.height) { x, y in
        let position = map.apply(x: Double(sx * x) + Double(sx - 1) / 2, y: Double(sy * y) + Double(sy - 1) / 2)
        return UInt16(texture.value(position.x, position.y) * Float(1 << (format.bitDepth - 8)))
      }
    }
  }

  private func warped(
    _ planes: [Plane<UInt16>], _ format: ImageFormat, _ size: PixelSize, _ map: Homography, _ border: WarpBorder,
    interpolation: Interpolation = .bicubic, threads: Int = 1
  ) -> [Plane<UInt16>] {
    let bytes = format.bytesPerSample
    let memory = planes.map { plane in
      let base = UnsafeMutableRawPointer.allocate(byteCount: plane.width * plane.height * bytes, alignment: 64)
      for y in 0..<plane.height {
        for x in 0..<plane.width {
          let at = (y * plane.width + x) * bytes
          if bytes == 1 {
            base.storeBytes(of: UInt8(plane[x, y]), toByteOffset: at, as: UInt8.self)
          } else {
            base.storeBytes(of: plane[x, y], toByteOffset: at, as: UInt16.self)
          }
        }
      }
      return MutableImageView.RawPlane(base: base, stride: plane.width * bytes)
    }
    defer { for plane in memory { plane.base.deallocate() } }
    let image = MutableImageView(size: size, format: format, planes: memory)
    ImageWarper(interpolation: interpolation, parallelism: Parallelism(threadCount: threads))
      .warp(image, by: map, border: border)
    return zip(planes, memory).map { plane, raw in
      Plane(width: plane.width, height: plane.height) { x, y in
        let at = (y * plane.width + x) * bytes
        return bytes == 1
          ? UInt16(raw.base.load(fromByteOffset: at, as: UInt8.self))
          : raw.base.load(fromByteOffset: at, as: UInt16.self)
      }
    }
  }

  @Test(arguments: formats) func aImageIsSeenThroughTheMap(format: ImageFormat) {
    let size = PixelSize(width: 95, height: 71)
    let map = Homography([1.01, -0.02, 2.3, 0.015, 0.99, -1.4, 0.00004, -0.00003, 1])
    let result = warped(planes(format, size), format, size, map, .replicate)
    let truth = planes(format, size, map)
    for (index, (a, b)) in zip(result, truth).enumerated() {
      var sum = 0.0
      var count = 0
      for y in 8..<a.height - 8 {
        for x in 8..<a.width - 8 {
          sum += abs(Double(a[x, y]) - Double(b[x, y])) / Double(1 << (format.bitDepth - 8))
          count += 1
        }
      }
      // Subsampled planes show waves of three samples, which a spline cannot follow closely.
      let isChroma = format.colorModel == .yuv && index > 0
      #expect(sum / Double(count) < (isChroma ? 3 : 1), "plane \(index)")
    }
  }

  @Test(arguments: formats) func theIdentityChangesNothing(format: ImageFormat) {
    let size = PixelSize(width: 33, height: 21)
    let image = planes(format, size)
    #expect(warped(image, format, size, .identity, .constant) == image)
    // By way of the kernels: a shift by whole pixels there and back, away from the borders.
    let there = warped(image, format, size, .translation(x: 4, y: -2), .replicate)
    for y in 2..<19 { for x in 0..<29 { #expect(there[0][x, y] == image[0][x + 4, y - 2]) } }
  }

  @Test func bilinearHalfwayIsTheMean() {
    let (size, format) = (PixelSize(width: 40, height: 30), Self.formats[0])
    let image = planes(format, size)
    let shifted = warped(image, format, size, .translation(x: 0.5, y: 0), .replicate, interpolation: .bilinear)
    for y in 0..<30 {
      for x in 0..<39 {
        let mean = (Double(image[0][x, y]) + Double(image[0][x + 1, y])) / 2
        #expect(Double(shifted[0][x, y]) == mean.rounded(.toNearestOrEven))
      }
    }
  }

  @Test func whatLiesOutsideIsBlackOrTheNearestPixel() {
    let size = PixelSize(width: 40, height: 30)
    let shift = Homography.translation(x: -10, y: 0)
    for (format, black) in zip(Self.formats, [[0], [16, 128, 128], [64, 512, 512], [0, 0, 0]] as [[UInt16]]) {
      let image = planes(format, size)
      let filled = warped(image, format, size, shift, .constant)
      let repeated = warped(image, format, size, shift, .replicate)
      for index in image.indices {
        #expect(filled[index][1, 5] == black[index])
        #expect(repeated[index][1, 5] == image[index][0, 5])
      }
    }
  }

  @Test func threadsDoNotChangeTheSamples() {
    let size = PixelSize(width: 130, height: 101)
    let map = Homography([1.01, -0.02, 2.3, 0.015, 0.99, -1.4, 0, 0, 1])
    let format = Self.formats[1]
    let results = [1, 2, 5].map { warped(planes(format, size), format, size, map, .constant, threads: $0) }
    #expect(results[1] == results[0] && results[2] == results[0])
  }

  /// Floats are seen as the slower way sees them, by any number of threads. Within a pixel of the borders that way
  /// sees the border, and the spline overshoots it by a little.
  @Test(arguments: [1, 3])
  func floatsAreWarpedAsByTheSlowWay(threads: Int) throws {
    let size = PixelSize(width: 93, height: 41)
    let image = Plane<Float>(width: size.width, height: size.height) { x, y in
      texture.value(Double(x), Double(y)) - 100
    }
    let warper = ImageWarper(parallelism: Parallelism(threadCount: threads))
    #expect(warper.warped(image, by: .identity) == image)
    for map in [
      Homography.translation(x: 2, y: -3), .translation(x: 0.37, y: 30.25),
      Homography([1.01, 0.02, -4.3, -0.015, 0.99, 2.6, 1e-4, -5e-5, 1]),
    ] {
      let inverse = try #require(map.inverse)
      let expected = image.warped(by: inverse, size: size, interpolation: .bicubic, border: .replicate, fill: 0)
      let seen = warper.warped(image, by: map)
      for y in 0..<size.height {
        for x in 0..<size.width {
          let position = map.apply(x: Double(x), y: Double(y))
          let isInside =
            position.x >= 0 && position.y >= 0 && position.x <= Double(size.width - 1)
            && position.y <= Double(size.height - 1)
          let error = abs(seen[x, y] - expected[x, y])
          #expect(error < (isInside ? 0.01 : 2), "(\(x), \(y)): \(seen[x, y]), \(expected[x, y])")
        }
      }
    }
  }
}
