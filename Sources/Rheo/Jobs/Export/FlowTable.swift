// The motion of a video in numbers: decode → analyse, on several threads → a line of a table.

import FlowAnalysis
import Foundation
import Imaging
import Registration
import VideoIO

/// Writes a table (CSV) of the motion of a video: a line for each pair of frames, or for each interval of time.
///
/// A line of every second of a day takes 10 MB. Memory is bounded by the frame size.
public struct FlowTable: VideoJob {
  /// The input: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The file to write; `-` for standard output.
  public var output: String
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// The request for the flow.
  public var flow: OpticalFlowRequest
  /// The part of the camera's motion that is taken out of the flow; `identity`: nothing. The camera's motion is in the
  /// table in any case.
  public var compensation: TransformModel
  /// A Boolean value that tells whether the mean confidence is measured, for which the flow in both directions is
  /// needed.
  public var includesConfidence: Bool
  /// The time that a line stands for, in seconds; 0: that of one pair of frames.
  public var interval: Double
  /// A Boolean value that tells whether an existing file is replaced.
  public var overwrites: Bool
  /// The threads of the analysis; they change no byte of the output.
  public var parallelism: Parallelism

  /// The values that ``interval`` may have, in seconds.
  public static let intervalRange = 0.0...86_400.0

  /// Makes a job with a line for each pair that refuses to touch what is there, unless given.
  public init(
    input: String, output: String, reading: VideoReader.Options = .init(), flow: OpticalFlowRequest = .init(),
    compensation: TransformModel = .identity, includesConfidence: Bool = false, interval: Double = 0,
    overwrites: Bool = false, parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.output = output
    self.reading = reading
    self.flow = flow
    self.compensation = compensation
    self.includesConfidence = includesConfidence
    self.interval = interval
    self.overwrites = overwrites
    self.parallelism = parallelism
  }

  /// The result of the work.
  public struct Report: Sendable {
    /// The number of pairs of frames that were measured.
    public var pairs: Int
    /// The number of lines, that with the names left out.
    public var lines: Int
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The notes about what had to be changed, one line each.
    public var notes: [String]
    /// A Boolean value that tells whether the work was stopped early; the table is valid up to there.
    public var wasInterrupted: Bool
  }

  /// Measures the motion and writes the table.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the table is then completed with what is there.
  ///   - progress: Called from this thread after each pair.
  /// - Throws: `MediaError` or `AnalysisError`; then no output is left behind.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    try run(on: VideoSource(input, reading), JobMonitor(interruption, progress))
  }

  func run(on source: VideoSource, _ monitor: JobMonitor) throws -> Report {
    guard Self.intervalRange.contains(interval) else {
      throw MediaError(.invalidOption, "the interval of a summary is 0…86400 s, not \(interval)")
    }
    let reader = source.reader
    let video = try reader.videoFormat()
    monitor.estimatedFrames = video.estimatedFrameCount
    let file = try OutputFile(path: output, overwrite: overwrites, inputs: [input])
    do {
      let (pairs, lines) = try write(source, size: video.size, to: file, monitor)
      try monitor.interruption.checkCancellation()
      try file.commit()
      let note = pairs == 0 ? [FlowExport.noPairNote] : []
      return Report(
        pairs: pairs, lines: lines, seconds: monitor.elapsed, gaps: reader.gaps, notes: reader.timeNotes + note,
        wasInterrupted: monitor.interruption.isSet)
    } catch {
      file.discard()
      throw error
    }
  }

  /// The request for all that is measured.
  var measuredFlow: OpticalFlowRequest {
    var request = flow
    if includesConfidence { request.direction = .both }
    return request
  }

  /// The model of the camera's motion that is estimated.
  var measuredCamera: TransformModel { compensation == .identity ? .homography : compensation }

  /// Runs the stages; returns the numbers of pairs and lines.
  private func write(
    _ source: VideoSource, size: PixelSize, to file: OutputFile, _ monitor: JobMonitor
  ) throws -> (pairs: Int, lines: Int) {
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<PairTask>(capacity: 2))
    let measured = stages.add(BoundedQueue<FlowTableLine>(capacity: 2))
    stages.startDecoding(
      source.frames, as: PairSequence(step: reading.range.every), into: decoded, until: monitor.interruption)
    let analysis = PairAnalysis(
      request: measuredFlow, compensation: measuredCamera, size: size, parallelism: parallelism,
      sharedFlow: source.sharedFlow)
    let subtracts = compensation > .identity
    stages.start(.analyse, threadCount: analysis.threadCount, from: decoded, into: measured) {
      let analyzer = try analysis.makeAnalyzer()
      return { task in
        guard let pair = try analyzer.analyse(task), let previous = task.previous else { return nil }
        let camera = pair.cameraMotion ?? .identity
        let observation =
          subtracts
          ? pair.observation.subtracting(cameraMotion: camera, parallelism: analysis.threadParallelism)
          : pair.observation
        return FlowTableLine(previous, observation, camera: camera)
      }
    }
    var (pairs, lines) = (0, 0)
    var line: FlowTableLine?
    func put(_ text: String) throws { try Data(text.utf8).withUnsafeBytes(file.append) }
    try stages.runAndWait(.encode) { clock in
      try put(FlowTableLine.header)
      while let next = measured.pop() {
        pairs += 1
        try clock.time {
          if var open = line, next.seconds < open.seconds + interval {
            open.add(next)
            line = open
          } else {
            if let line { try put(line.text) }
            line = next
            lines += 1
          }
        }
        try monitor.count(seconds: next.seconds)
      }
      if let line { try put(line.text) }
    }
    return (pairs, lines)
  }
}
