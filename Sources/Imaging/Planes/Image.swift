// Colour images as renderers see them: planes of samples with what is needed to understand them. Who owns the
// memory (a decoder's frame, a test's buffer) does not matter here.

/// The format that tells how to read the samples of a planar image.
public struct ImageFormat: Sendable, Hashable {
  /// The kinds of colour that the planes of an image hold.
  public enum ColorModel: Sendable, Hashable {
    /// A single plane of luma.
    case gray
    /// Three planes Y, Cb, Cr; the chroma planes may be smaller.
    case yuv
    /// Three planes in the order R, G, B.
    case rgb
  }

  /// The kind of colour that the planes hold, and so the number of planes.
  public var colorModel: ColorModel
  /// The binary logarithm of the number of luma columns that share one chroma sample.
  public var chromaShiftX: Int
  /// The binary logarithm of the number of luma rows that share one chroma sample.
  public var chromaShiftY: Int
  /// Significant bits of a sample: 8 in bytes, 9…16 in the low bits of native-endian 16-bit words.
  public var bitDepth: Int
  /// Samples use all values (0…255), not the range of broadcast video (luma 16…235).
  public var isFullRange: Bool
  /// The matrix by which Y is made of R, G, B.
  public var matrix: ColorMatrix

  /// A format; 8 bits without chroma subsampling, unless given.
  public init(
    colorModel: ColorModel, chromaShiftX: Int = 0, chromaShiftY: Int = 0, bitDepth: Int = 8, isFullRange: Bool,
    matrix: ColorMatrix = .bt601
  ) {
    self.colorModel = colorModel
    self.chromaShiftX = chromaShiftX
    self.chromaShiftY = chromaShiftY
    self.bitDepth = bitDepth
    self.isFullRange = isFullRange
    self.matrix = matrix
  }

  /// Planes of an image: 1 or 3.
  public var planeCount: Int { colorModel == .gray ? 1 : 3 }
  /// Bytes of a sample in memory: 1 for 8 bits, otherwise 2.
  public var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }

  /// The size of plane `index` of an image of `size`: chroma sizes are rounded up.
  public func planeSize(_ index: Int, of size: PixelSize) -> PixelSize {
    guard colorModel == .yuv, index > 0 else { return size }
    return PixelSize(
      width: (size.width + (1 << chromaShiftX) - 1) >> chromaShiftX,
      height: (size.height + (1 << chromaShiftY) - 1) >> chromaShiftY)
  }
}

/// The weights of red and blue in luma (green has the rest). ITU-T H.273, table 4.
public struct ColorMatrix: Sendable, Hashable {
  /// The weight of red in luma.
  public var kr: Double
  /// The weight of blue in luma.
  public var kb: Double

  /// Weights of red and blue; green has 1 − kr − kb.
  public init(kr: Double, kb: Double) {
    self.kr = kr
    self.kb = kb
  }

  /// Standard definition (ITU-R BT.601), JPEG, and the luma of colour images here.
  public static let bt601 = ColorMatrix(kr: 0.299, kb: 0.114)
  /// High definition (ITU-R BT.709).
  public static let bt709 = ColorMatrix(kr: 0.2126, kb: 0.0722)
  /// Ultra-high definition with non-constant luminance (ITU-R BT.2020).
  public static let bt2020 = ColorMatrix(kr: 0.2627, kb: 0.0593)
  /// Early high definition (SMPTE 240M).
  public static let smpte240m = ColorMatrix(kr: 0.212, kb: 0.087)
  /// Analogue television in the United States (FCC Title 47, 73.682).
  public static let fcc = ColorMatrix(kr: 0.30, kb: 0.11)
}

/// An image to draw on. Valid only inside the closure that received it.
package struct MutableImageView {
  /// The memory of one plane, whatever its samples are.
  package struct RawPlane {
    /// The first sample of the uppermost row.
    package let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next; may be negative.
    package let stride: Int

    /// A plane whose rows lie `stride` bytes apart.
    package init(base: UnsafeMutableRawPointer, stride: Int) {
      self.base = base
      self.stride = stride
    }
  }

  /// The size of the image, which is that of its first plane.
  package let size: PixelSize
  /// The format of the planes' samples.
  package let format: ImageFormat
  /// The planes, one or three, in the order of ``ImageFormat/colorModel``.
  package let planes: [RawPlane]

  /// A view of memory that must outlive it; as many planes as the format has.
  package init(size: PixelSize, format: ImageFormat, planes: [RawPlane]) {
    precondition(planes.count == format.planeCount, "\(planes.count) planes instead of \(format.planeCount)")
    self.size = size
    self.format = format
    self.planes = planes
  }

  /// The plane `index` as bytes (bit depth 8) or words (more).
  package func plane<Scalar: PlaneScalar>(_ index: Int, as type: Scalar.Type) -> MutablePlaneView<Scalar> {
    precondition(MemoryLayout<Scalar>.size == format.bytesPerSample, "\(format.bitDepth)-bit samples as \(type)")
    return MutablePlaneView(
      base: planes[index].base.assumingMemoryBound(to: Scalar.self), stride: planes[index].stride,
      size: format.planeSize(index, of: size))
  }

  /// The rectangle of `size` at (x, y), which must lie inside; x and y must fall on whole chroma samples.
  package func cropped(x: Int, y: Int, size: PixelSize) -> MutableImageView {
    precondition(x >= 0 && y >= 0 && x + size.width <= self.size.width && y + size.height <= self.size.height)
    precondition(x % (1 << format.chromaShiftX) == 0 && y % (1 << format.chromaShiftY) == 0)
    let moved = planes.enumerated().map { index, plane in
      let isChroma = format.colorModel == .yuv && index > 0
      let column = isChroma ? x >> format.chromaShiftX : x
      let row = isChroma ? y >> format.chromaShiftY : y
      return RawPlane(base: plane.base + row * plane.stride + column * format.bytesPerSample, stride: plane.stride)
    }
    return MutableImageView(size: size, format: format, planes: moved)
  }
}

// SAFETY: a view is pointers; whoever shares one between threads makes each write its own rows.
extension MutableImageView: @unchecked Sendable {}

/// A colour with 8 bits a channel and straight (not premultiplied) opacity, in memory R, G, B, A.
public struct RGBA8: Sendable, Hashable, BitwiseCopyable {
  /// Red, 0…255.
  public var r: UInt8
  /// Green, 0…255.
  public var g: UInt8
  /// Blue, 0…255.
  public var b: UInt8
  /// Opacity: 0 is clear, 255 opaque.
  public var a: UInt8

  /// A colour by red, green, blue and opacity; opaque unless given.
  public init(_ r: UInt8, _ g: UInt8, _ b: UInt8, _ a: UInt8 = 255) {
    self.r = r
    self.g = g
    self.b = b
    self.a = a
  }

  /// The colour of nothing at all.
  public static let clear = RGBA8(0, 0, 0, 0)
  /// Opaque black.
  public static let black = RGBA8(0, 0, 0)
  /// Opaque white.
  public static let white = RGBA8(255, 255, 255)
}

/// A colour with 16 bits a channel.
public struct RGB16: Sendable, Hashable, BitwiseCopyable {
  /// Red, 0…65535.
  public var r: UInt16
  /// Green, 0…65535.
  public var g: UInt16
  /// Blue, 0…65535.
  public var b: UInt16

  /// A colour by red, green and blue.
  public init(_ r: UInt16, _ g: UInt16, _ b: UInt16) {
    self.r = r
    self.g = g
    self.b = b
  }
}
