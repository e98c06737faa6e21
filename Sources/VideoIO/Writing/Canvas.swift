// An image that is drawn on and then encoded.

import CFFmpeg
import Imaging

/// A writable copy of a frame in the layout that an encoder takes, with the frame's time and tags. Used by one thread
/// at a time.
public final class Canvas {
  let buffer: FrameBuffer
  /// The time at which the frame shows, as it was read.
  public let presentationTime: MediaTime
  let duration: Int64

  init(buffer: FrameBuffer, presentationTime: MediaTime, duration: Int64) {
    self.buffer = buffer
    self.presentationTime = presentationTime
    self.duration = duration
  }

  /// Gives access to the pixels. Padding, if any, is part of the image, at its right and bottom.
  package func withMutableImage<Result>(_ body: (MutableImageView) throws -> Result) throws -> Result {
    try buffer.withMutableImage(body)
  }
}

/// Makes canvases out of decoded frames. Keeps its converter between frames; used by one thread.
public final class CanvasMaker {
  let format: CanvasFormat
  private let scaler = FrameScaler()

  /// A maker for the canvases of one writer (see ``VideoWriter/canvasFormat``), or for single images
  /// (``CanvasFormat/rgb(_:)``).
  public init(format: CanvasFormat) { self.format = format }

  /// A writable canvas whose top left shows `frame`, unchanged where its pixel format is the canvas's own.
  ///
  /// The canvas right of the image is undefined: a side-by-side style fills it. The padding for encoders that want even
  /// sizes repeats the last column and row: call ``pad(_:)`` after drawing.
  public func canvas(for frame: VideoFrame) throws -> Canvas {
    let buffer = try FrameBuffer(size: format.paddedSize, format: format.pixelFormat)
    try buffer.copyTags(from: frame.buffer)
    format.applyColorTags(to: buffer)
    try scaler.convert(frame.buffer, into: buffer, size: format.imageSize)
    return Canvas(buffer: buffer, presentationTime: frame.presentationTime, duration: frame.duration)
  }

  /// Repeats the last column and row of the drawn image into the padding.
  public func pad(_ canvas: Canvas) throws {
    let inner = format.canvasSize
    guard format.paddedSize != inner else { return }
    try canvas.withMutableImage { image in
      for index in 0..<image.format.planeCount {
        let size = image.format.planeSize(index, of: inner)
        let padded = image.format.planeSize(index, of: image.size)
        let plane = image.planes[index]
        let bytes = image.format.bytesPerSample
        for y in 0..<padded.height {
          let row = plane.base + y * plane.stride
          if y >= size.height {
            row.copyMemory(from: plane.base + (size.height - 1) * plane.stride, byteCount: padded.width * bytes)
          } else {
            for x in size.width..<padded.width {
              (row + x * bytes).copyMemory(from: row + (size.width - 1) * bytes, byteCount: bytes)
            }
          }
        }
      }
    }
  }
}

/// The layout of the canvases that a writer takes.
public struct CanvasFormat: Sendable {
  /// The size of the decoded images.
  public let imageSize: PixelSize
  /// The size of what is drawn: that of the images, or more (side by side).
  public let canvasSize: PixelSize
  /// `canvasSize`, made even where the encoder wants it.
  public let paddedSize: PixelSize
  let pixelFormat: AVPixelFormat
  let colorspace: AVColorSpace
  let primaries: AVColorPrimaries
  let transfer: AVColorTransferCharacteristic
  let range: AVColorRange
  let chromaLocation: AVChromaLocation

  /// Planar RGB with 8 bits, for single images.
  /// - Parameter size: The size of the images.
  public static func rgb(_ size: PixelSize) -> CanvasFormat {
    CanvasFormat(
      imageSize: size, canvasSize: size, paddedSize: size, pixelFormat: AV_PIX_FMT_GBRP, colorspace: AVCOL_SPC_RGB,
      primaries: AVCOL_PRI_UNSPECIFIED, transfer: AVCOL_TRC_UNSPECIFIED, range: AVCOL_RANGE_JPEG,
      chromaLocation: AVCHROMA_LOC_UNSPECIFIED)
  }

  func applyColorTags(to buffer: FrameBuffer) {
    buffer.pointer.pointee.colorspace = colorspace
    buffer.pointer.pointee.color_primaries = primaries
    buffer.pointer.pointee.color_trc = transfer
    buffer.pointer.pointee.color_range = range
    buffer.pointer.pointee.chroma_location = chromaLocation
  }
}

/// The meaning of an image's colours, in FFmpeg's numbers (those of ITU-T H.273).
struct ColorTags {
  var colorspace = AVCOL_SPC_UNSPECIFIED
  var primaries = AVCOL_PRI_UNSPECIFIED
  var transfer = AVCOL_TRC_UNSPECIFIED
  var range = AVCOL_RANGE_UNSPECIFIED
  var chromaLocation = AVCHROMA_LOC_UNSPECIFIED
}
