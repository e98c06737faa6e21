// Single images: any format that FFmpeg reads in, PNG out.

import CFFmpeg
import Foundation
import Imaging

/// Reads and writes single images.
public enum StillImage {
  /// Luma of an image file, 0…255: 0.299 R + 0.587 G + 0.114 B, rounded, of colour images with 8 bits.
  /// - Throws: ``MediaError`` that names the file.
  public static func luma(contentsOf path: String) throws -> Plane<Float> {
    try LumaExtractor().luma(of: frame(contentsOf: path))
  }

  /// The colours of an image file, 8 bits a channel.
  /// - Throws: ``MediaError`` that names the file.
  public static func rgb(contentsOf path: String) throws -> Plane<RGBA8> {
    try rgb(of: frame(contentsOf: path))
  }

  /// The colours of an image file, 16 bits a channel: of 16-bit files the stored numbers.
  /// - Throws: ``MediaError`` that names the file.
  public static func rgb16(contentsOf path: String) throws -> Plane<RGB16> {
    try rgb16(of: frame(contentsOf: path))
  }

  /// The colours of a frame, 8 bits a channel.
  public static func rgb(of frame: VideoFrame) throws -> Plane<RGBA8> {
    try interleaved(frame.buffer, format: AV_PIX_FMT_RGBA, as: RGBA8.self)
  }

  /// The colours of a canvas with what was drawn on it, 8 bits a channel.
  public static func rgb(of canvas: Canvas) throws -> Plane<RGBA8> {
    try interleaved(canvas.buffer, format: AV_PIX_FMT_RGBA, as: RGBA8.self)
  }

  /// The colours of a frame, 16 bits a channel.
  public static func rgb16(of frame: VideoFrame) throws -> Plane<RGB16> {
    try interleaved(frame.buffer, format: AV_PIX_FMT_RGB48LE, as: RGB16.self)
  }

  private static func interleaved<Pixel: PlaneScalar>(
    _ buffer: FrameBuffer, format: AVPixelFormat, as type: Pixel.Type
  ) throws -> Plane<Pixel> {
    let converted = try FrameBuffer(size: buffer.size, format: format)
    converted.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    try FrameScaler().convert(buffer, into: converted, size: buffer.size)
    let base = try allocated(converted.pointer.pointee.data.0, "an image")
    let stride = Int(converted.pointer.pointee.linesize.0)
    var plane = Plane<Pixel>(size: buffer.size)
    plane.withMutableView { view in
      for y in 0..<view.height {
        UnsafeMutableRawPointer(view.row(y)).copyMemory(
          from: base + y * stride, byteCount: MemoryLayout<Pixel>.stride * view.width)
      }
    }
    return plane
  }

  /// Writes a PNG file, or `-` for standard output, with 8 bits a channel; opacity is kept only where some pixel is not
  /// opaque.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ image: Plane<RGBA8>, to path: String, overwrite: Bool = false) throws {
    let isOpaque = image.withView { view in
      (0..<view.height).allSatisfy { y in (0..<view.width).allSatisfy { view.row(y)[$0].a == 255 } }
    }
    try write(size: image.size, layout: isOpaque ? .rgb8 : .rgba8, path: path, overwrite: overwrite) { target, y in
      image.withView { view in
        let row = view.row(y)
        guard isOpaque else { return target.copyMemory(from: row, byteCount: 4 * view.width) }
        let target = target.assumingMemoryBound(to: UInt8.self)
        for x in 0..<view.width {
          (target[3 * x], target[3 * x + 1], target[3 * x + 2]) = (row[x].r, row[x].g, row[x].b)
        }
      }
    }
  }

  /// Writes a grey PNG file with 8 bits: masks.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ mask: Plane<UInt8>, to path: String, overwrite: Bool = false) throws {
    try write(size: mask.size, layout: .gray8, path: path, overwrite: overwrite) { target, y in
      mask.withView { target.copyMemory(from: $0.row(y), byteCount: $0.width) }
    }
  }

  /// Writes a PNG file with 16 bits a channel.
  /// - Throws: ``MediaError`` `outputExists` or `cannotWrite`.
  public static func writePNG(_ image: Plane<RGB16>, to path: String, overwrite: Bool = false) throws {
    try write(size: image.size, layout: .rgb16, path: path, overwrite: overwrite) { target, y in
      image.withView { target.copyMemory(from: $0.row(y), byteCount: $0.width * MemoryLayout<RGB16>.stride) }
    }
  }

  /// An image file as a frame; of a video, its first one.
  /// - Throws: ``MediaError`` that names the file.
  public static func frame(contentsOf path: String) throws -> VideoFrame {
    let reader = try VideoReader(path, options: VideoReader.Options(threadCount: 1))
    _ = try reader.videoFormat()
    guard let frame = try reader.nextFrame() else {
      throw MediaError(.damaged, "not one image can be decoded", file: path)
    }
    return frame
  }

  private static func write(
    size: PixelSize, layout: PNGCodec.Layout, path: String, overwrite: Bool,
    fillRow: (UnsafeMutableRawPointer, Int) -> Void
  ) throws {
    do {
      try OutputFile(path: path, overwrite: overwrite).write(
        try PNGCodec.encode(size: size, layout: layout, fillRow: fillRow))
    } catch let error as MediaError { throw error.naming(path) }
  }
}
