import ArgumentParser
import Foundation
import Rheo

struct RegisterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Finds how one image lies on another.",
    discussion: """
      Prints JSON: `warpTransform`, nine numbers row by row, maps pixels of the floating image to pixels of the \
      reference (origin at the middle of the top left pixel, y down); the family of the map and, where it is simpler \
      than asked for, the reason; the share of the textured places that agree, how far they lie off in pixels, and a \
      confidence 0…1: below 0.5 where another place would fit as well, as on bricks. `alternatives` are the motions of \
      large parts that moved apart from the rest, each with its share of the places. Images that share nothing end \
      with status 1. With --repeat the engine runs that often on the decoded luma, in one process, and the times are \
      added.

      Example: rheo register reference.png floating.png --model homography --warped aligned.png
      """)

  @Argument(help: "The image to align to: any format that FFmpeg reads.")
  var reference: String

  @Argument(help: "The image to align; its size may differ.")
  var floating: String

  @Option(help: "The family of maps: translation, euclidean, affine or homography.")
  var model = ModelChoice.homography

  @Option(
    help: """
      How the map is looked for: direct (consecutive frames), features (keypoints: any two views of one plane or from \
      one place), or automatic (direct, and features where that is not sure).
      """)
  var method = MethodChoice.automatic

  @Option(help: ArgumentHelp("Write the floating image as seen from the reference here.", valueName: "png"))
  var warped: String?

  @Option(name: .customLong("repeat"), help: ArgumentHelp("Time this many runs.", valueName: "n"))
  var repetitions: Int?

  @OptionGroup(title: "General") var common: CommonOptions

  enum ModelChoice: String, CaseIterable, ExpressibleByArgument {
    case translation, euclidean, affine, homography

    var model: TransformModel {
      switch self {
      case .translation: .translation
      case .euclidean: .euclidean
      case .affine: .affine
      case .homography: .homography
      }
    }
  }

  enum MethodChoice: String, CaseIterable, ExpressibleByArgument {
    case automatic, direct, features

    var method: ImageRegistration.Method {
      switch self {
      case .automatic: .automatic
      case .direct: .direct
      case .features: .features
      }
    }
  }

  func validate() throws {
    if let repetitions, repetitions < 1 { throw ValidationError("--repeat is 1 or more, not \(repetitions)") }
    if let warped, !warped.lowercased().hasSuffix(".png") {
      throw ValidationError("'\(warped)': the image is written as .png")
    }
  }

  func run() throws {
    OutputFile.protect([reference, floating])
    let console = Console(common)
    try reportingFailure(console) {
      if let warped { try OutputFile.check(path: warped, overwrite: common.overwrite, inputs: [reference, floating]) }
      let images = (try StillImage.luma(contentsOf: reference), try StillImage.luma(contentsOf: floating))
      let registration = ImageRegistration(model: model.model, method: method.method, parallelism: common.parallelism)
      var milliseconds: [Double] = []
      var result = RegistrationResult.unknown
      for _ in 0..<(repetitions ?? 1) {
        let start = ContinuousClock.now
        result = registration.estimate(reference: images.0, floating: images.1)
        milliseconds.append((ContinuousClock.now - start) / .milliseconds(1))
      }
      let others = registration.alternatives(to: result, reference: images.0, floating: images.1)
      try printLine(report(result, others, milliseconds: repetitions == nil ? [] : milliseconds))
      if result.model == .identity, let reason = result.reason {
        console.error("\(floating): cannot be registered with \(reference): \(reason.explanation)")
        throw ExitCode.failure
      }
      if let warped {
        let image = try StillImage.rgb(contentsOf: floating).warped(
          by: result.warpTransform, size: images.0.size, fill: .clear, parallelism: common.parallelism)
        try StillImage.writePNG(image, to: warped, overwrite: common.overwrite)
      }
    }
  }

  private func report(
    _ result: RegistrationResult, _ others: [RegistrationAlternative], milliseconds: [Double]
  ) -> String {
    // `description` gives as many digits as the number needs.
    func elements(_ map: Homography) -> String { map.elements.map(\.description).joined(separator: ", ") }
    let alternatives = others.map { other in
      "{\"warpTransform\": [\(elements(other.warpTransform))], \"model\": \"\(other.model.name)\", "
        + "\"share\": \(String(format: "%.4f", other.share))}"
    }
    var fields = [
      "\"warpTransform\": [\(elements(result.warpTransform))]", "\"model\": \"\(result.model.name)\"",
      "\"inliers\": \(String(format: "%.4f", result.inlierShare))",
      "\"residual\": \(String(format: "%.4f", result.residual))",
      "\"confidence\": \(String(format: "%.4f", result.confidence))",
      "\"reason\": \(result.reason.map { "\"\($0.explanation)\"" } ?? "null")",
      "\"alternatives\": [\(alternatives.joined(separator: ", "))]",
    ]
    if !milliseconds.isEmpty {
      let list = milliseconds.map { String(format: "%.3f", $0) }.joined(separator: ", ")
      fields.append("\"milliseconds\": [\(list)]")
      fields.append("\"minimum\": \(String(format: "%.3f", milliseconds.min() ?? 0))")
      fields.append("\"threads\": \(common.parallelism.threadCount)")
      fields.append("\"cpu\": \"\(RheoVersion.processor)\"")
    }
    return "{" + fields.joined(separator: ", ") + "}"
  }
}
