// PNG images in memory by libspng, which returns statuses and never jumps: no demuxer, no conversion of samples.

import CSPNG
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
  import Glibc
#else
  import Foundation
#endif

/// Writes PNG images whose samples are kept as they are.
package enum PNGCodec {
  /// The layout of a pixel.
  package enum Layout: Sendable, Hashable {
    /// One byte.
    case gray8
    /// Red, green and blue, a byte each.
    case rgb8
    /// Red, green, blue and opacity, a byte each.
    case rgba8
    /// Red, green and blue with 16 bits each, in the processor's byte order, as in `RGB16`.
    case rgb16

    /// The number of bytes of a pixel in a row.
    package var bytesPerPixel: Int {
      switch self {
      case .gray8: 1
      case .rgb8: 3
      case .rgba8: 4
      case .rgb16: 6
      }
    }

    var bitDepth: UInt8 { self == .rgb16 ? 16 : 8 }

    var colorType: spng_color_type {
      switch self {
      case .gray8: SPNG_COLOR_TYPE_GRAYSCALE
      case .rgb8, .rgb16: SPNG_COLOR_TYPE_TRUECOLOR
      case .rgba8: SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
      }
    }
  }

  /// The largest image in memory, in bytes.
  private static let maximumByteCount = 4 << 30

  /// The filter "up" with zlib's fastest level. Measured on a frame and a flow field of 640×360: 8 and 7 ms, 329 and
  /// 175 kB; without filters at level 6, as FFmpeg writes, 18 and 31 ms, 528 and 192 kB; all filters at level 6 61 and
  /// 44 ms, 316 and 123 kB.
  private static let options: [(spng_option, Int32)] = [
    (SPNG_ENCODE_TO_BUFFER, 1), (SPNG_FILTER_CHOICE, Int32(SPNG_FILTER_CHOICE_UP.rawValue)),
    (SPNG_IMG_COMPRESSION_LEVEL, 1),
  ]

  /// The contents of a PNG file; `fillRow(target, y)` writes the bytes of each row.
  /// - Throws: ``MediaError`` `cannotWrite` for a size that no image has, `outOfMemory`.
  package static func encode(
    size: PixelSize, layout: Layout, fillRow: (UnsafeMutableRawPointer, Int) -> Void
  ) throws -> Data {
    let (row, tooWide) = size.width.multipliedReportingOverflow(by: layout.bytesPerPixel)
    let (whole, tooHigh) = row.multipliedReportingOverflow(by: size.height)
    guard size.width > 0, size.height > 0, !tooWide, !tooHigh, whole <= maximumByteCount else {
      throw MediaError(.cannotWrite, "an image of \(size) cannot be stored as PNG")
    }
    let encoder = try PNGContext(flags: SPNG_CTX_ENCODER.rawValue)
    for (option, value) in options { try encoder.check(spng_set_option(encoder.pointer, option, value)) }
    var header = spng_ihdr()
    (header.width, header.height) = (UInt32(size.width), UInt32(size.height))
    (header.bit_depth, header.color_type) = (layout.bitDepth, UInt8(layout.colorType.rawValue))
    try encoder.check(spng_set_ihdr(encoder.pointer, &header))
    let flags = SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue
    try encoder.check(spng_encode_image(encoder.pointer, nil, 0, Int32(SPNG_FMT_PNG.rawValue), Int32(flags)))
    let samples = try allocated(malloc(row), "a row of an image")
    defer { free(samples) }
    for y in 0..<size.height {
      fillRow(samples, y)
      try encoder.check(spng_encode_row(encoder.pointer, samples, row), isLastRow: y == size.height - 1)
    }
    var (count, status) = (0, Int32(0))
    let contents = spng_get_png_buffer(encoder.pointer, &count, &status)
    try encoder.check(status)
    return Data(bytesNoCopy: try allocated(contents, "an image"), count: count, deallocator: .free)
  }
}

/// Owner of libspng's state. Used by one thread.
final class PNGContext {
  let pointer: OpaquePointer

  init(flags: UInt32) throws { pointer = try allocated(spng_ctx_new(Int32(flags)), "an image") }

  deinit { spng_ctx_free(pointer) }

  /// Throws unless a call for writing succeeded; the last row of an image has a status of its own.
  func check(_ status: Int32, isLastRow: Bool = false) throws {
    guard status != 0, !(isLastRow && status == SPNG_EOI.rawValue) else { return }
    throw MediaError(.cannotWrite, "encoding a PNG image: \(String(cString: spng_strerror(status)))")
  }

  /// Throws unless a call for reading succeeded.
  func read(_ status: Int32) throws {
    guard status != 0 else { return }
    guard status != SPNG_EMEM.rawValue else { throw MediaError(.outOfMemory, "no memory for an image") }
    let kind: PNGReader.Failure.Kind =
      switch spng_errno(rawValue: status) {
      case SPNG_ESIGNATURE: .otherFormat
      case SPNG_EWIDTH, SPNG_EHEIGHT, SPNG_EUSER_WIDTH, SPNG_EUSER_HEIGHT, SPNG_EOVERFLOW: .absurdSize
      case SPNG_IO_EOF, SPNG_EIDAT_TOO_SHORT: .truncated
      default: .damaged
      }
    throw PNGReader.Failure(kind: kind, description: String(cString: spng_strerror(status)))
  }
}
