import ArgumentParser
import Foundation
import Rheo

struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Follows boxes, points, or whatever moves, through a video.",
    discussion: """
      Points go along the optical flow, forward and backward: where the two contradict each other for some frames, a \
      track is lost. --boxes are also recognised by what they show, and looked for again when they were hidden. Boxes \
      and points are given in pixels of the first frame used; the box X,Y,W,H covers the pixels X to X+W-1. --auto \
      finds objects that move and follows each as a box; --compensate leaves out what only the camera moves. \
      --textured-points follows corners and texture, and takes new ones where some are lost.

      Prints the tracks, or writes them to --report: for each the positions with exact times, why it was lost, and the \
      parabola that it follows, if any; --report-format has other formats than JSON. With OUTPUT the tracks are drawn \
      over the video with numbers and trails; it has as many frames as the input, each with its own time, and its \
      sound.

      Example: rheo track Samples/clip.mp4 tracks.mp4 --auto --report tracks.json
      """)

  enum LevelName: String, CaseIterable, ExpressibleByArgument {
    case fast, accurate

    var level: TrackingLevel {
      switch self {
      case .fast: .fast
      case .accurate: .accurate
      }
    }
  }

  @Argument(help: "Any video that FFmpeg opens, or -.")
  var input: String

  @Argument(help: "The video to write, or -; none: only the report.")
  var output: String?

  @Option(help: ArgumentHelp("Follow these boxes.", valueName: "x,y,w,h;…"))
  var boxes: BoxList?

  @Option(help: ArgumentHelp("Follow these points.", valueName: "x,y;…"))
  var points: PointList?

  @Option(help: "How --boxes are followed: by what they show alone, or with the flow as well.")
  var trackingLevel = LevelName.fast

  @Option(
    help: ArgumentHelp(
      "Look for a box of --boxes that is hidden for so long, 0…3600 seconds.", valueName: "seconds"))
  var patience = 2.0

  @Flag(help: "Find what moves, and follow it.")
  var auto = false

  @Option(help: ArgumentHelp("Follow so many points in textured places, 0…10000.", valueName: "n"))
  var texturedPoints = 0

  @Option(
    help: ArgumentHelp(
      "With --auto: motion up to this is none, 0.05…1000 pixels a frame. (default: any, and 1 with --compensate)",
      valueName: "pixels"))
  var threshold: Double?

  @Option(
    help: ArgumentHelp(
      "With --auto: the least area of what moves. (default: a 1250th of the image, a 2000th with --compensate)",
      valueName: "pixels"))
  var minArea: Double?

  @Option(
    help: ArgumentHelp(
      """
      Follow these boxes of another program instead of looking for motion: lines of MOT Challenge, \
      frame,id,left,top,width,height,confidence, which count from 1.
      """, valueName: "file"))
  var detections: String?

  @Option(
    help: ArgumentHelp(
      """
      With --detections: the confidence from which on a box may begin a track. (default: two fifths of the way from \
      the low to the high ones of the file)
      """, valueName: "confidence"))
  var sureConfidence: Double?

  @Option(
    help: ArgumentHelp(
      """
      Tell places on the ground in metres and speeds: JSON with "homography", nine numbers from pixels to metres, or \
      "points", four pairs of "image" and "ground".
      """, valueName: "file"))
  var groundHomography: String?

  @Option(
    help: ArgumentHelp("Tell parabolas of tracks of at least so many positions, 5…100000.", valueName: "n"))
  var trajectoryLength = ParabolicTrajectory.minimumCount

  @Option(
    help: ArgumentHelp("Tell parabolas of boxes with a mean diagonal of at least this.", valueName: "pixels"))
  var minimumSize = 0.0

  @Option(
    help: ArgumentHelp(
      "Tell parabolas of boxes with a mean diagonal of at most this. (default: any)", valueName: "pixels"))
  var maximumSize: Double?

  @Option(help: ArgumentHelp("Write the tracks here instead of printing them.", valueName: "file"))
  var report: String?

  @Option(
    help: ArgumentHelp(
      """
      The format of the tracks: all that is known (.json), a table (.csv), MOT Challenge (.txt), COCO (.json), CVAT \
      for video 1.1 (.xml).
      """))
  var reportFormat = TrackFormat.json

  @OptionGroup(title: "Range") var range: RangeOptions
  @OptionGroup(title: "Input") var inputOptions: InputOptions
  @OptionGroup(title: "Flow") var flow: FlowOptions
  @OptionGroup(title: "Flow") var compensation: CompensationOption
  @OptionGroup(title: "Encoding") var encode: EncodeOptions
  @OptionGroup(title: "General") var common: CommonOptions

  func validate() throws {
    guard boxes != nil || points != nil || auto || detections != nil || texturedPoints > 0 else {
      throw ValidationError("say what to follow: --boxes, --points, --auto, --detections or --textured-points")
    }
    guard !auto || detections == nil else {
      throw ValidationError("--auto looks for motion, --detections takes boxes instead: use one of them")
    }
    guard sureConfidence == nil || detections != nil else {
      throw ValidationError("--sure-confidence is for --detections")
    }
    guard sureConfidence?.isFinite != false else { throw ValidationError("--sure-confidence is a number") }
    guard MotionTracking.texturedPointRange.contains(texturedPoints) else {
      throw ValidationError("--textured-points is 0…10000, not \(texturedPoints)")
    }
    guard MotionTracking.patienceRange.contains(patience) else {
      throw ValidationError("--patience is 0…3600, not \(patience)")
    }
    if let threshold, !MotionTracking.RegionSearch.thresholdRange.contains(threshold) {
      throw ValidationError("--threshold is 0.05…1000, not \(threshold)")
    }
    if let minArea, !MotionTracking.RegionSearch.minimumAreaRange.contains(minArea) {
      throw ValidationError("--min-area is 1 or more, not \(minArea)")
    }
    if let report, !report.lowercased().hasSuffix("." + reportFormat.fileExtension) {
      throw ValidationError(
        "--report is a .\(reportFormat.fileExtension) file with --report-format \(reportFormat), not '\(report)'")
    }
    do { try trajectories.validate() } catch {
      throw ValidationError("--trajectory-length, --minimum-size, --maximum-size: \(error.message)")
    }
    if output == "-", report == nil {
      throw ValidationError("the video goes to standard output: --report says where the tracks go")
    }
  }

  private var trajectories: ParabolicTrajectory.Parameters {
    var parameters = ParabolicTrajectory.Parameters()
    parameters.trajectoryLength = trajectoryLength
    parameters.minimumSize = minimumSize
    parameters.maximumSize = maximumSize
    return parameters
  }

  private func tracking() throws -> MotionTracking {
    var search: MotionTracking.RegionSearch?
    if auto {
      search = MotionTracking.RegionSearch()
      search?.threshold = threshold
      search?.minimumArea = minArea
    }
    var tracking = MotionTracking(
      input: input, output: output, reading: inputOptions.readerOptions(range, common), flow: try flow.request(),
      compensation: compensation.model,
      targets: (boxes?.boxes ?? []).map { .box($0) } + (points?.points ?? []).map { .point($0) },
      regionSearch: search, texturedPointCount: texturedPoints, encoding: encode.encoderOptions(common),
      parallelism: common.parallelism)
    tracking.level = trackingLevel.level
    tracking.patience = patience
    tracking.sureConfidence = sureConfidence
    tracking.trajectories = trajectories
    return tracking
  }

  func run() throws {
    OutputFile.protect([input] + otherInputs)
    let console = Console(common)
    var tracking = try tracking()
    try reportingFailure(console) {
      tracking.detections = try detections.map { try DetectionList(path: $0) }
      tracking.groundPlane = try groundHomography.map { try GroundPlane(path: $0) }
    }
    let result = try reportingProgress(common, console) { [tracking] interruption, progress in
      let file = try OutputFile(path: report ?? "-", overwrite: common.overwrite)
      let result = try tracking.run(interruption: interruption, progress: progress)
      try file.write { put in try tracking.write(result, format: reportFormat, to: put) }
      return result
    }
    for note in result.notes { console.note(note) }
    let pointCount = result.summaries.count { $0.kind == .point }
    if reportFormat.holdsBoxesAlone, pointCount > 0 {
      console.note("the format \(reportFormat) holds boxes alone: \(pointCount) points are left out")
    }
    for gap in result.gaps { console.note("damaged \(gap)") }
    console.note(summary(result))
    try requireWholeWork(gaps: result.gaps, wasInterrupted: result.wasInterrupted)
  }

  /// The files beside the video that are read.
  private var otherInputs: [String] { [detections, groundHomography].compactMap(\.self) }

  private func summary(_ result: MotionTracking.Report) -> String {
    let tracks = result.summaries
    let lost = tracks.count { $0.loss != nil }
    let total = result.stageSeconds.values.reduce(0, +)
    let shares = PipelineStage.allCases.compactMap { stage -> String? in
      guard let seconds = result.stageSeconds[stage] else { return nil }
      return "\(stage.rawValue) \(Int((100 * seconds / max(total, 1e-9)).rounded())) %"
    }
    let name = output ?? "\(MediaAddress(input))"
    let speed = String(format: "%.2f s, %.1f fps", result.seconds, result.framesPerSecond)
    return "\(name): tracks \(tracks.count), lost \(lost); \(counted(result.frames, "frame")) in \(speed); "
      + shares.joined(separator: ", ")
  }
}

