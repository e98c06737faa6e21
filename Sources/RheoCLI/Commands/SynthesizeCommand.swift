import ArgumentParser
import Foundation
import Rheo

struct SynthesizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "synthesize",
    abstract: "Draws a textured test video whose motion is known exactly.",
    discussion: """
      Scenes:
      \(SceneName.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))

      The truth folder holds flow/000000.flo … (frame t to t + 1), occlusion/000000.png … (white: not visible in the \
      next frame) and truth.json (camera homographies, events, presence, parameters). Of rain and the scenes listed \
      after it there is truth.json alone; of crossing-walkers and those after it also gt.txt, boxes and identities as \
      MOT Challenge has them.

      Example: rheo synthesize walkers.mp4 --scene walkers --truth walkers-truth
      """)

  @Argument(help: "The video to write, or - for standard output.")
  var output: String

  @Option(help: "What to draw.")
  var scene: SceneName

  @Option(help: ArgumentHelp("Where to write the truth.", valueName: "folder"))
  var truth: String?

  @Option(help: "Width and height in pixels.")
  var size = SizeArgument(size: PixelSize(width: 640, height: 360))

  @Option(help: ArgumentHelp("Number of frames; by default the scene's own.", valueName: "n"))
  var frames: Int?

  @Option(
    help: ArgumentHelp(
      "Frames per second, as a whole number or a fraction; by default 25, or the scene's own.", valueName: "n"))
  var rate: RateArgument?

  @Option(help: "Another number draws other textures, other noise and, in the scenes for trackers, other people.")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Sigma of the sensor noise in 8-bit levels; by default the scene's own.", valueName: "levels"))
  var noise: Double?

  @Option(help: "Factor on all speeds.")
  var motion = 1.0

  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "General") var common: CommonOptions

  private var parameters: SceneParameters {
    SceneParameters(
      name: scene, size: size.size, frameCount: frames, frameRate: rate?.rate, seed: seed, noiseSigma: noise,
      motion: motion)
  }

  func validate() throws {
    do { try parameters.validate() } catch let error as SceneError { throw ValidationError("\(error)") }
  }

  func run() throws {
    let console = Console(common)
    let watch = InterruptWatch()
    let line = ProgressLine(common)
    let (drawn, isComplete) = try reportingFailure(console) {
      let scene = try Scene(parameters, parallelism: common.parallelism)
      let recorder = SceneRecorder(
        scene: scene, output: output, truthFolder: truth, encoding: encode.encoderOptions(common))
      defer { line.finish(nil) }
      return try recorder.run(interruption: watch.interruption) { line.show($0) }
    }
    console.note("\(output): \(drawn) frames of the scene \(scene.rawValue)")
    if !isComplete { throw ExitCode.interrupted }
  }
}

/// `640x360`.
struct SizeArgument: ExpressibleByArgument {
  let size: PixelSize

  init(size: PixelSize) { self.size = size }

  init?(argument: String) {
    let parts = argument.lowercased().split(whereSeparator: { $0 == "x" || $0 == "×" }).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1] else { return nil }
    size = PixelSize(width: width, height: height)
  }

  var defaultValueDescription: String { "\(size.width)x\(size.height)" }
}

/// `25` or `30000/1001`.
struct RateArgument: ExpressibleByArgument {
  let rate: Rational

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int32($0) }
    switch parts.count {
    case 1: rate = Rational(parts[0] ?? 0, 1)
    case 2: rate = Rational(parts[0] ?? 0, parts[1] ?? 0)
    default: return nil
    }
    guard rate.isPositive else { return nil }
  }
}

extension SceneName: ExpressibleByArgument {}
