// Single images: any format that FFmpeg reads in, PNG out.

import CFFmpeg
import Imaging

extension StillImage {
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

  /// The colours of a canvas with what was drawn on it, scaled to `size`, 8 bits a channel.
  package static func rgb(of canvas: Canvas, size: PixelSize) throws -> Plane<RGBA8> {
    try interleaved(canvas.buffer, format: AV_PIX_FMT_RGBA, size: size, as: RGBA8.self)
  }

  /// The colours of a frame, 16 bits a channel.
  public static func rgb16(of frame: VideoFrame) throws -> Plane<RGB16> {
    try interleaved(frame.buffer, format: AV_PIX_FMT_RGB48LE, as: RGB16.self)
  }

  private static func interleaved<Pixel: PlaneScalar>(
    _ buffer: FrameBuffer, format: AVPixelFormat, size: PixelSize? = nil, as type: Pixel.Type
  ) throws -> Plane<Pixel> {
    let size = size ?? buffer.size
    let converted = try FrameBuffer(size: size, format: format)
    converted.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    try FrameScaler().convert(buffer, into: converted, size: size)
    let base = try allocated(converted.pointer.pointee.data.0, "an image")
    let stride = Int(converted.pointer.pointee.linesize.0)
    var plane = Plane<Pixel>(size: size)
    plane.withMutableView { view in
      for y in 0..<view.height {
        UnsafeMutableRawPointer(view.row(y)).copyMemory(
          from: base + y * stride, byteCount: MemoryLayout<Pixel>.stride * view.width)
      }
    }
    return plane
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
}
