import ArgumentParser
import Foundation
import Rheo

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Draws a flow file as an image.",
    discussion: """
      The styles are those of annotate, but for saliency. Styles over the image draw over --background, or over black. \
      Full colour is the longest vector of the field, unless --max-length or --normalize say otherwise; unknown \
      vectors stay black in the wheel. overlay and arrows end where --confidence is low; the styles confidence and \
      occlusion show it. contours surrounds what moves more than --min-length, or half a pixel.

      Example: rheo render flow.flo --output flow.png --style wheel --legend
      """)

  @Argument(help: "The flow file; its ending tells the kind.")
  var flow: String

  @Option(help: ArgumentHelp("Which field of a .npy with several, from 0.", valueName: "n"))
  var field: Int?

  @Option(name: .shortAndLong, help: ArgumentHelp("The .png to write, or -.", valueName: "image"))
  var output: String

  @Option(help: ArgumentHelp("An image of the same size to draw over.", valueName: "image"))
  var background: String?

  @Option(
    help: ArgumentHelp(
      "How far each vector can be trusted: a one-channel .pfm or .npy, as rheo export --confidence writes it.",
      valueName: "file"))
  var confidence: String?

  @OptionGroup(title: "Drawing") var render: RenderOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    if render.style == .saliency {
      throw ValidationError("--style saliency needs the images: rheo annotate has them")
    }
    if render.style.needsConfidence, confidence == nil {
      throw ValidationError(
        "a flow file holds no confidence: --style \(render.style.rawValue) takes it from --confidence <file>")
    }
    guard output == "-" || output.lowercased().hasSuffix(".png") else {
      throw ValidationError("'\(output)': images are written as .png")
    }
  }

  func run() throws {
    OutputFile.protect([flow, confidence, background].compactMap(\.self))
    let console = Console(common)
    try reportingFailure(console) {
      let inputs = [flow, confidence, background].compactMap(\.self)
      try OutputFile.check(path: output, overwrite: common.overwrite, inputs: inputs)
      let motion = try FlowFile.read(contentsOf: flow, options: FlowReadingOptions(field: field))
      let certainty = try confidence.map { try FlowFile.readConfidence(contentsOf: $0, field: field) }
      let image = try background.map { try StillImage.rgb(contentsOf: $0) }
      let drawing = render.options(normalizedBy: .frame)
      let contours =
        drawing.style == .contours
        ? motion.motionContours(
          threshold: drawing.contourThreshold, minimumArea: RenderingOptions.minimumContourArea,
          parallelism: common.parallelism) : nil
      let renderer = try FlowRenderer(options: drawing, size: motion.size, parallelism: common.parallelism)
      try StillImage.writePNG(
        renderer.image(of: motion, confidence: certainty, contours: contours, background: image), to: output,
        overwrite: common.overwrite)
    }
  }
}
