// PNG files with numbers in memory: read whole and without conversion, or refused.

import CSPNG
import Imaging

/// The contents of a PNG file, whose header is read and checked.
///
/// Owns libspng's state; the bytes must outlive it. Used by one thread.
package final class PNGReader {
  /// A fault of the file.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    /// The kinds of fault.
    package enum Kind: Sendable {
      /// The file is no PNG file.
      case otherFormat
      /// The width or height is more than images have.
      case absurdSize
      /// The file ends too early, or its compressed data do.
      case truncated
      /// Bytes follow the end of the image.
      case trailingData
      /// The contents contradict themselves: a check sum, a compressed stream.
      case damaged
    }

    /// The kind of this fault.
    package let kind: Kind
    /// The fault in one line.
    package let description: String
  }

  /// Deflate makes at most 258 bytes out of 2 bits (RFC 1951, a match of the greatest length with one-bit codes).
  package static let maximumCompressionRatio = 1032
  /// The chunk that ends every PNG file.
  private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

  /// The size of the image, in pixels.
  package let size: PixelSize
  /// The layout of the pixels; nil for one that is not among them, and for interlaced images.
  package let layout: PNGCodec.Layout?
  /// The kind of image in words: `16-bit RGB`.
  package let kind: String
  private let context: PNGContext
  private let bytes: UnsafeRawBufferPointer

  /// Reads the header.
  /// - Throws: ``Failure``, or ``MediaError`` `outOfMemory`.
  package init(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty else { throw Failure(kind: .truncated, description: "empty") }
    self.bytes = bytes
    context = try PNGContext(flags: 0)
    // No text or profile is of use here, so none may cost memory.
    try context.read(spng_set_chunk_limits(context.pointer, 1 << 20, 1 << 20))
    try context.read(spng_set_png_buffer(context.pointer, bytes.baseAddress, bytes.count))
    var header = spng_ihdr()
    try context.read(spng_get_ihdr(context.pointer, &header))
    size = PixelSize(width: Int(header.width), height: Int(header.height))
    let type = spng_color_type(rawValue: UInt32(header.color_type))
    let isInterlaced = header.interlace_method != 0
    layout = [.gray8, .rgb8, .rgba8, .rgb16].first {
      $0.bitDepth == header.bit_depth && $0.colorType == type && !isInterlaced
    }
    let names = ["grey", "", "RGB", "palette", "grey with alpha", "", "RGB with alpha"]
    kind = (isInterlaced ? "interlaced " : "") + "\(header.bit_depth)-bit \(names[Int(header.color_type)])"
  }

  /// Decodes the image, once.
  ///
  /// - Returns: The rows from the top, without padding: `height · width · bytesPerPixel` bytes, which the caller frees
  ///   with `deallocate()`.
  /// - Throws: ``Failure``, also when the file is too short for its size: then nothing was allocated; ``MediaError``
  ///   `outOfMemory`.
  package func decode(_ layout: PNGCodec.Layout) throws -> UnsafeMutableRawBufferPointer {
    precondition(layout == self.layout, "an image of \(kind)")
    let (count, overflows) = (size.width * layout.bytesPerPixel).multipliedReportingOverflow(by: size.height)
    guard !overflows, count / Self.maximumCompressionRatio <= bytes.count else {
      throw Failure(kind: .truncated, description: "\(bytes.count) bytes cannot hold \(size) pixels")
    }
    let samples: UnsafeMutableRawBufferPointer
    do {
      samples = UnsafeMutableRawBufferPointer(start: try FrameMemory.requested(byteCount: count), count: count)
    } catch {
      throw MediaError(.outOfMemory, "there is no memory for \(size) pixels, \(count) bytes")
    }
    do {
      try context.read(
        spng_decode_image(context.pointer, samples.baseAddress, count, Int32(SPNG_FMT_PNG.rawValue), 0))
      try context.read(spng_decode_chunks(context.pointer))
      try requireEnd()
      return samples
    } catch {
      samples.deallocate()
      throw error
    }
  }

  /// - Throws: ``Failure`` unless the last chunk ends the file; libspng does not insist on it.
  private func requireEnd() throws {
    guard !bytes.suffix(Self.end.count).elementsEqual(Self.end) else { return }
    let hasEnd = bytes.indices.contains { bytes[$0...].starts(with: Self.end) }
    throw hasEnd
      ? Failure(kind: .trailingData, description: "bytes follow the end of the image")
      : Failure(kind: .truncated, description: "the end of the image is missing")
  }
}
