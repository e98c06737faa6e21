import ArgumentParser
import Foundation
import Rheo

struct StitchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stitch",
    abstract: "Makes a panorama of a panning video or of several images.",
    discussion: """
      One input is a video: its frames are registered, key frames are chosen and stitched; a range that covers one pan \
      is best. Two or more inputs are images, in any order. Exposures are matched, seams blended, and what moved is \
      taken from one image. Images that show nothing in common with the others are named and left out. Straight lines \
      stay straight on a plane, which stretches what lies far from the middle; a cylinder holds any angle. Where no \
      image is, the PNG is clear; --crop keeps the largest rectangle without such places.

      Example: rheo stitch Samples/clip.mp4 --output panorama.png --start 1 --end 3 --every 2
      """)

  @Argument(help: ArgumentHelp("A video, or two or more images: anything that FFmpeg reads.", valueName: "input"))
  var inputs: [String]

  @Option(name: .shortAndLong, help: ArgumentHelp("The image to write, or -.", valueName: "png"))
  var output: String

  @Option(help: "The maps between images: translation, euclidean, affine or homography.")
  var model = RegisterCommand.ModelChoice.homography

  @Option(help: "What to paint on: plane, cylinder, or auto (a plane, unless it would stretch corners fourfold).")
  var projection = ProjectionChoice.auto

  @Option(help: ArgumentHelp("Scale down what is longer than this many pixels.", valueName: "n"))
  var maxSize = Stitching.defaultMaximumSide

  @Flag(help: "Keep only the largest rectangle that is covered.")
  var crop = false

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "General") var common: CommonOptions

  enum ProjectionChoice: String, CaseIterable, ExpressibleByArgument {
    case plane, cylinder, auto

    var projection: PanoramaProjection? { PanoramaProjection(rawValue: rawValue) }
  }

  func validate() throws {
    try requirePNG(output)
    guard Stitching.maximumSideRange.contains(maxSize) else {
      let range = Stitching.maximumSideRange
      throw ValidationError("--max-size is \(range.lowerBound)…\(range.upperBound), not \(maxSize)")
    }
  }

  func run() throws {
    OutputFile.protect(inputs)
    let console = Console(common)
    let stitching = Stitching(
      inputs: inputs, output: output, reading: inputOptions.readerOptions(range, common), model: model.model,
      projection: projection.projection, maximumSide: maxSize, cropsToCovered: crop, overwrite: common.overwrite,
      parallelism: common.parallelism)
    let report = try reportingProgress(common, console) { interruption, progress in
      try stitching.run(interruption: interruption, progress: progress)
    }
    for text in report.leftOut + report.notes { console.note(text) }
    for (index, gain) in report.gains.enumerated() {
      console.detail("gains \(index): " + (0..<3).map { String(format: "%.3f", gain[$0]) }.joined(separator: " "))
    }
    console.note(summary(report))
    list(report.gaps, console)
    try requireWholeWork(gaps: report.gaps, wasInterrupted: report.wasInterrupted)
  }

  private func summary(_ report: Stitching.Report) -> String {
    let parts =
      report.frameCount > 0
      ? "\(report.imageCount) key frames of \(report.frameCount) frames" : "\(report.imageCount) images"
    return "\(output): \(report.size), \(parts) around \(report.center) on a \(report.projection.rawValue), "
      + "\(String(format: "%.2f", report.seconds)) s"
  }
}

/// Refuses names of images that would not be PNG files.
func requirePNG(_ output: String) throws {
  guard output == "-" || output.lowercased().hasSuffix(".png") else {
    throw ValidationError("--output '\(output)': the image is written as .png")
  }
}
