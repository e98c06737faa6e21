// Images of C as planes: pixels are copied, never kept.

import CRheo
import Imaging

extension rheo_image {
  /// The values that floats may have: grey levels of 0…255, and as much on either side for what filters overshoot.
  ///
  /// Measures in grey levels, such as noise, have no meaning for other scales; far beyond them sums of squares
  /// overflow.
  static let floatRange: ClosedRange<Float> = -255...510

  /// The width and height, checked.
  func checkedSize(_ name: String) throws -> PixelSize {
    let size = try CInterface.checkedSize(width, height, name)
    guard channels == RHEO_GRAY || channels == RHEO_RGB || channels == RHEO_BGR else {
      throw InvalidArgument("\(name) has channels \(channels): they are RHEO_GRAY, RHEO_RGB or RHEO_BGR")
    }
    return size
  }

  /// Luma, 0…255, as the program has it of an image with the same pixels: of 8-bit colours
  /// 0.299 R + 0.587 G + 0.114 B, rounded; of others not rounded.
  /// - Throws: ``InvalidArgument`` that names the image, also for a float beyond ``floatRange``.
  func luma(_ name: String, _ parallelism: Parallelism) throws -> Plane<Float> {
    let size = try checkedSize(name)
    let base = try required(data, "the data of \(name)")
    let parallelism = parallelism.adapted(to: size)
    switch samples {
    case RHEO_UINT8: return luma(base, UInt8.self, size, scale: 1, parallelism)
    case RHEO_UINT16: return luma(base, UInt16.self, size, scale: 1 / 257, parallelism)
    case RHEO_FLOAT32:
      let plane = luma(base, Float.self, size, scale: 1, parallelism)
      if let pixel = plane.firstPixel(where: { !Self.floatRange.contains($0) }) {
        throw InvalidArgument(
          "\(name) holds \(plane[pixel.x, pixel.y]) at (\(pixel.x), \(pixel.y)): floats are grey levels, 0 to 255; "
            + "-255 to 510 is allowed")
      }
      return plane
    default:
      throw InvalidArgument("\(name) has samples \(samples): they are RHEO_UINT8, RHEO_UINT16 or RHEO_FLOAT32")
    }
  }

  /// 8-bit luma, for what takes bytes; nil unless the image is grey bytes.
  func bytes(_ name: String) throws -> Plane<UInt8>? {
    guard samples == RHEO_UINT8, channels == RHEO_GRAY else { return nil }
    let size = try checkedSize(name)
    let base = try required(data, "the data of \(name)")
    return Plane(size: size) { output in
      for y in 0..<size.height {
        Self.copy(base + y * Int(row_stride), step: Int(pixel_stride), to: output.row(y), count: size.width)
      }
    }
  }

  /// The colour differences of an image; nil of a grey one.
  func chrominance(_ name: String) throws -> ChrominancePlanes? {
    guard channels != RHEO_GRAY, samples == RHEO_UINT8 else { return nil }
    let (colors, matrix) = (try planes(name, as: UInt8.self), ColorMatrix.bt601)
    let (kr, kb) = (Float(matrix.kr), Float(matrix.kb))
    var blue = Plane<Float>(size: colors[0].size)
    var red = blue
    for y in 0..<blue.height {
      colors[0].withView { r in
        colors[1].withView { g in
          colors[2].withView { b in
            blue.withMutableView { blue in
              red.withMutableView { red in
                let (rRow, gRow, bRow) = (r.row(y), g.row(y), b.row(y))
                for x in 0..<blue.width {
                  let luma = kr * Float(rRow[x]) + (1 - kr - kb) * Float(gRow[x]) + kb * Float(bRow[x])
                  blue.row(y)[x] = 128 + (Float(bRow[x]) - luma) / (2 * (1 - kb))
                  red.row(y)[x] = 128 + (Float(rRow[x]) - luma) / (2 * (1 - kr))
                }
              }
            }
          }
        }
      }
    }
    return ChrominancePlanes(blueDifference: blue, redDifference: red)
  }

  /// The channels red, green and blue, or the grey one, as they are stored.
  func planes<Scalar: PlaneScalar>(_ name: String, as type: Scalar.Type) throws -> [Plane<Scalar>] {
    let size = try checkedSize(name)
    let base = try required(data, "the data of \(name)")
    return channelOffsets.map { offset in
      Plane(size: size) { output in
        for y in 0..<size.height {
          Self.copy(base + y * Int(row_stride) + offset, step: Int(pixel_stride), to: output.row(y), count: size.width)
        }
      }
    }
  }

  /// The offsets of red, green and blue in a pixel, or of grey, in bytes.
  private var channelOffsets: [Int] {
    let step = Int(channel_stride)
    return switch channels {
    case RHEO_GRAY: [0]
    case RHEO_RGB: [0, step, 2 * step]
    default: [2 * step, step, 0]
    }
  }