extension TrackFormat: ExpressibleByArgument {}

/// Numbers between commas, groups of them between semicolons.
private func numberGroups(_ text: String, count: Int) -> [[Double]]? {
  var groups: [[Double]] = []
  for part in text.split(separator: ";", omittingEmptySubsequences: false) {
    let numbers = part.split(separator: ",", omittingEmptySubsequences: false).map { word in
      // `Double` alone would also take 0x10, 1e3 and nan.
      word.allSatisfy { "0123456789.-".contains($0) } ? Double(word) : nil
    }
    guard numbers.count == count else { return nil }
    let known = numbers.compactMap(\.self)
    guard known.count == count else { return nil }
    groups.append(known)
  }
  return groups.isEmpty ? nil : groups
}

/// `x,y,w,h;…` in pixels.
struct BoxList: ExpressibleByArgument {
  let boxes: [BoundingBox]

  init?(argument: String) {
    guard let groups = numberGroups(argument, count: 4), groups.allSatisfy({ $0[2] > 0 && $0[3] > 0 }) else {
      return nil
    }
    boxes = groups.map { BoundingBox(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) }
  }
}

/// `x,y;…` in pixels.
struct PointList: ExpressibleByArgument {
  let points: [SIMD2<Double>]

  init?(argument: String) {
    guard let groups = numberGroups(argument, count: 2) else { return nil }
    points = groups.map { SIMD2($0[0], $0[1]) }
  }
}
