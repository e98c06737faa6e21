import ArgumentParser
import Rheo

/// The options for drawing motion.
struct RenderOptions: ParsableArguments {
  enum MaximumLength: ExpressibleByArgument {
    case auto
    case fixed(Double)

    init?(argument: String) {
      if argument == "auto" {
        self = .auto
      } else if let value = Double(argument) {
        self = .fixed(value)
      } else {
        return nil
      }
    }
  }

  @Option(
    help: """
      What the motion looks like. overlay and arrows end where the flow is not sure; confidence shows how far it can \
      be trusted.
      """)
  var style = RenderingStyle.overlay

  @Option(help: "Strength of the drawing over the image, 0…1. (default: 1; overlay and occlusion 0.6, confidence 0.8)")
  var opacity: Double?

  @Option(help: ArgumentHelp("Side of a glyph's cell in pixels. (default: by the image's size)", valueName: "pixels"))
  var cell: Int?

  @Option(help: ArgumentHelp("Angle at a glyph's tip. (default: 30; arrows 60)", valueName: "degrees"))
  var tipAngle: Double?

  @Option(help: ArgumentHelp("Motion up to this length is not shown, in pixels. (default: 0)", valueName: "pixels"))
  var minLength: Double?

  @Option(
    help: ArgumentHelp(
      "Motion of full colour in pixels, or auto; of arrows that fill their cells. (default: auto)",
      valueName: "auto|pixels")
  )
  var maxLength: MaximumLength?

  @Option(help: "Where an automatic --max-length comes from. (default: stream; of a single image: frame)")
  var normalize: RenderingOptions.Normalization?

  @Option(help: "The colours of directions; all but hue have even steps of lightness; colorblind is for all eyes.")
  var palette = RenderingPalette.hue

  @Flag(help: "Draw the key to the colours with its scale.")
  var legend = false

  func validate() throws {
    do { try options().validate() } catch let error as RenderingError { throw ValidationError("\(error)") }
  }

  /// - Parameter normalization: The normalization that holds when the user says nothing about it.
  func options(normalizedBy normalization: RenderingOptions.Normalization = .stream) -> RenderingOptions {
    var options = RenderingOptions(style: style)
    if let opacity { options.opacity = opacity }
    if let cell { options.cell = cell }
    if let tipAngle { options.tipAngle = tipAngle }
    if let minLength { options.minLength = minLength }
    switch maxLength {
    case .auto: options.maxLength = .automatic
    case .fixed(let length): options.maxLength = .fixed(length)
    case nil: break
    }
    options.normalization = normalize ?? normalization
    options.palette = palette
    options.legend = legend
    return options
  }
}

extension RenderingStyle: ExpressibleByArgument {}
extension RenderingPalette: ExpressibleByArgument {}
extension RenderingOptions.Normalization: ExpressibleByArgument {}

/// The options for the text on the frames of a video.
struct CaptionOptions: ParsableArguments {
  @Flag(help: "Draw time, frame number and mean motion.")
  var hud = false

  @Flag(help: "Draw the paths of what moved over the last second.")
  var trails = false
}
