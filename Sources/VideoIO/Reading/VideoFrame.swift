import CFFmpeg
import Imaging

/// A decoded image with its time. Immutable, and cheap to pass between threads.
public final class VideoFrame: Sendable {
  let buffer: FrameBuffer
  /// The index among all frames of the stream that can be decoded, behind filters, from 0; the range that is read does
  /// not change it.
  public let number: Int
  /// The time at which the frame shows, exactly as the container says.
  public let presentationTime: MediaTime
  /// The time for which the frame shows, in ticks of the time base of ``presentationTime``; 0 when unknown.
  public let duration: Int64

  init(buffer: FrameBuffer, number: Int, presentationTime: MediaTime) {
    self.buffer = buffer
    self.number = number
    self.presentationTime = presentationTime
    duration = max(0, rheo_frame_duration(buffer.pointer))
  }

  /// A frame out of an image in memory, which is copied.
  /// - Throws: ``MediaError`` `outOfMemory`.
  public init(image: Plane<RGBA8>, number: Int, presentationTime: MediaTime) throws {
    buffer = try FrameBuffer(size: image.size, format: AV_PIX_FMT_RGBA)
    self.number = number
    self.presentationTime = presentationTime
    duration = 0
    buffer.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    let base = UnsafeMutableRawPointer(try allocated(buffer.pointer.pointee.data.0, "an image"))
    let stride = Int(buffer.pointer.pointee.linesize.0)
    image.withView { view in
      for y in 0..<view.height { (base + y * stride).copyMemory(from: view.row(y), byteCount: 4 * view.width) }
    }
  }

  /// Width and height in pixels.
  public var size: PixelSize { buffer.size }
  /// FFmpeg's name of the pixel format.
  public var pixelFormat: String { buffer.format.name }
}

/// Takes luma out of frames. Keeps its buffers between frames; used by one thread.
public final class LumaExtractor {
  private let scaler = FrameScaler()
  private let parallelism: Parallelism
  private var colorReduction = ColorReduction()
  /// The last frame whose pixels lie interleaved, and its channels apart: luma and colours are asked for one by one.
  private var separated: (frame: VideoFrame, channels: FrameBuffer)?

  /// An extractor without buffers yet; the first frame allocates them.
  public init(parallelism: Parallelism = Parallelism()) { self.parallelism = parallelism }

  /// Returns the luma of `frame`, `width × height`, as numbers from 0 to 255.
  ///
  /// The luma of Y'CbCr images is the luma plane as it is stored (8 bits whole, deeper ones in fractions; video range
  /// stays video range). The luma of RGB images is 0.299 R + 0.587 G + 0.114 B, rounded for 8 bits.
  /// - Throws: ``MediaError`` when the pixel format cannot be converted.
  public func luma(of frame: VideoFrame) throws -> Plane<Float> { try planarImage(frame).withMutableImage(luma) }

  /// Returns the colour differences of `frame` as they are stored, mostly at half its size; nil for grey images.
  ///
  /// Those of RGB images are at full size: 128 + 0.564 (B − Y) and 128 + 0.713 (R − Y), after ITU-R BT.601.
  /// - Throws: ``MediaError`` when the pixel format cannot be converted.
  public func chrominance(of frame: VideoFrame) throws -> ChrominancePlanes? {
    try planarImage(frame).withMutableImage { image in
      guard image.format.colorModel != .gray else { return nil }
      return chrominance(of: image)
    }
  }

  /// Returns the colour differences of `frame`, averaged down to a smaller size; nil for grey images, and where they
  /// are stored in fewer samples.
  package func chrominance(of frame: VideoFrame, averagedTo target: PixelSize) throws -> ChrominancePlanes? {
    try planarImage(frame).withMutableImage { image in
      guard image.format.colorModel != .gray else { return nil }
      if image.format.colorModel != .rgb, image.format.bitDepth == 8 {
        let (blue, red) = (image.plane(1, as: UInt8.self).readOnly, image.plane(2, as: UInt8.self).readOnly)
        guard let average = colorReduction.average(from: blue.size, to: target) else { return nil }
        return ChrominancePlanes(blueDifference: average.means(of: blue), redDifference: average.means(of: red))
      }
      return colorReduction.reduce(chrominance(of: image), to: target)
    }
  }

  private func chrominance(of image: MutableImageView) -> ChrominancePlanes {
    if image.format.colorModel == .rgb { return chrominanceOfRGB(image) }
    func plane(_ index: Int) -> Plane<Float> {
      image.format.bitDepth > 8
        ? Plane(
          converting: image.plane(index, as: UInt16.self).readOnly,
          scale: 1 / Float(1 << (image.format.bitDepth - 8)), parallelism: parallelism)
        : Plane(converting: image.plane(index, as: UInt8.self).readOnly, parallelism: parallelism)
    }
    return ChrominancePlanes(blueDifference: plane(1), redDifference: plane(2))
  }

  /// Returns the luma of `frame`, averaged down to a smaller size.
  package func luma(of frame: VideoFrame, averagedBy average: AreaAverage) throws -> Plane<Float> {
    let planar = try planarImage(frame)
    return try planar.withMutableImage { image in
      if image.format.colorModel != .rgb, image.format.bitDepth == 8 {
        return average.means(of: image.plane(0, as: UInt8.self).readOnly)
      }
      return luma(of: image).withView(average.means)
    }
  }

