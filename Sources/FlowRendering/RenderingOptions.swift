import Imaging

/// A way of showing flow.
public enum RenderingStyle: String, Sendable, Hashable, CaseIterable {
  /// Hue circle and triangles blended over the image where it moves.
  case overlay
  /// Triangles in the colours of the directions on black: the image known from Apple's sample.
  case flowview
  /// The Middlebury colour wheel: colour is direction, paleness is slowness.
  case wheel
  /// Arrows over the image, in proportion to the motion; the longest fill their cells.
  case arrows
  /// A heat map of how far each pixel moves.
  case magnitude
  /// The original on the left, the colour wheel on the right.
  case sideBySide = "side-by-side"
  /// A heat map over the image of how far the flow can be trusted: dark is not at all. Needs a confidence.
  case confidence
  /// One colour over what is hidden in the next frame, or leaves the image: where a confidence is ½ or less, which
  /// should come from the flows in both directions. Needs a confidence.
  case occlusion
  /// Outlines of what moves, in the colours of its directions. Needs contours.
  case contours
  /// A heat map over the image of how far what moves stands out. Needs the heat, 0…1, instead of a confidence.
  case saliency

  /// A Boolean value that tells whether the image below shows through.
  public var isOverlay: Bool {
    switch self {
    case .overlay, .arrows, .confidence, .occlusion, .contours, .saliency: true
    case .flowview, .wheel, .magnitude, .sideBySide: false
    }
  }

  /// A Boolean value that tells whether a confidence changes what is drawn: styles over the image end where the flow
  /// is not known.
  public var showsConfidence: Bool { isOverlay && self != .contours }

  /// A Boolean value that tells whether a confidence is all that is drawn.
  public var needsConfidence: Bool { self == .confidence || self == .occlusion || self == .saliency }
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
  /// Strength of the whole drawing over the image. 0.6 for the overlay and occlusion, 0.8 for the confidence, else 1.
  public var opacity: Double
  /// Side of the square cell of a glyph, in pixels; nil: by the image's size, see ``cellSide(for:)``.
  public var cell: Int?
  /// Angle at the tip of a triangle or arrow head, in degrees. 60 for arrows, else 30.
  public var tipAngle: Double
  /// Motion up to which nothing is coloured, in pixels.
  public var minLength: Double
  /// The motion of full colour, and of an arrow that fills its cell.
  public var maxLength: MaximumLength
  /// The source of the motion of full colour while ``maxLength`` is automatic.
  public var normalization: Normalization
  /// The colours of directions.
  public var palette: RenderingPalette
  /// A Boolean value that tells whether a key to the colours is drawn in the lower right corner.
  public var legend: Bool
  /// A Boolean value that tells whether time, frame number and mean motion are drawn in the upper left corner.
  public var hud: Bool
  /// A Boolean value that tells whether the paths of what moved over the last second are drawn. In a stream only.
  public var trails: Bool

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
      case .overlay, .occlusion: 0.6
      case .confidence: 0.8
      default: 1
      }
    tipAngle = style == .arrows ? 60 : 30
    minLength = 0
    maxLength = .automatic
    normalization = .stream
    palette = .hue
    legend = false
    hud = false
    trails = false
  }

  /// The smallest side of a cell that is chosen by the image's size, in pixels, and the number of cells along the side
  /// of a square of the image's area: glyphs keep a shape in small images, and their number in large ones. Arrows have
  /// a head and a shaft to show, so they get more room.
  private static let cells: [RenderingStyle: (smallest: Int, count: Double)] = [
    .flowview: (10, 64), .arrows: (18, 30),
  ]

  /// The side of a glyph's cell, in pixels: ``cell``, or what suits images of `size`.
  public func cellSide(for size: PixelSize) -> Int {
    if let cell { return cell }
    let (smallest, count) = Self.cells[style] ?? (16, 40)
    return min(max(smallest, Int((Double(size.area).squareRoot() / count).rounded())), Self.cellRange.upperBound)
  }

  /// The motion above which something has an outline where flow is all that is known, in pixels: above what estimators
  /// make of noise in real images.
  package var contourThreshold: Float { Float(max(minLength, 0.5)) }
  /// The area of the smallest region that has an outline then, in square pixels.
  package static let minimumContourArea = 16.0

  /// - Throws: ``RenderingError`` with code `invalidOption`, naming the option, its value and its range.
  public func validate() throws {
    try Self.check("opacity", opacity, Self.opacityRange)
    if let cell { try Self.check("cell", cell, Self.cellRange) }
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
