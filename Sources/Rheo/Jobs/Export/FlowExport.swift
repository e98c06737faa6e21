// The flow of every pair of a video's frames as files: decode → analyse, on several threads → write.

import FlowAnalysis
import FlowFormats
import Foundation
import Imaging
import Registration
import VideoIO

/// Writes the flow of a video as files: a folder of `frame_000001.flo` … with `manifest.json`, or one `.npy` file of
/// shape (pairs, height, width, 2) with `NAME.manifest.json` beside it.
///
/// An export can be interrupted at any time, the end of the program included, and resumed: the result is the same, byte
/// for byte. A journal remembers each pair after its files are complete; it goes when the manifest says `complete`.
/// Memory is bounded by the frame size.
public struct FlowExport: VideoJob {
  /// The form of the output.
  public enum Layout: String, Sendable, Hashable {
    /// A folder with one or more files for each pair.
    case folder
    /// One `.npy` file for all pairs.
    case stack
  }

  /// The handling of an output that is there already.
  public enum Existing: Sendable, Hashable {
    /// Throw `outputExists`.
    case refuse
    /// Begin anew; the output that is there stays until the new one is complete.
    case replace
    /// Keep all pairs that are whole, if they were made with the same options from the same input, and go on.
    case resume
  }

  /// The input: anything that FFmpeg opens; `-` for standard input.
  public var input: String
  /// The folder, or the `.npy` file.
  public var output: String
  /// The form of the output: a folder of files, or one array.
  public var layout: Layout
  /// The format of the files; that of a stack is always `npy`.
  public var format: FlowFormat
  /// The stream and part of the input to read, and the filters ahead of everything else.
  public var reading: VideoReader.Options
  /// The request for the flow.
  public var flow: OpticalFlowRequest
  /// The part of the camera's motion that is taken out of the flow; `identity`: nothing. The manifest holds it for each
  /// pair.
  public var compensation: TransformModel
  /// The options of the files: `halfPrecision` and `imageBound`.
  public var writing: FlowWritingOptions
  /// A Boolean value that tells whether a plane with the confidence of each vector, 0…1, goes with each field:
  /// one-channel `.pfm`, or `.npy` beside `.npy`. It needs the flow in both directions.
  public var includesConfidence: Bool
  /// The side of the square cells whose mean vectors are exported in place of those of all pixels, 1…1024 pixels; nil:
  /// all. Those at the right and lower border may be cut off. Vectors stay in pixels of the full size.
  public var cellSize: Int?
  /// The part of the range to export, of as many parts of nearly one length; nil: all of it. ``ExportMerge`` makes of
  /// all parts what one export makes.
  public var shard: Shard?
  /// The handling of an output that is there already.
  public var existing: Existing
  /// The threads of the analysis; they change no byte of the output.
  public var parallelism: Parallelism

  /// Makes an export of the flow alone that refuses to touch what is there, unless given.
  public init(
    input: String, output: String, layout: Layout = .folder, format: FlowFormat = .flo,
    reading: VideoReader.Options = .init(), flow: OpticalFlowRequest = .init(),
    compensation: TransformModel = .identity, writing: FlowWritingOptions = .init(), includesConfidence: Bool = false,
    shard: Shard? = nil, existing: Existing = .refuse, parallelism: Parallelism = .init()
  ) {
    self.input = input
    self.output = output
    self.layout = layout
    self.format = format
    self.reading = reading
    self.flow = flow
    self.compensation = compensation
    self.writing = writing
    self.includesConfidence = includesConfidence
    self.shard = shard
    self.existing = existing
    self.parallelism = parallelism
  }

  /// The values that ``cellSize`` may have, in pixels.
  public static let cellSizeRange = 1...1024

  /// The result of the work.
  public struct Report: Sendable {
    /// The number of pairs in the output.
    public var pairs: Int
    /// The number of pairs in the output that an earlier run had written.
    public var resumedPairs: Int
    /// The time from start to end, in seconds.
    public var seconds: Double
    /// The seconds of work per stage (`encode` is writing); the stages overlap.
    public var stageSeconds: [PipelineStage: Double]
    /// The number of known vectors that the format could not hold.
    public var clampedVectors: Int
    /// The number of unknown vectors that the format cannot tell from zero motion.
    public var lostUnknownVectors: Int
    /// The gaps of the input.
    public var gaps: [MediaGap]
    /// The notes about what had to be changed, one line each.
    public var notes: [String]
    /// A Boolean value that tells whether the work was stopped before its end; the output is valid up to there and can
    /// be resumed.
    public var wasInterrupted: Bool

    /// The number of new pairs a second.
    public var pairsPerSecond: Double { seconds > 0 ? Double(pairs - resumedPairs) / seconds : 0 }
  }

  /// Computes the flow and writes it.
  /// - Parameters:
  ///   - interruption: Setting it stops reading; the output is then valid up to there.
  ///   - progress: Called from the writing thread after each pair.
  /// - Throws: `MediaError`, `AnalysisError` or `FlowFormatError`. What was written stays, to be resumed, and so does
  ///   an output that was to be replaced.
  public func run(
    interruption: Interruption = Interruption(), progress: ((JobProgress) -> Void)? = nil
  ) throws -> Report {
    let cut = try shard.map(cut)
    return try run(on: VideoSource(input, cut?.reading ?? reading), cut, JobMonitor(interruption, progress))
  }

