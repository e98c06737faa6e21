// Pixels in memory that belongs to someone else: a camera's buffer, another library's image.

/// The reason for which pixels in memory could not be taken.
public struct PixelBufferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind { case emptyImage, strideTooSmall, bufferTooSmall }
    private let kind: Kind

    /// A side is 0 or negative.
    public static let emptyImage = Code(kind: .emptyImage)
    /// A row is shorter than its pixels.
    public static let strideTooSmall = Code(kind: .strideTooSmall)
    /// The memory ends before the last pixel.
    public static let bufferTooSmall = Code(kind: .bufferTooSmall)
  }

  /// The kind of failure.
  public let code: Code
  /// Names the values at fault and what is allowed.
  public let message: String
  /// The message.
  public var description: String { message }
}

/// The ways in which the samples of a pixel lie in memory.
public enum PixelLayout: Sendable, Hashable, CaseIterable {
  /// A byte of luma, or of a planar image's Y plane.
  case gray8
  /// A plane of bytes Y, then right behind its last row one of pairs Cb, Cr for every two columns and two rows, with
  /// the same stride (NV12, or NV21 with pairs Cr, Cb). The second plane must be there and is not looked at.
  case nv12
  /// Two bytes of luma in the processor's order, 0…65535.
  case gray16
  /// Three bytes red, green, blue.
  case rgb8
  /// Three bytes blue, green, red.
  case bgr8
  /// Four bytes red, green, blue and one that is not looked at.
  case rgba8
  /// Four bytes blue, green, red and one that is not looked at.
  case bgra8

  /// Bytes from one pixel of a row to the next; of NV12 those of its first plane.
  public var bytesPerPixel: Int {
    switch self {
    case .gray8, .nv12: 1
    case .gray16: 2
    case .rgb8, .bgr8: 3
    case .rgba8, .bgra8: 4
    }
  }

  /// The offsets of red, green and blue in a pixel; nil for grey ones.
  fileprivate var channels: (red: Int, green: Int, blue: Int)? {
    switch self {
    case .gray8, .nv12, .gray16: nil
    case .rgb8, .rgba8: (0, 1, 2)
    case .bgr8, .bgra8: (2, 1, 0)
    }
  }
}

extension Plane where Scalar == Float {
  /// Luma, 0…255, of pixels in the caller's memory. The pixels are copied: the memory is free again on return.
  ///
  /// Unless told otherwise it is the luma that a decoded frame of the same pixels has: of Y'CbCr the luma plane as it
  /// is stored (video range stays video range), of R'G'B' 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), rounded.
  /// - Parameters:
  ///   - bytes: The first row first, each beginning `stride` bytes behind the one before.
  ///   - layout: The samples that a pixel is made of.
  ///   - size: In pixels, as stored.
  ///   - stride: Bytes from one row to the next, at least those of a row's pixels; nil: just these.
  ///   - range: The range of grey samples and of Y. `full` leaves them as they are stored; `video`, 16…235 as in
  ///     broadcast video, stretches them to 0…255.
  ///   - matrix: The weights of red, green and blue.
  ///   - orientation: The orientation of the image as stored; the result is upright.
  /// - Throws: ``PixelBufferError``: `emptyImage`, `strideTooSmall` or `bufferTooSmall`.
  /// - Complexity: O(width · height).
  public static func luma(
    of bytes: UnsafeRawBufferPointer, layout: PixelLayout, size: PixelSize, stride: Int? = nil,
    range: SampleRange = .full, matrix: ColorMatrix = .bt601, orientation: ImageOrientation = .up
  ) throws(PixelBufferError) -> Plane<Float> {
    // What overflows is refused as a stride too small.
    let stride = stride ?? max(size.width, 0) &* layout.bytesPerPixel
    try check(bytes.count, layout, size, stride)
    let reader = PixelReader(layout: layout, range: range, matrix: matrix)
    let plane = Plane(
      size: size,
      filledBy: { output in
        for y in 0..<size.height { reader.read(bytes, from: y * stride, into: output.row(y), count: size.width) }
      })
    return plane.upright(from: orientation)
  }

  private static func check(
    _ count: Int, _ layout: PixelLayout, _ size: PixelSize, _ stride: Int
  ) throws(PixelBufferError) {
    guard size.width > 0, size.height > 0 else {
      throw PixelBufferError(code: .emptyImage, message: "an image of \(size) has no pixels")
    }
    let (row, isTooWide) = size.width.multipliedReportingOverflow(by: layout.bytesPerPixel)
    guard !isTooWide, stride >= row else {
      throw PixelBufferError(
        code: .strideTooSmall,
        message: "rows of \(size.width) pixels of \(layout.bytesPerPixel) bytes begin \(stride) bytes apart")
    }
    let chroma = layout == .nv12 ? size.height / 2 + size.height % 2 : 0
    let (rows, isTooHigh) = (size.height - 1 + chroma).multipliedReportingOverflow(by: stride)
    let (needed, isTooLarge) = rows.addingReportingOverflow(row)
    guard !isTooHigh, !isTooLarge, count >= needed else {
      throw PixelBufferError(
        code: .bufferTooSmall,
        message: "an image of \(size) with rows \(stride) bytes apart takes more than \(count) bytes")
    }
  }
}

/// The range of its values that a sample uses.
public enum SampleRange: Sendable, Hashable {
  /// All values: 0 is black, 255 is white.
  case full
  /// 16 is black, 235 is white (ITU-T H.273).
  case video
}

/// Turns a row of pixels into luma.
private struct PixelReader {
  let layout: PixelLayout
  let offset: Float
  let scale: Float
  let weights: (red: Float, green: Float, blue: Float)

  init(layout: PixelLayout, range: SampleRange, matrix: ColorMatrix) {
    self.layout = layout
    let unit: Float = layout == .gray16 ? 257 : 1
    let isVideo = range == .video && layout.channels == nil
    offset = isVideo ? 16 * unit : 0
    scale = (isVideo ? 255.0 / 219 : 1) / unit
    weights = (Float(matrix.kr), Float(1 - matrix.kr - matrix.kb), Float(matrix.kb))
  }

  func read(_ bytes: UnsafeRawBufferPointer, from start: Int, into row: UnsafeMutablePointer<Float>, count: Int) {
    let step = layout.bytesPerPixel
    if let channels = layout.channels {
      for x in 0..<count {
        let pixel = start + x * step
        let (red, green) = (Float(bytes[pixel + channels.red]), Float(bytes[pixel + channels.green]))
        let sum = weights.red * red + weights.green * green + weights.blue * Float(bytes[pixel + channels.blue])
        row[x] = (sum + 0.5).rounded(.down)
      }
    } else if layout == .gray16 {
      for x in 0..<count {
        let sample = bytes.loadUnaligned(fromByteOffset: start + x * step, as: UInt16.self)
        row[x] = (Float(sample) - offset) * scale
      }
    } else {
      for x in 0..<count { row[x] = (Float(bytes[start + x]) - offset) * scale }
    }
  }
}
