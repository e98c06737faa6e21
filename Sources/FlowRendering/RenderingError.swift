import Imaging

/// A failure of rendering, for reasons outside of the program.
public struct RenderingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
      case invalidOption, sizeMismatch, missingConfidence, emptyImage, strideTooSmall, unsupportedFormat,
        fontUnavailable
    }
    private let kind: Kind

    /// An option's value lies outside its range.
    public static let invalidOption = Code(kind: .invalidOption)
    /// Two images that belong together differ in size.
    public static let sizeMismatch = Code(kind: .sizeMismatch)
    /// The style shows a confidence, and there is none.
    public static let missingConfidence = Code(kind: .missingConfidence)
    /// An image has no pixels.
    public static let emptyImage = Code(kind: .emptyImage)
    /// A row of a plane is shorter than its samples.
    public static let strideTooSmall = Code(kind: .strideTooSmall)
    /// The image's samples or planes are not of the kinds that can be drawn on.
    public static let unsupportedFormat = Code(kind: .unsupportedFormat)
    /// The font for text was not found, or could not be read.
    public static let fontUnavailable = Code(kind: .fontUnavailable)
  }

  /// The kind of this failure.
  public let code: Code
  /// The message that says what happened, with the actual and the allowed values.
  public let message: String

  public var description: String { message }
}

extension PixelSize {
  /// - Throws: ``RenderingError`` with code `emptyImage`.
  func requirePixels() throws(RenderingError) {
    guard !isEmpty else { throw RenderingError(code: .emptyImage, message: "an image of \(self) has no pixels") }
  }
}

extension MutableImageView {
  /// The part at the top left of an image that is drawn on.
  /// - Throws: ``RenderingError`` with code `sizeMismatch` when the image is smaller, `strideTooSmall`
  ///   when rows overlap, or `unsupportedFormat`.
  func canvas(_ size: PixelSize) throws(RenderingError) -> MutableImageView {
    guard self.size.width >= size.width, self.size.height >= size.height else {
      throw RenderingError(
        code: .sizeMismatch, message: "an image of \(self.size) is smaller than what is drawn, \(size)")
    }
    let shifts = (format.chromaShiftX, format.chromaShiftY)
    guard (0...2).contains(shifts.0), (0...2).contains(shifts.1), (8...16).contains(format.bitDepth) else {
      throw RenderingError(
        code: .unsupportedFormat,
        message: "\(format.bitDepth) bits with chroma shifts \(shifts); drawn on are 8…16 bits with shifts of 0…2")
    }
    for (index, plane) in planes.enumerated() {
      let row = format.planeSize(index, of: self.size).width * format.bytesPerSample
      guard plane.stride.magnitude >= row else {
        throw RenderingError(
          code: .strideTooSmall, message: "rows of \(row) bytes begin \(plane.stride) bytes apart in plane \(index)")
      }
    }
    return cropped(x: 0, y: 0, size: size)
  }
}