  /// - Parameter cut: The range of the shard that the source holds; nil when it holds all.
  func run(on source: VideoSource, _ cut: ShardCut? = nil, _ monitor: JobMonitor) throws -> Report {
    if let cellSize, !Self.cellSizeRange.contains(cellSize) {
      throw MediaError(.invalidOption, "the side of a cell is 1…1024 pixels, not \(cellSize)")
    }
    let store = makeStore()
    try store.requireDifferent(from: FileIdentities([input]))
    let reader = source.reader
    let video = try reader.videoFormat()
    let fieldSize = cellSize.map { video.size.inCells($0) } ?? video.size
    let manifest = ExportManifest(head: description(of: fieldSize, cut))
    var record = try ExportRecord.open(store, manifest: manifest, existing: existing)
    guard let journal = record.journal else { return record.report(interrupted: false, seconds: monitor.elapsed) }
    monitor.estimatedFrames = cut.map { $0.pairCount + 1 } ?? video.estimatedFrameCount
    // The frame before the first new pair is done, too.
    monitor.framesBefore = record.resumedCount + 1
    do {
      try store.open(keeping: record.count, upTo: record.last?.number ?? 0, size: fieldSize)
      let frames = ShardReader(source.frames, until: cut?.end)
      let analysis = PairAnalysis(
        request: writtenFlow, compensation: compensation, size: video.size, parallelism: parallelism,
        sharedFlow: source.sharedFlow)
      let isComplete = try write(frames, analysis, to: store, journal, &record, monitor)
      try monitor.interruption.checkCancellation()
      record.gaps = reader.gaps
      let notes = notes(reader, pairs: record.count, isComplete: isComplete)
      record.notes += notes
      // Only a complete output replaces another one.
      if isComplete || !store.replacesOutput {
        try store.finish()
        try manifest.write(
          to: store.manifestPath, overwrites: store.replacesManifest, journal: store.journalPath,
          isComplete: isComplete, gaps: reader.gaps, notes: notes)
      }
      if isComplete {
        try store.publish()
        try store.removeFile(store.journalPath)
      }
      return record.report(interrupted: !isComplete, seconds: monitor.elapsed)
    } catch {
      // Nothing is lost by deleting nothing.
      if record.count == 0 { try store.discard() }
      throw error
    }
  }

  /// Runs the stages.
  /// - Returns: True when the input was read to its end.
  private func write(
    _ reader: ShardReader, _ analysis: PairAnalysis, to store: any ExportStore, _ journal: ExportJournal,
    _ record: inout ExportRecord, _ monitor: JobMonitor
  ) throws -> Bool {
    let stages = StageGroup()
    let decoded = stages.add(BoundedQueue<PairTask>(capacity: 2))
    let analysed = stages.add(BoundedQueue<ExportedPair>(capacity: 2))
    let isAtEnd = SharedValue(false)
    stages.startDecoding(
      reader, as: ExportedFrames(self, done: record.times, isAtEnd: isAtEnd), into: decoded,
      until: monitor.interruption)
    start(analysis, from: decoded, into: analysed, stages)
    try stages.runAndWait(.encode) { clock in
      while let pair = analysed.pop() {
        try clock.time {
          let written = PairRecord(pair, written: try store.write(pair))
          try journal.append(written.line)
          record.add(written)
        }
        try monitor.count(seconds: pair.current.seconds)
      }
    }
    record.stageSeconds = stages.seconds
    return isAtEnd.value
  }

  private func start(
    _ analysis: PairAnalysis, from decoded: BoundedQueue<PairTask>, into analysed: BoundedQueue<ExportedPair>,
    _ stages: StageGroup
  ) {
    let (quantities, cellSize) = (quantities, cellSize)
    stages.start(.analyse, threadCount: analysis.threadCount, from: decoded, into: analysed) {
      let analyzer = try analysis.makeAnalyzer()
      return { task in
        // Also of the first frame, which the next task needs.
        guard let pair = try analyzer.analyse(task), let previous = task.previous, let current = task.current else {
          return nil
        }
        return ExportedPair(
          previous: PairRecord.Frame(previous), current: PairRecord.Frame(current), observation: pair.observation,
          cameraMotion: pair.cameraMotion, quantities: quantities, cellSize: cellSize,
          parallelism: analysis.threadParallelism)
      }
    }
  }

  /// The request for all that is written.
  var writtenFlow: OpticalFlowRequest {
    var request = flow
    if includesConfidence { request.direction = .both }
    return request
  }

  private var quantities: [ExportedQuantity] {
    ExportedQuantity.all(of: flow.direction, withConfidence: includesConfidence)
  }

  private func makeStore() -> any ExportStore {
    Self.makeStore(
      output, layout, format, writing, direction: flow.direction, includesConfidence: includesConfidence)
  }

  static func makeStore(
    _ output: String, _ layout: Layout, _ format: FlowFormat, _ writing: FlowWritingOptions,
    direction: OpticalFlowRequest.Direction, includesConfidence: Bool
  ) -> any ExportStore {
    var options = writing
    // Whether something is in the way has been settled before.
    options.overwrites = true
    let quantities = ExportedQuantity.all(of: direction, withConfidence: includesConfidence)
    return switch layout {
    case .folder: FolderStore(path: output, format: format, options: options, direction: direction)
    case .stack: StackStore(path: output, quantities: quantities, options: options, direction: direction)
    }
  }

  /// The note about an input without pairs.
  static let noPairNote = "the input holds one frame only, so no pair exists"

  private func notes(_ reader: VideoReader, pairs: Int, isComplete: Bool) -> [String] {
    reader.timeNotes + (pairs == 0 && isComplete && shard == nil ? [Self.noPairNote] : [])
  }

  /// Finds the frames of a shard.
  private func cut(_ shard: Shard) throws -> ShardCut {
    guard FlowPairHandler.serves(flow) else {
      throw MediaError(
        .invalidOption, "a flow that starts from the one before depends on all pairs: it cannot be cut into shards",
        file: input)
    }
    return try ShardPlan(of: input, reading: reading, count: shard.count).cut(shard)
  }
}