  func luma(of buffer: FrameBuffer) throws -> Plane<Float> {
    try planarImage(buffer).withMutableImage(luma)
  }

  private func luma(of image: MutableImageView) -> Plane<Float> {
    if image.format.colorModel == .rgb { return lumaOfRGB(image) }
    // Depths of 9…16 bits shrink by a power of two, so that 940 of 10 bits is 235.
    return image.format.bitDepth > 8
      ? Plane(
        converting: image.plane(0, as: UInt16.self).readOnly, scale: 1 / Float(1 << (image.format.bitDepth - 8)),
        parallelism: parallelism)
      : Plane(converting: image.plane(0, as: UInt8.self).readOnly, parallelism: parallelism)
  }

  private func lumaOfRGB(_ image: MutableImageView) -> Plane<Float> {
    image.format.bitDepth > 8
      ? mixture(of: image, as: UInt16.self, ScaledLuma(scale: Self.scale(of: image)))
      : mixture(of: image, as: UInt8.self, RoundedLuma())
  }

  private func chrominanceOfRGB(_ image: MutableImageView) -> ChrominancePlanes {
    let scale = Self.scale(of: image)
    func planes<Scalar: PlaneScalar & BinaryInteger>(_ type: Scalar.Type) -> ChrominancePlanes {
      ChrominancePlanes(
        blueDifference: mixture(of: image, as: type, BlueDifference(scale: scale)),
        redDifference: mixture(of: image, as: type, RedDifference(scale: scale)))
    }
    return image.format.bitDepth > 8 ? planes(UInt16.self) : planes(UInt8.self)
  }

  /// The factor that turns the values of an image's channels into those of eight bits.
  private static func scale(of image: MutableImageView) -> Float {
    255 / Float((1 << image.format.bitDepth) - 1)
  }

  /// Returns what `mix` makes of the colour of each pixel.
  private func mixture<Scalar: PlaneScalar & BinaryInteger, Mix: ColorMix>(
    of image: MutableImageView, as type: Scalar.Type, _ mix: Mix
  ) -> Plane<Float> {
    let (red, green, blue) = (
      image.plane(0, as: type).readOnly, image.plane(1, as: type).readOnly, image.plane(2, as: type).readOnly
    )
    return Plane(size: image.size) { plane in
      for y in 0..<image.size.height {
        let (output, red, green, blue) = (plane.row(y), red.row(y), green.row(y), blue.row(y))
        for x in 0..<image.size.width {
          output[x] = mix.value(of: RGBColor(red: Float(red[x]), green: Float(green[x]), blue: Float(blue[x])))
        }
      }
    }
  }

  private func planarImage(_ frame: VideoFrame) throws -> FrameBuffer {
    guard frame.buffer.imageFormat == nil else { return frame.buffer }
    if let separated, separated.frame === frame { return separated.channels }
    let channels = try planarImage(frame.buffer)
    separated = (frame, channels)
    return channels
  }

  private func planarImage(_ buffer: FrameBuffer) throws -> FrameBuffer {
    guard buffer.imageFormat == nil else { return buffer }
    let planar = try FrameBuffer(size: buffer.size, format: buffer.format.planarEquivalent)
    try planar.copyTags(from: buffer)
    try scaler.convert(buffer, into: planar, size: buffer.size)
    return planar
  }
}

extension FrameBuffer {
  /// Takes over everything but the pixels: time, colour tags, aspect ratio, side data.
  func copyTags(from other: FrameBuffer) throws {
    try check(av_frame_copy_props(pointer, other.pointer), .outOfMemory, "copying a frame's tags")
  }
}

/// The channels of a pixel.
private struct RGBColor {
  let red: Float
  let green: Float
  let blue: Float
  /// The luma of BT.601.
  var luma: Float { 0.299 * red + 0.587 * green + 0.114 * blue }
}

/// A number made of the colour of a pixel. A type each, and no closures: a loop over pixels then holds no call and runs
/// in vectors.
private protocol ColorMix {
  func value(of color: RGBColor) -> Float
}

/// The luma of channels of eight bits, rounded.
private struct RoundedLuma: ColorMix {
  /// The number from which on there are no fractions: adding it rounds, and keeps the loop in vectors.
  private static let wholeNumberShift: Float = 8_388_608

  func value(of color: RGBColor) -> Float {
    let half = color.luma + 0.5
    let whole = (half + Self.wholeNumberShift) - Self.wholeNumberShift
    return whole > half ? whole - 1 : whole
  }
}

/// The luma of deeper channels, in the unit of eight bits.
private struct ScaledLuma: ColorMix {
  let scale: Float
  func value(of color: RGBColor) -> Float { color.luma * scale }
}

/// The blue colour difference of BT.601.
private struct BlueDifference: ColorMix {
  let scale: Float
  func value(of color: RGBColor) -> Float { 128 + 0.564 * scale * (color.blue - color.luma) }
}

/// The red colour difference of BT.601.
private struct RedDifference: ColorMix {
  let scale: Float
  func value(of color: RGBColor) -> Float { 128 + 0.713 * scale * (color.red - color.luma) }
}