  private static func copy<Scalar: PlaneScalar>(
    _ source: UnsafeRawPointer, step: Int, to row: UnsafeMutablePointer<Scalar>, count: Int
  ) {
    if step == MemoryLayout<Scalar>.stride {
      UnsafeMutableRawPointer(row).copyMemory(from: source, byteCount: count * step)
    } else {
      for x in 0..<count { row[x] = source.load(fromByteOffset: x * step, as: Scalar.self) }
    }
  }

  private func luma<Scalar: LumaSample>(
    _ base: UnsafeRawPointer, _ type: Scalar.Type, _ size: PixelSize, scale: Float, _ parallelism: Parallelism
  ) -> Plane<Float> {
    let (rowStride, step) = (Int(row_stride), Int(pixel_stride))
    if channels == RHEO_GRAY, step == MemoryLayout<Scalar>.stride {
      let view = PlaneView(base: base.assumingMemoryBound(to: Scalar.self), stride: rowStride, size: size)
      return Scalar.plane(view, scale, parallelism)
    }
    let offsets = channelOffsets
    // SAFETY: the memory is only read, and outlives the call.
    nonisolated(unsafe) let base = base
    return Plane(
      size: size,
      filledBy: { output in
        parallelism.forEachStripe(rows: size.height) { rows in
          for y in rows {
            let (source, row) = (base + y * rowStride, output.row(y))
            if offsets.count == 1 {
              for x in 0..<size.width { row[x] = source.load(fromByteOffset: x * step, as: Scalar.self).float * scale }
            } else {
              Self.weigh(source, offsets, step, scale, as: Scalar.self, into: row, count: size.width)
            }
          }
        }
      })
  }

  private static func weigh<Scalar: LumaSample>(
    _ source: UnsafeRawPointer, _ offsets: [Int], _ step: Int, _ scale: Float, as type: Scalar.Type,
    into row: UnsafeMutablePointer<Float>, count: Int
  ) {
    let (kr, kb) = (ColorMatrix.bt601.kr, ColorMatrix.bt601.kb)
    let (redWeight, greenWeight, blueWeight) = (Float(kr), Float(1 - kr - kb), Float(kb))
    let (red, green, blue) = (offsets[0], offsets[1], offsets[2])
    for x in 0..<count {
      let pixel = source + x * step
      let sum =
        redWeight * pixel.load(fromByteOffset: red, as: Scalar.self).float
        + greenWeight * pixel.load(fromByteOffset: green, as: Scalar.self).float
        + blueWeight * pixel.load(fromByteOffset: blue, as: Scalar.self).float
      row[x] = Scalar.settled(sum) * scale
    }
  }
}

/// A sample that luma is made of.
private protocol LumaSample: PlaneScalar {
  var float: Float { get }
  /// Returns the weighted sum of a pixel's channels, rounded where the program rounds it.
  static func settled(_ sum: Float) -> Float
  /// Returns grey samples as floats.
  static func plane(_ view: PlaneView<Self>, _ scale: Float, _ parallelism: Parallelism) -> Plane<Float>
}

extension UInt8: LumaSample {
  fileprivate var float: Float { Float(self) }
  // The sum is positive: cutting its fraction off rounds it down, without a call for each pixel.
  fileprivate static func settled(_ sum: Float) -> Float { Float(Int32(sum + 0.5)) }
  fileprivate static func plane(_ view: PlaneView<UInt8>, _ scale: Float, _ parallelism: Parallelism) -> Plane<Float> {
    Plane(converting: view, scale: scale, parallelism: parallelism)
  }
}

extension UInt16: LumaSample {
  fileprivate var float: Float { Float(self) }
  fileprivate static func settled(_ sum: Float) -> Float { sum }
  fileprivate static func plane(_ view: PlaneView<UInt16>, _ scale: Float, _ parallelism: Parallelism) -> Plane<Float> {
    Plane(converting: view, scale: scale, parallelism: parallelism)
  }
}

extension Float: LumaSample {
  fileprivate var float: Float { self }
  fileprivate static func settled(_ sum: Float) -> Float { sum }
  fileprivate static func plane(_ view: PlaneView<Float>, _ scale: Float, _ parallelism: Parallelism) -> Plane<Float> {
    Plane(size: view.size) { output in
      for y in 0..<view.height { output.row(y).update(from: view.row(y), count: view.width) }
    }
  }
}

extension Plane where Scalar == Float {
  /// The first pixel, row by row, for which `isFound` is true.
  func firstPixel(where isFound: (Float) -> Bool) -> (x: Int, y: Int)? {
    withView { view in
      for y in 0..<view.height {
        let row = view.row(y)
        for x in 0..<view.width where isFound(row[x]) { return (x, y) }
      }
      return nil
    }
  }
}
