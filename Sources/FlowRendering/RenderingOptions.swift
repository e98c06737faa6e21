/// A way of showing flow.
public enum RenderingStyle: String, Sendable, Hashable, CaseIterable {
  /// Hue circle and triangles blended over the image where it moves.
  case overlay
  /// Triangles in the colours of the hue circle on black: the image known from Apple's sample.
  case flowview
  /// The Middlebury colour wheel: colour is direction, paleness is slowness.
  case wheel
  /// Arrows over the image, as long as the motion.
  case arrows
  /// A heat map of how far each pixel moves.
  case magnitude
  /// The original on the left, the colour wheel on the right.
  case sideBySide = "side-by-side"
  /// A heat map over the image of how far the flow can be trusted: dark is not at all. Needs a confidence.
  case confidence

  /// A Boolean value that tells whether the image below shows through.
  public var isOverlay: Bool { self == .overlay || self == .arrows || self == .confidence }

  /// A Boolean value that tells whether a confidence changes what is drawn: styles over the image fade where the flow
  /// is not known.
  public var showsConfidence: Bool { isOverlay }
}

/// The options that say what the renderer draws. Every style has defaults of its own.
public struct RenderingOptions: Sendable, Hashable {
  /// The motion, in pixels, at which colours reach their full strength.
  public enum MaximumLength: Sendable, Hashable {
    /// Found by ``RenderingOptions/normalization``.
    case automatic
    /// Always this many pixels, whatever the normalization.
    case fixed(Double)
  }

  /// The source of an automatic maximum.
  public enum Normalization: String, Sendable, Hashable, CaseIterable {
    /// A high percentile of the moving pixels, smoothed over the frames before, so that colours do not flicker.
    case stream
    /// The largest motion of each frame.
    case frame
    /// ``RenderingOptions/defaultMaximumLength``.
    case fixed
  }

  /// The way in which the flow is shown.
  public var style: RenderingStyle
  /// Strength of the whole drawing over the image. 0.6 for the overlay, 0.8 for the confidence, else 1.
  public var opacity: Double
  /// Side of the square cell of a glyph, in pixels. 10 for `flowview`, else 16.
  public var cell: Int
  /// Angle at the tip of a triangle or arrow head, in degrees. 60 for arrows, else 30.
  public var tipAngle: Double
  /// Motion up to which nothing is coloured, in pixels.
  public var minLength: Double
  /// Motion of full colour. 100 px for `flowview`, else automatic.
  public var maxLength: MaximumLength
  /// The source of the motion of full colour while ``maxLength`` is automatic.
  public var normalization: Normalization
  /// A Boolean value that tells whether a key to the colours is drawn in the lower right corner.
  public var legend: Bool
  /// A Boolean value that tells whether time, frame number and mean motion are drawn in the upper left corner.
  public var hud: Bool

  /// The range of ``opacity``; at 0 nothing is drawn.
  public static let opacityRange = 0.0...1.0
  /// The range of ``cell``, in pixels: smaller glyphs have no shape.
  public static let cellRange = 4...512
  /// The range of ``tipAngle``, in degrees.
  public static let tipAngleRange = 5.0...120.0
  /// The range of ``minLength``, in pixels.
  public static let minLengthRange = 0.0...10_000.0
  /// The range of a fixed ``maxLength``, in pixels; the length must also lie above ``minLength``.
  public static let maxLengthRange = 0.01...10_000.0
  /// The maximum of ``Normalization/fixed`` when no length is given, in pixels: fast motion in ordinary video.
  public static let defaultMaximumLength = 16.0

  /// The defaults of a style.
  public init(style: RenderingStyle = .overlay) {
    self.style = style
    opacity =
      switch style {
      case .overlay: 0.6
      case .confidence: 0.8
      default: 1
      }
    cell = style == .flowview ? 10 : 16
    tipAngle = style == .arrows ? 60 : 30
    minLength = 0
    maxLength = style == .flowview ? .fixed(100) : .automatic
    normalization = .stream
    legend = false
    hud = false
  }

  /// - Throws: ``RenderingError`` with code `invalidOption`, naming the option, its value and its range.
  public func validate() throws {
    try Self.check("opacity", opacity, Self.opacityRange)
    try Self.check("cell", cell, Self.cellRange)
    try Self.check("tip angle", tipAngle, Self.tipAngleRange)
    try Self.check("minimum length", minLength, Self.minLengthRange)
    guard case .fixed(let length) = maxLength else { return }
    try Self.check("maximum length", length, Self.maxLengthRange)
    guard length > minLength else {
      throw RenderingError(
        code: .invalidOption, message: "maximum length \(length) is not above the minimum length \(minLength)")
    }
  }

  private static func check<Value>(_ name: String, _ value: Value, _ range: ClosedRange<Value>) throws {
    guard !range.contains(value) else { return }
    throw RenderingError(
      code: .invalidOption, message: "\(name) \(value) is not within \(range.lowerBound)…\(range.upperBound)")
  }
}
